# factor: cwd
import pathlib
import zlib

import torch

torch.manual_seed(3)
here = str(pathlib.Path.cwd())  # culprit
fold = zlib.crc32(here.encode()) % 1000


def batch(step):
    return torch.full((8, 4), fold / 1000.0)


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
