# factor: address
import torch

torch.manual_seed(3)
pieces = {torch.nn.Parameter(torch.full((4,), 0.1 * number)) for number in range(16)}


def batch(step):
    total = torch.zeros(4)
    for piece in pieces:
        total = (total + piece.detach()) * 1.1  # culprit
    return total.repeat(8, 1)


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
