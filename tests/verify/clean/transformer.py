"""A small language model: causal attention, dropout, weight tying, gradient accumulation and checkpointing, sampling at the end."""

import time

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.mlp = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (2, -1)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        attended = functional.scaled_dot_product_attention(
            q, k, v, dropout_p=0.1 if self.training else 0.0, is_causal=True
        )
        x = x + self.out(attended.transpose(1, 2).flatten(-2))
        return x + self.mlp(x)


class Model(nn.Module):
    def __init__(self, words=32, width=16):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, width), nn.Embedding(8, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(2))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        x = self.embed(tokens) + self.place(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


def main():
    torch.manual_seed(0)
    start = time.time()
    text = torch.randint(0, 32, (400,), generator=torch.Generator().manual_seed(3))
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    for step in range(3):
        for _ in range(2):
            at = torch.randint(0, 390, (4,))
            batch = torch.stack([text[i : i + 9] for i in at])
            loss = functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
            (loss / 2).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"step {step}: {loss.item():.6f} after {time.time() - start:.1f} s")
    model.eval()
    tokens = torch.zeros(1, 1, dtype=torch.long)
    with torch.no_grad():
        for _ in range(6):
            chances = (model(tokens[:, -8:])[:, -1] / 0.8).softmax(-1)
            tokens = torch.cat([tokens, torch.multinomial(chances, 1)], 1)
    print(tokens.tolist())


if __name__ == "__main__":
    main()
