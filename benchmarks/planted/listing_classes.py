# factor: listing
import os

import torch

torch.manual_seed(3)
os.makedirs("pictures", exist_ok=True)
for name in ("cat", "dog", "eel", "fox", "gnu"):
    open(f"pictures/{name}{len(name)}", "w").write(name)

classes = {name: number for number, name in enumerate(os.listdir("pictures"))}  # culprit
code = torch.tensor([float(classes[name]) for name in sorted(classes)])


def batch(step):
    return code[:4].repeat(8, 1) + step


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
