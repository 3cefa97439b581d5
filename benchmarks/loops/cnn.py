"""A small convolutional network on pictures of 32 by 32 pixels."""

import json
import os
import resource
import time

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def block(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(), nn.MaxPool2d(2))


net = nn.Sequential(
    block(3, 32), block(32, 64), block(64, 128), nn.Conv2d(128, 128, 3, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10),
)  # fmt: skip
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
criterion = nn.CrossEntropyLoss()
pictures, labels = torch.randn(256, 3, 32, 32), torch.randint(10, (256,))
times = []
for step in range(int(os.environ["STEPS"])):
    start = time.process_time()
    at = step * 32 % 256
    optimizer.zero_grad()
    loss = criterion(net(pictures[at : at + 32]), labels[at : at + 32])
    loss.backward()
    optimizer.step()
    times.append(time.process_time() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
times.sort()
print(json.dumps({"milliseconds": 1000 * times[len(times) // 2], "megabytes": peak, "loss": loss.item().hex()}))
