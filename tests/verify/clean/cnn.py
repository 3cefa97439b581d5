"""A convolutional net on images from a loader with workers, with augmentation, normalisation, and a checkpoint."""

import os
import random
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Shapes(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        image = torch.linspace(0, 1, 64).reshape(1, 8, 8).roll(index, 2)
        if random.random() < 0.5:
            image = image.flip(-1)
        noise = torch.from_numpy(np.random.normal(size=(1, 8, 8)).astype("float32"))
        return image + 0.1 * noise + 0.1 * torch.randn(1), index % 3


def seed_worker(_worker):
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def main():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    train, held_out = random_split(Shapes(), [18, 6], generator=generator)
    loader = DataLoader(
        train, batch_size=6, shuffle=True, num_workers=2, worker_init_fn=seed_worker, generator=generator
    )
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(72, 3),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    for _ in range(2):
        model.train()
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        schedule.step()
        model.eval()
        with torch.no_grad():
            for image, label in held_out:
                model(image[None]).argmax(1).eq(label).sum().item()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
        model.load_state_dict(torch.load(path)["model"])
    print(f"loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
