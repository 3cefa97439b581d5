"""Writes what can be configured as a page and as a JSON schema: `python -m torchdet_lint.config.reference [--check]`.

With `--check` nothing is written; the exit code is 1 when one of them is outdated.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchdet_lint.config.settings import DEFAULTS, OPTIONS, Option
from torchdet_lint.config.show import empty, toml

_HEAD = """\
# Configuration

`torchdet-lint.toml`, `.torchdet-lint.toml` or a `[tool.torchdet-lint]` table in `pyproject.toml`, whichever stands
first in a folder. The file closest to a checked file decides what is marked *closest*; what is marked *run* holds for
all of a run and comes from the file that is closest to the working directory (or, where the checked paths lie
elsewhere, to the folder that they share). `extend = "../base.toml"` puts another file below this one. `--config FILE`
replaces the search, `--config KEY=VALUE` sets one key, `--isolated` reads no file. `torchdet-lint check
--show-settings` prints every value and who set it.

Relative paths and globs are relative to the folder of the file that they stand in. Unknown keys and values of a wrong
kind are errors. Editors can check a `torchdet-lint.toml` against
[`configuration.schema.json`](configuration.schema.json).

<!-- written by `python -m torchdet_lint.config.reference` from torchdet_lint/config/settings.py -->
"""

_KINDS = {
    "flag": "true or false",
    "count": "a whole number",
    "version": "a version",
    "selectors": "a list of rule selectors",
    "globs": "a list of globs",
    "paths": "a list of paths or globs",
    "path": "a path",
    "entries": "a list of globs or functions",
    "ignores": "a table of lists of rule selectors by glob",
    "severities": "a table of severities by rule selector",
    "table": "a table",
}

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}


def page() -> str:
    """The reference in Markdown."""
    return _HEAD + "".join(f"\n{_section(option)}" for option in OPTIONS.values())


def _section(option: Option) -> str:
    kind = _KINDS.get(option.kind) or "one of " + ", ".join(f'`"{choice}"`' for choice in option.choices)
    default = DEFAULTS.get(option.key)
    shown = "not set" if default is None else f"`{toml(default) if default != () else empty(option)}`"
    decides = "closest" if option.scope == "file" else "run"
    return (
        f"## `{option.name}`\n\n{option.doc}\n\n- {kind[0].upper()}{kind[1:]}; default: {shown}\n- decided by: {decides}\n\n"
        f"```toml\n{option.example}\n```\n"
    )


def schema() -> dict[str, Any]:
    """A JSON schema of a configuration file (draft 2020-12)."""
    keys = {option.name: {"description": option.doc, **_type(option)} for option in OPTIONS.values()}
    extend = {"description": "Another configuration file that lies below this one.", **_TEXT}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "torchdet-lint",
        "description": "torchdet-lint.toml, or the table tool.torchdet-lint of pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {"extend": extend, **keys},
    }


def _type(option: Option) -> dict[str, Any]:
    simple: dict[str, dict[str, Any]] = {
        "flag": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 0},
        "version": {"type": "string", "pattern": r"^\d+(\.\d+){0,2}$"},
        "path": _TEXT,
        "ignores": {"type": "object", "additionalProperties": _TEXTS},
        "severities": {"type": "object", "additionalProperties": {"enum": list(option.choices)}},
        "table": {"type": "object"},
    }
    if option.kind == "choice":
        return {"enum": list(option.choices)}
    return simple.get(option.kind, _TEXTS)


def main(arguments: Sequence[str]) -> int:
    if list(arguments) not in ([], ["--check"]):
        print("usage: python -m torchdet_lint.config.reference [--check]", file=sys.stderr)
        return 2
    docs = Path(__file__).parents[2] / "docs"
    texts = {
        "configuration.md": page(),
        "configuration.schema.json": json.dumps(schema(), indent=2, ensure_ascii=False) + "\n",
    }
    outdated = 0
    for name, text in texts.items():
        path = docs / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            outdated += 1
            print(f"docs/{name} is outdated" if arguments else f"docs/{name}")
            if not arguments:
                path.write_text(text, encoding="utf-8")
    return 1 if arguments and outdated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
