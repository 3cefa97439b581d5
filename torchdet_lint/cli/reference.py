"""The reference of the command line: `python -m torchdet_lint.cli.reference` writes docs/commands.md from the commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from torchdet_lint.cli.app import app

_HEAD = """\
<!-- Generated from the command line by `python -m torchdet_lint.cli.reference`; do not edit. -->

# Commands

`torchdet-lint PATHS` is `torchdet-lint check PATHS`. Exit status: 0 nothing that fails the run, 1 findings at or above
`--fail-on`, 2 trouble, 130 interrupted. `-h` and `--help` show what stands here; a shell can [complete](#completion) it.
"""


def page() -> str:
    """The whole reference."""
    return "\n".join((_HEAD, *(_section(command, name) for name, command in commands())))


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, by the words that call it; `verify --probe` is one of its own."""
    context = click.Context(app, info_name="torchdet-lint")
    yield from _below(app, context, "")
    probe = app.get_command(context, "probe")
    if probe is not None:
        yield "verify --probe", probe


def _below(group: click.Group, context: click.Context, prefix: str) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _below(command, click.Context(command, info_name=name, parent=context), f"{prefix}{name} ")
        elif command is not None and not command.hidden:
            yield f"{prefix}{name}", command


def _section(command: click.Command, name: str) -> str:
    """One command. The words are put together here, since click puts them together in another way with every version."""
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    usage = " ".join(
        ("torchdet-lint", name, "[OPTIONS]", *(each.metavar or (each.name or "").upper() for each in arguments))
    )
    lines = [f"## {name}", "", "```", usage, "```", "", *_prose(command.help or ""), ""]
    rows = [_row(each) for each in command.params if isinstance(each, click.Option) and not each.hidden]
    if rows:
        lines += ["| option | |", "|---|---|", *(f"| {left} | {right} |" for left, right in rows), ""]
    return "\n".join(lines)


def _prose(text: str) -> Iterator[str]:
    """The help text of a command; click joins its lines, and so does Markdown."""
    for line in text.replace("\b\n", "").strip().splitlines():
        yield line.strip()


def _row(option: click.Option) -> tuple[str, str]:
    names = ", ".join((*option.opts, *option.secondary_opts))
    value = option.metavar or ("" if option.is_flag else _value(option.type))
    told = " ".join((option.help or "").split())
    if option.show_default and isinstance(option.default, str | int):
        told += f" Default: `{option.default}`."
    joined = f"{names}{value}" if value.startswith("[=") else f"{names} {value}".rstrip()
    return f"`{joined}`".replace("|", "\\|"), told.replace("|", "\\|")


def _value(kind: object) -> str:
    return (
        "|".join(map(str, kind.choices))
        if isinstance(kind, click.Choice)
        else "N"
        if isinstance(kind, click.IntRange)
        else "TEXT"
    )


def main(arguments: Sequence[str]) -> int:
    if list(arguments) not in ([], ["--check"]):
        print("usage: python -m torchdet_lint.cli.reference [--check]", file=sys.stderr)
        return 2
    path, text = Path(__file__).parents[2] / "docs" / "commands.md", page()
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    print("docs/commands.md is outdated" if arguments else "docs/commands.md")
    if arguments:
        return 1
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
