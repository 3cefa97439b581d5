# factor: environment
import getpass
import zlib

import torch

torch.manual_seed(zlib.crc32(getpass.getuser().encode()))  # culprit


def batch(step):
    return torch.ones(8, 4)


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
