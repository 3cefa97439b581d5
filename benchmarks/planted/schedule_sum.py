# factor: schedule
import threading

import torch

torch.manual_seed(3)
total = torch.zeros(4)
lock = threading.Lock()


def work(part):
    global total
    for _ in range(300):
        with lock:
            total = total * 0.999 + part  # culprit


threads = [threading.Thread(target=work, args=(torch.full((4,), 0.1 * number),)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()


def batch(step):
    return total.repeat(8, 1) / 100


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
