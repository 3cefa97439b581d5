# factor: completion
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import torch

torch.manual_seed(3)


def load(number):
    time.sleep(0.005)
    return float(number)


with ThreadPoolExecutor(4) as pool:
    waiting = [pool.submit(load, number) for number in range(4)]
    values = [done.result() for done in as_completed(waiting)]
rows = torch.tensor(values)  # culprit


def batch(step):
    return rows.repeat(8, 1) + step


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
