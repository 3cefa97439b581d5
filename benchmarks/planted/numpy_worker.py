# factor: os
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(3)


class Pictures(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        crop = np.random.default_rng().random(4)  # culprit
        return torch.tensor(crop, dtype=torch.float32) + index


batches = list(DataLoader(Pictures(), batch_size=8, num_workers=2))


def batch(step):
    return batches[step]


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
