# factor: listing
import glob
import os

import torch

torch.manual_seed(3)
os.makedirs("pictures", exist_ok=True)
for name in ("cat", "dog", "eel", "fox", "gnu"):
    open(f"pictures/{name}{len(name)}", "w").write(name)

paths = glob.glob("pictures/*")  # culprit
order = torch.tensor([float(ord(path[9])) for path in paths])


def batch(step):
    return order[:4].repeat(8, 1) / 100 + step


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
