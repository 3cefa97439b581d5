"""Trains a small classifier: python train.py photos --epochs 20"""

import argparse

import numpy as np
import torch
from torch.nn import functional as F

from data import loaders
from model import Classifier


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def mixup(images, alpha):
    share = np.random.beta(alpha, alpha)
    order = torch.randperm(len(images), device=images.device)
    return share * images + (1 - share) * images[order], order, share


def evaluate(model, loader, device):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for images, labels in loader:
            right += (model(images.to(device)).argmax(1).cpu() == labels).sum().item()
            total += len(labels)
    return right / max(total, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.backends.cudnn.benchmark = True
    device = "cuda" if torch.cuda.is_available() else "cpu"

    train_loader, val_loader, classes = loaders(args.root, 128, args.batch_size, args.workers)
    model = Classifier(classes).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    set_seed(args.seed)

    for epoch in range(args.epochs):
        model.train()
        for images, labels in train_loader:
            images, order, share = mixup(images.to(device), alpha=0.2)
            labels = labels.to(device)
            logits = model(images)
            loss = share * F.cross_entropy(logits, labels) + (1 - share) * F.cross_entropy(logits, labels[order])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {evaluate(model, val_loader, device):.1%} right")


if __name__ == "__main__":
    main()
