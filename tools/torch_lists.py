"""What the installed torch says about operations that differ from run to run, as a TOML file.

    python tools/torch_lists.py > tests/operations/torch_lists.toml

It holds the two lists in the docstring of `torch.use_deterministic_algorithms` (what acts deterministically in strict mode, and
what raises), and the operators tagged `nondeterministic_seeded`. The tests compare it with the installed torch and with
`rules/_operations.toml`: when either fails, read what changed, mend the table, and write the file anew.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

LISTS = {"replaced": "nondeterministic operations will act", "raises": "nondeterministic operations will throw"}
"""What the sentence before each of the two lists says."""

ENTRY = re.compile(r"^ {8}\* :(?:class|func|meth):`~?([\w.]+)`(.*)$")
MODE = re.compile(r"^ {10}- ``(\w+)``$")


def entries(docstring: str, key: str) -> Iterator[str]:
    """The entries of a list, as "name condition"; an entry with modes below it gives one entry a mode."""
    start = docstring.index(LISTS[key])
    found: list[str] = []
    for line in docstring[start:].splitlines()[3:]:
        if entry := ENTRY.match(line):
            found.append(f"{entry[1]}{entry[2]}")
        elif mode := MODE.match(line):
            found[-1] += f" [{mode[1]}]"
        elif line.strip() and not line.startswith(" " * 8):
            break
        elif line.strip() and found:
            found[-1] += f" {line.strip()}"
    for text in found:
        modes = re.findall(r"\[(\w+)\]", text)
        plain = " ".join(re.sub(r" ?\[\w+\]", "", text).split())
        yield from (f"{plain} {mode}" for mode in modes) if modes else (plain,)


def tagged(torch: Any) -> list[str]:
    """The names of operators that draw from a generator."""
    found = set()
    # `dir(torch.ops.aten)` has only those that somebody has asked for in this process.
    registered = {name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")}
    for name in {each.removeprefix("aten::").partition(".")[0] for each in registered}:
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if hasattr(packet, "overloads") else ():
            if torch.Tag.nondeterministic_seeded in getattr(packet, overload).tags:
                found.add(name)
    return sorted(found)


def document(torch: Any) -> str:
    """The file for a torch module."""
    lines = [
        "# Written by tools/torch_lists.py from the installed torch; not to be edited.",
        "",
        f'version = "{torch.__version__.partition("+")[0]}"',
    ]
    docstring = torch.use_deterministic_algorithms.__doc__ or ""
    lists = {key: list(entries(docstring, key)) for key in LISTS} | {"tagged": tagged(torch)}
    for key, values in lists.items():
        lines += ["", f"{key} = [", *(f"  {json.dumps(value)}," for value in values), "]"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import torch

    sys.stdout.write(document(torch))
