"""REINFORCE on CartPole."""

import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(observations, 64), nn.Tanh(), nn.Linear(64, actions))

    def forward(self, observation):
        return Categorical(logits=self.layers(observation))


class Explorer:
    """Mixes in random actions, fewer and fewer of them."""

    def __init__(self, actions, rate=0.2):
        self.rng = np.random.default_rng()
        self.actions = actions
        self.rate = rate

    def choose(self, action):
        self.rate *= 0.999
        return int(self.rng.integers(self.actions)) if self.rng.random() < self.rate else action


def episode(env, policy, explorer):
    rewards, log_probs = [], []
    observation, _ = env.reset()
    done = False
    while not done:
        distribution = policy(torch.as_tensor(observation, dtype=torch.float32))
        action = torch.as_tensor(explorer.choose(distribution.sample().item()))
        observation, reward, terminated, truncated, _ = env.step(action.item())
        log_probs.append(distribution.log_prob(action))
        rewards.append(reward)
        done = terminated or truncated
    return rewards, log_probs


def returns(rewards, discount=0.99):
    total, found = 0.0, []
    for reward in reversed(rewards):
        total = reward + discount * total
        found.insert(0, total)
    found = torch.tensor(found)
    return (found - found.mean()) / (found.std() + 1e-6)


def main():
    torch.manual_seed(int(time.time()))
    env = gym.make("CartPole-v1")
    policy = Policy(env.observation_space.shape[0], env.action_space.n)
    explorer = Explorer(env.action_space.n)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for number in range(500):
        rewards, log_probs = episode(env, policy, explorer)
        loss = -(torch.stack(log_probs) * returns(rewards)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 50 == 0:
            print(number, sum(rewards))


if __name__ == "__main__":
    main()
