"""What a run takes from the project beside its code: entry points, API tables, versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.conftest import Lint, Tree, brief, options
from torchdet_lint.catalog.versions import NEWEST_TORCH, exactly, series
from torchdet_lint.config import ConfigError
from torchdet_lint.engine import programs
from torchdet_lint.engine.scripts import scripts
from torchdet_lint.engine.tables import apis_for
from torchdet_lint.engine.versions import versions_by_file
from torchdet_lint.project.modules import Project
from torchdet_lint.source import load


def declared(root: Path, *config: str, sources: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
    files = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    project = Project([load(str(root / file), display=file) for file in files], lambda _source, _unit: ())
    return scripts(str(root), project, options(config=config).settings.project, sources)


CODE = {"src/app/__init__.py": "from .cli import main\n", "src/app/cli.py": "def main(): pass\ndef other(): pass\n"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project.scripts]\ntrain = "app:main"\n'),
        ("pyproject.toml", '[project.gui-scripts]\ntrain = "app.cli : main [extra]"\n'),
        ("pyproject.toml", '[tool.poetry.scripts]\ntrain = "app.cli:main"\nx = 3\n'),
        ("pyproject.toml", '[tool.poetry.scripts]\ntrain = { reference = "app.cli:main", type = "console" }\n'),
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    train = app.cli:main\n    bad\n"),
        ("setup.py", "setup(name='x', entry_points={'console_scripts': ['train = app.cli:main', 'bad']})\n"),
        (
            "setup.py",
            "entries = dict(x=[], gui_scripts=[\n    'train=app.cli:main',\n])\nsetup(entry_points=entries)\n",
        ),
        ("setup.py", "setup(entry_points='''\n[console_scripts]\ntrain = app.cli:main\n[other]\nx = y:z\n''')\n"),
    ],
)
def test_declared_scripts(tree: Tree, name: str, text: str) -> None:
    assert declared(tree({**CODE, name: text})) == (("src/app/cli.py", "main"),)
    nested = tree({f"libs/one/{path}": content for path, content in {**CODE, name: text}.items()} | {name: ""})
    assert ("libs/one/src/app/cli.py", "main") in declared(nested)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project.scripts\n"),
        ("pyproject.toml", 'project = "scripts"\n'),
        ("pyproject.toml", '[project.scripts]\ntrain = "elsewhere:main"\nx = ["a"]\ny = "no function"\n'),
        ("setup.cfg", "console_scripts\n"),
        ("setup.py", "# console_scripts are none\nsetup(extras={'x = app.cli:main': ['y']})\n"),
    ],
)
def test_metadata_that_says_nothing(tree: Tree, name: str, text: str) -> None:
    assert declared(tree({**CODE, name: text})) == ()


def test_configured_entry_points(tree: Tree) -> None:
    root = tree({**CODE, "jobs/a.py": "", "jobs/deep/b.py": "", "lib/tool.py": "def go(): pass\n"})
    assert declared(root, 'entry-points=["jobs/*.py", "app.cli:other"]') == (
        ("jobs/a.py", ""),
        ("src/app/cli.py", "other"),
    )
    assert declared(root, 'entry-points=["tool:go"]', sources=("lib",)) == (("lib/tool.py", "go"),)
    for entry, kind in (("jobs/x*.py", "file"), ("app.nope:main", "function")):
        with pytest.raises(ConfigError) as caught:
            declared(root, f'entry-points=["{entry}"]')
        assert str(caught.value).endswith(f": `entry-points` names {entry}, and the project has no such {kind}")


def test_entry_points_become_programs(tree: Tree, lint: Lint) -> None:
    code = "import torch\n\n\ndef main():\n    torch.rand(2).backward()\n    print(torch.rand(2))\n"
    tree({"app.py": code, "pyproject.toml": ""})
    assert (brief(lint(config=('select=["TDL001"]',))), lint().programs) == ([], 0)
    tree({"pyproject.toml": '[project.scripts]\ngo = "app:main"\n'})
    result = lint(config=('select=["TDL001"]',))
    assert (brief(result), result.programs) == (["app.py:5 TDL001"], 1)
    assert result.findings[0].program == "app.py"
    [card] = programs(options()).cards
    assert (card.path, card.kind, card.name) == ("app.py", "entry point", "app:main")


@pytest.mark.parametrize(
    ("start", "command"),
    [
        (
            "import click\n@click.group()\ndef main(): pass\n",
            "@main.command(help='x')\n@click.option('--n', default=3)\n",
        ),
        ("import typer\nmain = typer.Typer()\n", "@main.command()\n"),
    ],
)
def test_the_commands_of_a_group_are_run_by_its_script(tree: Tree, lint: Lint, start: str, command: str) -> None:
    code = f"{start}{command}def go(n):\n    import torch\n    torch.save(torch.rand(n), 'f')\n"
    setup = "from setuptools import setup\nsetup(entry_points={'console_scripts': ['g = app:main']})\n"
    tree({"app.py": code, "setup.py": setup})
    result = lint("app.py", config=('select=["TDL001"]',))
    assert [(each.location.path, each.code) for each in result.findings] == [("app.py", "TDL001")]


def test_layers_of_tables_add_up(tree: Tree) -> None:
    tree({
        "base.toml": '[apis]\ndefaults = { role = "seeder" }\naliases = { "l" = "lib" }\n'
        'api = [{ names = "lib.fix", seeds = "torch" }]\n',
        "torchdet-lint.toml": 'extend = "base.toml"\n[apis]\n'
        'api = [{ names = "lib.fix", seeds = "torch numpy" }, { names = "lib.pick", role = "draw", draws = "python" }]\n',
    })  # fmt: skip
    apis = apis_for(options().settings.project)
    fix, pick = apis.get("l.fix"), apis.get("lib.pick")
    assert fix is not None
    assert pick is not None
    assert (fix.role, fix.seeds, pick.role, pick.draws) == ("seeder", ("torch", "numpy"), "draw", ("python",))


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ('api = [{ names = "a.b", role = "seedr" }]', '[[api]] number 1: `role` is "seedr", but must be one of '),
        ('apis = "x"', "unknown key `apis`"),
        ("api = 3", "`api` must be a list"),
    ],
)
def test_a_wrong_table_names_its_file(tree: Tree, lint: Lint, base: str, message: str) -> None:
    tree({"base.toml": f"[apis]\n{base}\n", "torchdet-lint.toml": 'extend = "base.toml"\n[apis]\naliases = {}\n'})
    with pytest.raises(ConfigError) as caught:
        lint()
    assert str(caught.value).startswith(f"base.toml: `apis`: {message}")
    assert "\n" not in str(caught.value)
    tree({"torchdet-lint.toml": f"[apis]\n{base}\n"})
    with pytest.raises(ConfigError, match=r"^torchdet-lint\.toml: `apis`: "):
        lint()


def test_tables_of_the_configuration_reach_the_checks(tree: Tree, lint: Lint) -> None:
    tree({"a.py": "import random, lib\nlib.fix()\nprint(random.random())\n", "torchdet-lint.toml": ""})
    assert brief(lint(config=('select=["TDL003"]',))) == ["a.py:3 TDL003"]
    tree({"torchdet-lint.toml": 'apis.api = [{ names = "lib.fix", role = "seeder", seeds = ["python"] }]\n'})
    assert brief(lint(config=('select=["TDL003"]',))) == []


def test_versions_come_from_the_nearest_bound(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(
        {"requirements.txt": "torch==2.1.0\nnumpy<2\n", "sub/requirements.txt": "torch==1.8.1\n", "other/x.py": ""}
    )
    versions = versions_by_file(str(root), None)
    assert versions("a.py")["torch"] == versions("other/x.py")["torch"] == exactly((2, 1))
    assert versions("sub/deep/a.py")["torch"] == exactly((1, 8, 1))
    assert versions("sub/deep/a.py")["numpy"] == versions("a.py")["numpy"]
    assert versions_by_file(str(root), "2.6")("sub/a.py")["torch"] == series("2.6")


def test_without_a_bound_the_installed_torch_counts_then_the_newest(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchdet_lint.catalog import bounds

    root = str(tree({}))
    monkeypatch.setattr(bounds, "installed", lambda _name: None)
    assert versions_by_file(root, None)("a.py")["torch"] == series(NEWEST_TORCH)
    monkeypatch.setattr(bounds, "installed", lambda _name: exactly((2, 2)))
    assert versions_by_file(root, None)("a.py")["torch"] == exactly((2, 2))
