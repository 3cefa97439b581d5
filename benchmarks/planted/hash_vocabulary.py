# factor: hash
import torch

torch.manual_seed(3)
words = set("the quick brown fox jumps over a lazy dog".split())
index = {word: number for number, word in enumerate(words)}
ids = torch.tensor([float(index[word]) for word in ("fox", "dog", "quick", "lazy")])  # culprit


def batch(step):
    return ids.repeat(8, 1) + step


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(batch(step)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
