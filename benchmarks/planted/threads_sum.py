# factor: threads
import torch

torch.manual_seed(3)
large = torch.rand(3_000_001) - 0.5


def batch(step):
    mean = large.sum()  # culprit
    return torch.ones(8, 4) * mean


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
