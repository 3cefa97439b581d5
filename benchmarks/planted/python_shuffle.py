# factor: python
import random

import torch

torch.manual_seed(3)
files = [float(number) for number in range(96)]
random.shuffle(files)  # culprit
rows = torch.tensor(files).view(3, 8, 4)


def batch(step):
    return rows[step]


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
