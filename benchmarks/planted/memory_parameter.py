# factor: memory
import torch

torch.manual_seed(3)
scale = torch.nn.Parameter(torch.empty(4))  # culprit


def batch(step):
    return torch.ones(8, 4) * scale


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
