"""A generative adversarial net: two optimizers, spectral normalisation, and a penalty on gradients of gradients."""

import torch
from torch import nn


def penalty(critic, real, fake):
    mix = torch.rand(len(real), 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def main():
    torch.manual_seed(0)
    maker = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 8))
    critic = nn.Sequential(
        nn.utils.parametrizations.spectral_norm(nn.Linear(8, 16)), nn.LeakyReLU(0.2), nn.Linear(16, 1)
    )
    makes, judges = (torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.5, 0.9)) for net in (maker, critic))
    for _ in range(3):
        real = torch.randn(6, 8).cumsum(1)
        fake = maker(torch.randn(6, 4))
        loss = critic(fake.detach()).mean() - critic(real).mean() + 10 * penalty(critic, real, fake.detach())
        judges.zero_grad()
        loss.backward()
        judges.step()
        makes.zero_grad()
        (-critic(maker(torch.randn(6, 4))).mean()).backward()
        makes.step()
    print(f"loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
