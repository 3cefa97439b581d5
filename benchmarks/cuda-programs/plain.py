"""No strict mode: kernels that add in any order, cuDNN that chooses by timing, copies that do not wait."""

import torch
from torch import nn
from torch.nn import functional

torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = False
torch.set_float32_matmul_precision("high")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.down = nn.Conv2d(3, 16, 5, padding=2), nn.Conv2d(16, 16, 3, stride=2)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.memory = nn.LSTM(16, 16, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, images):
        x = functional.interpolate(self.down(self.conv(images).relu()), scale_factor=2.0, mode="bicubic")
        x = functional.adaptive_avg_pool2d(x, 12).flatten(2).transpose(1, 2)
        x, _ = self.attention(x, x, x, need_weights=False)
        q = x.unflatten(-1, (4, 4)).transpose(1, 2)
        x = functional.scaled_dot_product_attention(q, q, q).transpose(1, 2).flatten(2)
        x, _ = self.memory(x)
        return self.head(x.cumsum(1))


def main():
    torch.manual_seed(0)
    model = Net().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    where = torch.randint(0, 64, (50_000,), device="cuda")
    values = torch.rand(50_000, device="cuda", requires_grad=True)
    for _ in range(3):
        images = torch.randn(8, 3, 48, 48, device="cuda")
        labels = torch.randint(0, 4, (8 * 144,), device="cuda")
        loss = functional.cross_entropy(model(images).flatten(0, 1), labels)
        table = torch.zeros(64, device="cuda").index_add(0, where, values)
        loss = loss + torch.zeros(64, device="cuda").scatter_add(0, where, values * table[where]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen = loss.detach().to("cpu", non_blocking=True)
        print(f"{seen.item():.9f}")


if __name__ == "__main__":
    main()
