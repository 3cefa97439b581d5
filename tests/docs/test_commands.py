"""What pages say about the command line is what the command line takes, and the other way round."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from torchdet_lint.cli.reference import commands, main, page
from torchdet_lint.config import OUTPUT_FORMATS

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    if path.name != "commands.md"
]
FILES = [
    *PAGES,
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
    ROOT / "Makefile",
    *sorted((ROOT / "templates").iterdir()),
    ROOT / "torchdet_lint" / "setup" / "hooks.py",
    ROOT / "torchdet_lint" / "setup" / "workflows.py",
]
COMMANDS = dict(commands())

_CALL = re.compile(
    r"(?<![\w./@=\"'-])torchdet-lint((?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s|<>#`&;\"']+|=\"[^\"\n]*\"))*)"
)


def options_of(command: click.Command) -> dict[str, click.Option]:
    """Every spelling of every option."""
    found = {"--help": click.Option(["--help"]), "-h": click.Option(["-h"])}
    for each in command.params:
        if isinstance(each, click.Option):
            found.update(dict.fromkeys((*each.opts, *each.secondary_opts), each))
    return found


def code(path: Path) -> Iterator[str]:
    """What stands in code on a page; all of a file that is no page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md":
        yield text.replace("\\\n", " ")
        return
    yield from re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    yield from re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def calls(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands that a file names, with their arguments."""
    for text in code(path):
        for found in _CALL.finditer(text):
            words = shlex.split(found[1])
            own = words[: words.index("--")] if "--" in words else words
            name = next(
                (each for each in ("baseline write", "baseline prune") if each.split() == own[:2]),
                own[0] if own else "",
            )
            if name == "verify" and "--probe" in own:
                yield "verify --probe", [each for each in own[1:] if each != "--probe"]
            elif name in COMMANDS:
                yield name, own[len(name.split()) :]
            else:
                yield "check", own


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_written_can_be_run(path: Path) -> None:
    for name, arguments in calls(path):
        known = options_of(COMMANDS[name])
        for at, word in enumerate(arguments):
            option, given, value = word.partition("=")
            if not option.startswith("-") or option in ("-", "--version"):
                continue
            assert option in known, f"torchdet-lint {name} {word}"
            kind = known[option].type
            follows = value if given else arguments[at + 1] if at + 1 < len(arguments) else ""
            if isinstance(kind, click.Choice) and follows.islower():
                assert follows in kind.choices, f"torchdet-lint {name} {word} {follows}"
            if option == "--output" and name == "check" and follows.islower() and "$" not in follows:
                assert follows.partition("=")[0] in OUTPUT_FORMATS, f"{word} {follows}"


FOREIGN = {"--epochs", "--global", "--seed", "--unshallow", "--workers"}
"""Options of programs that pages speak of."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_options_that_are_spoken_of_exist(path: Path) -> None:
    known = {option for command in COMMANDS.values() for option in options_of(command)} | FOREIGN
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for span in re.findall(r"(?<!`)`(--[^`\n]+)`(?!`)", text):
        assert re.split(r"[ =\[]", span)[0] in known, span


def test_the_reference_has_every_command_and_option() -> None:
    text = page()
    for name, command in COMMANDS.items():
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert f"torchdet-lint {name}" in section
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert all(f"`{spelled}" in section or f" {spelled}" in section for spelled in option.opts), option.name
    assert main(["--check"]) == 0


def test_hooks_that_pages_name_exist() -> None:
    hooks = set(re.findall(r"(?m)^- id: (\S+)", (ROOT / ".pre-commit-hooks.yaml").read_text()))
    for path in PAGES:
        named = re.findall(r"(?m)^\s*#?\s*- id: (torchdet-lint\S*)", "\n".join(code(path)))
        assert set(named) <= hooks, path.name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_yaml_that_is_shown_is_yaml(path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads it")
    for text in re.findall(r"^```yaml\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        assert yaml.safe_load(text)


def test_actions_that_pages_show_are_pinned() -> None:
    for path in PAGES:
        for used in re.findall(r"uses: (.*)", "\n".join(code(path))):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|OWNER/torchdet-lint@A-COMMIT-OF-IT", used), (
                used
            )
