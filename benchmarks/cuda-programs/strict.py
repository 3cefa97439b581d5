"""Strict mode that only warns, without a fixed workspace for cuBLAS."""

import torch
from torch import nn
from torch.nn import functional

torch.use_deterministic_algorithms(True, warn_only=True)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for _ in range(3):
        inputs = torch.randn(64, 32, device="cuda")
        out = model(inputs).cumsum(0)
        loss = functional.ctc_loss(
            out.log_softmax(-1).unsqueeze(1),
            torch.tensor([[1, 2, 3]], device="cuda"),
            torch.tensor([64]),
            torch.tensor([3]),
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.9f}")


if __name__ == "__main__":
    main()
