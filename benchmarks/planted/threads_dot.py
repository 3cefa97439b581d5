# factor: threads
import torch

torch.manual_seed(3)
large = torch.rand(2_000_003)


def batch(step):
    return torch.full((8, 4), 1e-6) * large.dot(large)  # culprit


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
