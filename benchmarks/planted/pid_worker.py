# factor: pid
import os

import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(3)


class Noisy(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(os.getpid() + index)  # culprit
        return torch.rand(4, generator=generator)


batches = list(DataLoader(Noisy(), batch_size=8, num_workers=2))


def batch(step):
    return batches[step]


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
