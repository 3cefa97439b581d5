from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torchdet_lint.config import Anchored, ConfigError, Settings, SettingsFor, inline, layer, show

Tree = Callable[[dict[str, str]], Path]
TABLE = "[tool.torchdet-lint]\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Writes files below a folder, which becomes the working directory."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return write


def message(files: dict[str, str], tree: Tree) -> str:
    tree(files)
    with pytest.raises(ConfigError) as raised:
        SettingsFor(".")
    return str(raised.value)


def test_without_files_everything_is_at_its_default(tree: Tree) -> None:
    root = tree({"a.py": ""})
    settings = SettingsFor(".", ["a.py"])("a.py")
    assert settings.origins == ()
    assert settings.config_file is None
    assert settings.select is None
    assert settings.src == (Anchored(str(root), "."), Anchored(str(root), "src"))
    assert Anchored(str(root), ".venv") in settings.exclude


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("torchdet-lint.toml", ".torchdet-lint.toml", "pyproject.toml"), "torchdet-lint.toml"),
        ((".torchdet-lint.toml", "pyproject.toml"), ".torchdet-lint.toml"),
        (("pyproject.toml",), "pyproject.toml"),
    ],
)
def test_which_file_of_a_folder_counts(tree: Tree, names: tuple[str, ...], expected: str) -> None:
    root = tree({name: (TABLE if name == "pyproject.toml" else "") + "jobs = 3\n" for name in names})
    settings = SettingsFor(".").project
    assert settings.config_file == str(root / expected)
    assert settings.origin("jobs").startswith(expected)


def test_the_closest_file_decides_what_concerns_files_and_the_run_what_concerns_projects(tree: Tree) -> None:
    tree(
        {
            "pyproject.toml": TABLE + 'ignore = ["TDL1"]\ntarget-torch = "2.4"\nmin-severity = "warning"\n',
            "sub/torchdet-lint.toml": 'ignore = ["TDL2"]\ntarget-torch = "2.6"\n',
            "sub/deep/pyproject.toml": "[tool.other]\nx = 'torchdet-lint'\n",
            "sub/deep/a.py": "",
            "b.py": "",
        }
    )
    for paths in ([], ["sub/deep/a.py"], ["sub", "b.py"]):
        settings_for = SettingsFor(".", paths)
        inner, outer = settings_for("sub/deep/a.py"), settings_for("b.py")
        assert (inner.ignore, inner.min_severity) == (("TDL2",), "note")
        assert (outer.ignore, outer.min_severity) == (("TDL1",), "warning")
        assert inner.target_torch == outer.target_torch == settings_for.project.target_torch == "2.4"
        assert inner.origin("target_torch") == "pyproject.toml: [tool.torchdet-lint]"
        assert settings_for("sub/deep/other.py") is inner
        assert settings_for.notices == [
            "sub/torchdet-lint.toml: `target-torch` holds for whole runs; this one takes it from pyproject.toml"
        ]


def test_what_an_inner_configuration_has_from_the_outer_one_is_not_said_in_vain(tree: Tree) -> None:
    tree(
        {
            "torchdet-lint.toml": "jobs = 2\n",
            "sub/torchdet-lint.toml": 'extend = "../torchdet-lint.toml"\n',
            "sub/a.py": "",
        }
    )
    settings_for = SettingsFor(".", overrides=(layer("--target-torch", "/", {"target-torch": "2.6"}),))
    assert settings_for("sub/a.py").target_torch == "2.6"
    assert settings_for.notices == []


def test_a_mark_at_the_start_of_a_file_is_passed_over(tree: Tree) -> None:
    tree({"torchdet-lint.toml": "\ufeffjobs = 2\n"})
    assert SettingsFor(".").project.jobs == 2


def test_paths_elsewhere_are_under_their_own_configuration(tree: Tree) -> None:
    root = tree({"one/a.py": "", "two/torchdet-lint.toml": "jobs = 2\n", "two/x/b.py": "", "two/c.py": ""})
    assert SettingsFor(".", ["two/x/b.py", "two/c.py"]).project.jobs == 2
    assert SettingsFor("one", [str(root / "two/x")]).project.jobs == 2
    assert SettingsFor("one", [str(root / "two/x")]).root == str(root / "two")
    assert SettingsFor(".", ["two/x", "one"]).project.jobs == 0


def test_no_toml_parser_is_imported_without_a_file(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree({"pyproject.toml": "this is not even [TOML"})
    monkeypatch.delitem(sys.modules, "tomllib", raising=False)
    SettingsFor(".")
    assert "tomllib" not in sys.modules


def test_extend_layers_by_layers(tree: Tree) -> None:
    tree(
        {
            "base.toml": 'extend-exclude = ["gen"]\nignore = ["TDL1"]\njobs = 2\nseverity = { TDL101 = "note", TDL102 = "note" }\n',
            "mid/pyproject.toml": TABLE
            + 'extend = "../base.toml"\nextend-exclude = ["old"]\nextend-select = ["TDL209"]\njobs = 3\n',
            "top/torchdet-lint.toml": 'extend = "../mid/pyproject.toml"\nseverity.TDL101 = "error"\nignore = ["TDL4"]\n',
        }
    )
    settings = SettingsFor("top").project
    assert [(Path(glob.base).name, glob.text) for glob in settings.extend_exclude][1:] == [("mid", "old")]
    assert dict(settings.severity) == {"TDL101": "error", "TDL102": "note"}
    assert settings.ignore == ("TDL1", "TDL4")
    assert settings.extend_select == ("TDL209",)
    assert settings.jobs == 3
    assert settings.origin("jobs").endswith("mid/pyproject.toml: [tool.torchdet-lint]")
    assert settings.origin("ignore").count(", ") == 1


def test_select_starts_anew_and_the_upper_layer_has_the_last_word(tree: Tree) -> None:
    tree(
        {
            "base.toml": 'select = ["TDL1"]\nextend-select = ["TDL5"]\nignore = ["TDL101"]\n',
            "torchdet-lint.toml": 'extend = "base.toml"\n',
        }
    )

    def chosen(*options: tuple[str, list[str]]) -> tuple[object, ...]:
        layers = tuple(layer(f"--{key}", "/", {key: value}) for key, value in options)
        settings = SettingsFor(".", overrides=layers).project
        return settings.select, settings.extend_select, settings.ignore

    assert chosen() == (("TDL1",), ("TDL5",), ("TDL101",))
    assert chosen(("select", ["TDL101"])) == (("TDL101",), (), ())
    assert chosen(("select", ["TDL2"]), ("ignore", ["TDL201"])) == (("TDL2",), (), ("TDL201",))
    assert chosen(("extend-select", ["TDL101"])) == (("TDL1",), ("TDL5", "TDL101"), ())
    assert chosen(("ignore", ["TDL5"])) == (("TDL1",), (), ("TDL101", "TDL5"))


def test_apis_keep_the_file_that_they_stand_in(tree: Tree) -> None:
    tree(
        {
            "base.toml": '[[apis.api]]\nnames = "a.b"\n',
            "torchdet-lint.toml": 'extend = "base.toml"\n[[apis.api]]\nnames = "c.d"\n',
        }
    )
    tables = SettingsFor(".").project.apis
    assert [(table.origin, table.values["api"][0]["names"]) for table in tables] == [
        ("base.toml", "a.b"),
        ("torchdet-lint.toml", "c.d"),
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"pyproject.toml": TABLE + 'slect = ["TDL1"]\n'},
            "pyproject.toml: [tool.torchdet-lint]: unknown key `slect`; did you mean `select`?",
        ),
        ({"torchdet-lint.toml": "jobs = 1\nselect [\n"}, "torchdet-lint.toml:2:8: invalid TOML: Expected"),
        ({"torchdet-lint.toml": "jobs = 1\nselect = [\n"}, "torchdet-lint.toml:2: invalid TOML: Invalid value (at end"),
        (
            {"torchdet-lint.toml": TABLE},
            "torchdet-lint.toml: keys stand at the top level here; remove [tool.torchdet-lint]",
        ),
        (
            {"pyproject.toml": 'tool.torchdet-lint = "x"\n'},
            "`tool.torchdet-lint` must be a table; write [tool.torchdet-lint]",
        ),
        (
            {"torchdet-lint.toml": 'extend = "b.toml"\n'},
            "torchdet-lint.toml: `extend` names b.toml, and there is no such file",
        ),
        (
            {"torchdet-lint.toml": 'extend = ["b.toml"]\n'},
            'must be the path of one file; write extend = "../base.toml"',
        ),
        (
            {"torchdet-lint.toml": 'extend = "b.toml"\n', "b.toml": 'extend = "torchdet-lint.toml"\n'},
            "torchdet-lint.toml: `extend` goes round in a circle: torchdet-lint.toml → b.toml → torchdet-lint.toml",
        ),
        ({"torchdet-lint.toml": 'extend = "torchdet-lint.toml"\n'}, "`extend` goes round in a circle"),
    ],
)
def test_messages(tree: Tree, files: dict[str, str], expected: str) -> None:
    found = message(files, tree)
    assert expected in found
    assert "\n" not in found


def test_a_file_that_is_not_text(tree: Tree) -> None:
    (tree({}) / "torchdet-lint.toml").write_bytes(b"jobs = 1 # \xff")
    with pytest.raises(ConfigError, match=r"^torchdet-lint\.toml: not UTF-8 \(byte 11\)"):
        SettingsFor(".")


def test_a_given_file_replaces_all_others_and_isolated_reads_none(tree: Tree) -> None:
    tree(
        {
            "torchdet-lint.toml": "jobs = 1\n",
            "sub/torchdet-lint.toml": "jobs = 2\n",
            "other.toml": "jobs = 3\n",
            "sub/a.py": "",
        }
    )
    assert SettingsFor(".", config_file="other.toml")("sub/a.py").config_file is not None
    assert SettingsFor(".", config_file="other.toml").project.jobs == 3
    assert SettingsFor(".", isolated=True)("sub/a.py").origins == ()
    with pytest.raises(ConfigError, match=r"^none\.toml: no such configuration file$"):
        SettingsFor(".", config_file="none.toml")


def test_inline_values() -> None:
    assert inline('severity.TDL101="note"', "/").values == {"severity": (("TDL101", "note"),)}
    assert inline("jobs = 2", "/").origin == "--config jobs = 2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("min-severity=error", """VALUE is TOML, and strings need quotes; write --config 'min-severity="error"'"""),
        ("jobs", "--config jobs: invalid TOML: Expected"),
        ("jobs=", "--config jobs=: invalid TOML: Invalid"),
        ("job=1", "--config job=1: unknown key `job`; did you mean `jobs`?"),
    ],
)
def test_inline_messages(text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as raised:
        inline(text, "/")
    assert expected in str(raised.value)


def test_show_says_every_value_and_who_set_it(tree: Tree) -> None:
    tree(
        {
            "torchdet-lint.toml": 'severity.TDL101 = "note"\nper-file-ignores = { "t/*" = ["ALL"] }\nforce-exclude = true\n'
        }
    )
    lines = show(SettingsFor(".").project).splitlines()
    assert 'severity = { "TDL101" = "note" }  # torchdet-lint.toml' in lines
    assert 'per-file-ignores = { "t/*" = ["ALL"] }  # torchdet-lint.toml' in lines
    assert "force-exclude = true  # torchdet-lint.toml" in lines
    assert "jobs = 0  # default" in lines
    assert "select = (not set)  # default" in lines
    assert len(lines) == sum("kind" in field.metadata for field in Settings.__dataclass_fields__.values())
