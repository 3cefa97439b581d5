# factor: address
import torch

torch.manual_seed(3)


class Layer:
    def __init__(self, factor):
        self.factor = factor
        self.name = f"layer {factor}" * 3


layers = [Layer(1.0 + number / 7) for number in range(12)]


def batch(step):
    x = torch.ones(8, 4)
    for layer in sorted(layers, key=id):
        x = x * layer.factor + 0.1  # culprit
    return x


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
