"""A bidirectional recurrent net on sequences of unequal lengths, with its vocabulary in order."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

LINES = ["a small net", "reads words one by one", "and repeats itself", "each time that it is run"]


def main():
    torch.manual_seed(0)
    words = {word: index for index, word in enumerate(sorted({word for line in LINES for word in line.split()}))}
    rows = [torch.tensor([words[word] for word in line.split()]) for line in LINES]
    lengths = torch.tensor([len(row) for row in rows])
    padded = pad_sequence(rows, batch_first=True)
    embed, head = nn.Embedding(len(words), 8), nn.Linear(12, len(words))
    net = nn.LSTM(8, 6, num_layers=2, dropout=0.1, bidirectional=True, batch_first=True)
    optimizer = torch.optim.SGD([*embed.parameters(), *net.parameters(), *head.parameters()], lr=0.1, momentum=0.9)
    for _ in range(3):
        packed = pack_padded_sequence(embed(padded), lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(net(packed)[0], batch_first=True)
        loss = nn.functional.cross_entropy(head(out).flatten(0, 1), padded.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
