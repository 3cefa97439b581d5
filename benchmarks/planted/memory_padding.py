# factor: memory
import torch

torch.manual_seed(3)


def batch(step):
    padded = torch.empty(8, 4)  # culprit
    padded[:, :3] = torch.rand(8, 3)
    return padded * 2


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
