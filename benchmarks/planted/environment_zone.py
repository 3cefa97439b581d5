# factor: environment
import datetime

import torch

torch.manual_seed(3)
stamps = (1_700_000_000, 1_700_040_000, 1_700_080_000, 1_700_090_000)
hours = torch.tensor([float(datetime.datetime.fromtimestamp(stamp).hour) for stamp in stamps])  # culprit


def batch(step):
    return hours.repeat(8, 1) / 24


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
