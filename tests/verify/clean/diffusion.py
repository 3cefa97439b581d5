"""Steps of a denoising diffusion model, with an average of its weights, mixed precision, and sampling."""

import copy

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(1, 8), nn.SiLU(), nn.Linear(8, 8))
        self.down, self.up = nn.Conv2d(1, 8, 3, padding=1, stride=2), nn.ConvTranspose2d(8, 1, 4, padding=1, stride=2)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x, t):
        hidden = self.norm(self.down(x)) + self.time(t[:, None])[..., None, None]
        return self.up(nn.functional.silu(hidden)) + nn.functional.interpolate(x, scale_factor=1.0)


def main():
    torch.manual_seed(0)
    kept = torch.linspace(0.99, 0.1, 10)
    model = Denoiser()
    average = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    images = torch.linspace(-1, 1, 4 * 64).reshape(4, 1, 8, 8)
    for _ in range(3):
        step, noise = torch.randint(0, 10, (4,)), torch.randn_like(images)
        share = kept[step][:, None, None, None]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(share.sqrt() * images + (1 - share).sqrt() * noise, step / 10)
        loss = (guess.float() - noise).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mine, theirs in zip(average.parameters(), model.parameters(), strict=True):
                mine.lerp_(theirs, 0.1)
    with torch.inference_mode():
        sample = torch.randn(1, 1, 8, 8)
        for step in reversed(range(10)):
            sample = sample - 0.1 * average(sample, torch.tensor([step / 10])) + 0.05 * torch.randn_like(sample)
    print(f"loss {loss.item():.6f} sample {sample.mean().item():.6f}")


if __name__ == "__main__":
    main()
