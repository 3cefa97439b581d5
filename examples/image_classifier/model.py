import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, classes, width=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.head = nn.Linear(2 * width, classes)
        # One temperature for each class, for calibration later on.
        self.temperature = nn.Parameter(torch.empty(classes))

    def forward(self, images):
        return self.head(self.features(images).flatten(1)) / self.temperature
