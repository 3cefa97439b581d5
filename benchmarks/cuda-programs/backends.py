"""Attention that is told to take a fused backend, in a program that switches strict mode off again."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def attend(q):
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        return functional.scaled_dot_product_attention(q, q, q, is_causal=True)


def main():
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    torch.use_deterministic_algorithms(False)
    inward, outward = nn.Linear(64, 64).to("cuda"), nn.Linear(64, 8).to("cuda")
    optimizer = torch.optim.SGD([*inward.parameters(), *outward.parameters()], lr=1e-2)
    for _ in range(3):
        x = inward(torch.randn(4, 512, 64, device="cuda")).unflatten(-1, (4, 16)).transpose(1, 2)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            out = attend(x.bfloat16())
        loss = outward(out.float().transpose(1, 2).flatten(2)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.9f}")


if __name__ == "__main__":
    main()
