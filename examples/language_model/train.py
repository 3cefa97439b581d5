"""Trains a character model on a folder of texts: python train.py texts"""

import random
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

from model import LanguageModel

LENGTH = 256


def read(folder):
    return "\n".join(path.read_text() for path in Path(folder).glob("*.txt"))


def vocabulary(text):
    return {character: index for index, character in enumerate(set(text))}


def batch(tokens, size, device):
    starts = [random.randrange(len(tokens) - LENGTH - 1) for _ in range(size)]
    chunks = torch.stack([tokens[start : start + LENGTH + 1] for start in starts]).to(device)
    return chunks[:, :-1], chunks[:, 1:]


def main():
    torch.manual_seed(1234)
    torch.use_deterministic_algorithms(True)
    device = torch.device("cuda")

    text = read(sys.argv[1])
    indices = vocabulary(text)
    tokens = torch.tensor([indices[character] for character in text])
    model = LanguageModel(len(indices)).to(device)
    model = torch.compile(model, mode="max-autotune")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    for step in range(5000):
        inputs, targets = batch(tokens, 32, device)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    main()
