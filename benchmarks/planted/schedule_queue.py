# factor: schedule
import queue
import threading

import torch

torch.manual_seed(3)
done = queue.Queue()


def work(number):
    spun = 0
    for turn in range(200000):
        spun += turn
        if turn % 20000 == 0:
            done.put(number + turn / 200000)


threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
order = torch.tensor([done.get() for _ in range(40)])  # culprit


def batch(step):
    return order.view(10, 4)


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
