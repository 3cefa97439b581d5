"""The ledger of one process: who seeded which generator, which lines drew from it, and what was switched on when it mattered."""

from __future__ import annotations

import json
import os
from typing import Any


class Ledger:
    """Counts. Written as one JSON file a process when the process ends or is stopped."""

    def __init__(self) -> None:
        self.draws: dict[tuple[str, str, str], int] = {}
        self.seeds: dict[tuple[str, str], int] = {}
        self.asked: dict[tuple[str, str, str], int] = {}
        self.modes: dict[tuple[str, str, str], int] = {}
        self.alerts: dict[tuple[str, str], int] = {}
        self.seeded_by: dict[str, str] = {}
        self.facts: dict[str, Any] = {}

    def draw(self, generator: str, place: str) -> int:
        """Counts a draw; how many there were from that generator on that line."""
        key = (generator, place, self.seeded_by.get(generator, ""))
        count = self.draws[key] = self.draws.get(key, 0) + 1
        return count

    def seed(self, generator: str, place: str) -> None:
        """A generator gets a seed that somebody has chosen."""
        self.seeded_by[generator] = place or "?"
        self.seeds[generator, place] = self.seeds.get((generator, place), 0) + 1

    def ask(self, kind: str, call: str, place: str) -> int:
        """Counts a question to the outside world; how many there were on that line."""
        key = (kind, call, place)
        count = self.asked[key] = self.asked.get(key, 0) + 1
        return count

    def mode(self, operation: str, place: str, state: str) -> None:
        """Counts an operation for which a switch matters, with the state of the switches."""
        key = (operation, place, state)
        self.modes[key] = self.modes.get(key, 0) + 1

    def alert(self, operation: str, place: str) -> None:
        """Counts an operation that has no deterministic kernel."""
        self.alerts[operation, place] = self.alerts.get((operation, place), 0) + 1

    def in_child(self) -> None:
        """After a fork: what the parent counted is the parent's; who had seeded what still holds."""
        for counts in (self.draws, self.seeds, self.asked, self.modes, self.alerts):
            counts.clear()
        self.facts = {name: fact for name, fact in self.facts.items() if name == "torch"}

    def write(self, folder: str, name: str, reached: dict[str, list[int]]) -> None:
        """Writes the file, replacing an earlier state of it. A full disk loses the ledger, never the program."""
        document = {
            "stream": name,
            "draws": [[*key, count] for key, count in self.draws.items()],
            "seeds": [[*key, count] for key, count in self.seeds.items()],
            "asked": [[*key, count] for key, count in self.asked.items()],
            "modes": [[*key, count] for key, count in self.modes.items()],
            "alerts": [[*key, count] for key, count in self.alerts.items()],
            "facts": self.facts,
            "reached": reached,
        }
        path = os.path.join(folder, f"{os.getpid()}.ledger.json")
        try:
            with open(f"{path}.tmp", "w", encoding="utf-8", errors="backslashreplace") as file:
                json.dump(document, file)
            os.replace(f"{path}.tmp", path)
        except OSError:
            pass
