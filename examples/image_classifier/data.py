"""Photographs in one folder for each class."""

import os
import random

from PIL import Image
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision import transforms


def class_names(root):
    return [name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name))]


class Photos(Dataset):
    def __init__(self, root, size):
        self.classes = class_names(root)
        self.files = [
            (os.path.join(root, name, file), label)
            for label, name in enumerate(self.classes)
            for file in sorted(os.listdir(os.path.join(root, name)))
        ]
        self.transform = transforms.Compose([transforms.RandomResizedCrop(size), transforms.ToTensor()])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        image = Image.open(path).convert("RGB")
        if random.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return self.transform(image), label


def loaders(root, size, batch_size, workers):
    photos = Photos(root, size)
    held_out = len(photos) // 10
    train, val = random_split(photos, [len(photos) - held_out, held_out])
    return (
        DataLoader(train, batch_size=batch_size, shuffle=True, num_workers=workers, drop_last=True),
        DataLoader(val, batch_size=batch_size, num_workers=workers),
        len(photos.classes),
    )
