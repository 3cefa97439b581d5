"""Policy gradients with a replay buffer, in an environment that is seeded by its own generator."""

import random
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Walk:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.place = float(self.rng.normal())
        return self.place

    def step(self, action):
        self.place += (1 if action else -1) * 0.2 + float(self.rng.normal(scale=0.05))
        return self.place, -abs(self.place), abs(self.place) > 3


def main():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    env, memory = Walk(seed=5), deque(maxlen=64)
    policy = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2))
    value = nn.Linear(1, 1)
    optimizer = torch.optim.RMSprop([*policy.parameters(), *value.parameters()], lr=1e-2)
    for _ in range(3):
        place, chances, rewards = env.reset(), [], []
        for _ in range(8):
            choice = Categorical(logits=policy(torch.tensor([place])))
            action = choice.sample()
            if random.random() < 0.1:
                action = torch.tensor(random.randrange(2))
            before = place
            place, reward, done = env.step(int(action))
            memory.append((before, reward))
            chances.append(choice.log_prob(action))
            rewards.append(reward)
            if done:
                break
        old = random.sample(list(memory), min(4, len(memory)))
        inputs, targets = (torch.tensor(column)[:, None] for column in zip(*old, strict=True))
        loss = -(torch.stack(chances) * torch.tensor(rewards)).mean() + (value(inputs) - targets).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
