# factor: torch
import torch


def batch(step):
    return torch.full((8, 4), 0.5 + step)


model = torch.nn.Linear(4, 1)  # culprit
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
