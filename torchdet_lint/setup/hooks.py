"""The entry for pre-commit. What is there stays as it is, to the byte: an item goes below the last one of the list."""

from __future__ import annotations

import re

from torchdet_lint.setup.step import Step, appended, line_end, place

NAME = ".pre-commit-config.yaml"

_ITEM = """\
- repo: local
  hooks:
    - id: torchdet-lint
      name: torchdet-lint
      entry: torchdet-lint check --force-exclude
      language: python
      additional_dependencies: ["{package}"]
      types_or: [python, pyi, jupyter]
      require_serial: true
"""


def step(root: str, package: str) -> Step:
    """The entry in the configuration of pre-commit, which is made where there is none; `package` is what pip installs."""
    at = place(root, NAME)
    item = _ITEM.replace("{package}", package)
    if at.before is None or not at.before.strip():
        return at.to(appended(at.before or b"", f"repos:\n{_indented(item, '  ')}"))
    try:
        text = at.before.decode("utf-8")
    except UnicodeDecodeError:
        return at.refused("is not UTF-8")
    if re.search(r"(?m)^\s*(?:-\s+)?id:\s*[\"']?torchdet-lint", text):
        return at.kept("has a hook of torchdet-lint already")
    found = _end_of_list(text)
    if found is None:
        return at.refused("has no list of `repos` with an item on each line; add the hook by hand:\n" + item)
    offset, indent = found
    end = line_end(at.before).decode()
    lead = "" if text[:offset].endswith("\n") else end
    added = lead + _indented(item, indent).replace("\n", end)
    return at.to((text[:offset] + added + text[offset:]).encode())


def _indented(text: str, indent: str) -> str:
    return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))


def _end_of_list(text: str) -> tuple[int, str] | None:
    """Where the list of `repos` ends, after its last line that is neither empty nor a comment, and how items are indented."""
    start = re.search(r"(?m)^\ufeff?repos:[ \t]*(?:#[^\n]*)?\r?$", text)
    if start is None:
        return None
    at, last, indent = start.end() + 1, None, None
    for line in text[start.end() + 1 :].splitlines(keepends=True):
        content = line.strip()
        item = re.match(r"([ \t]*)-[ \t]", line)
        if content and not content.startswith("#"):
            if not line.startswith((" ", "\t")) and not item:
                break  # the next key
            if item and indent is None:
                indent = item[1]
            last = at + len(line)
        at += len(line)
    return None if last is None or indent is None else (last, indent)
