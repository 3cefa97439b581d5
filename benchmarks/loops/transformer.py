"""A tiny language model of two layers, about 450 operations a step: small tensors, so that what an operation costs shows most."""

import json
import os
import resource
import time

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
WIDTH, HEADS, LENGTH, WORDS = 64, 4, 32, 64


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH, bias=False), nn.LayerNorm(WIDTH, bias=False)
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(4 * WIDTH, WIDTH, bias=False)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        query, key, value = self.project(self.before(x)).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.drop(self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH)))
        return x + self.drop(self.narrow(nn.functional.gelu(self.wide(self.between(x)))))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.norm, self.head = nn.LayerNorm(WIDTH, bias=False), nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.words(x) + self.places(torch.arange(x.shape[1]))
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(self.norm(hidden))


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
text = torch.randint(WORDS, (4096,))
times = []
for _ in range(int(os.environ["STEPS"])):
    start = time.process_time()
    at = torch.randint(4000, (8, 1)) + torch.arange(LENGTH)
    loss = nn.functional.cross_entropy(model(text[at]).flatten(0, 1), text[at + 1].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    times.append(time.process_time() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
times.sort()
print(json.dumps({"milliseconds": 1000 * times[len(times) // 2], "megabytes": peak, "loss": loss.item().hex()}))
