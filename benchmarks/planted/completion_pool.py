# factor: completion
from multiprocessing import Pool

import torch


def work(number):
    return number / 3


if __name__ == "__main__":
    torch.manual_seed(3)
    with Pool(2) as pool:
        parts = list(pool.imap_unordered(work, range(4)))
    rows = torch.tensor(parts)  # culprit

    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(rows.repeat(8, 1) + step).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
