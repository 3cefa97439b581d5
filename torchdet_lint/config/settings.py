"""What can be configured: one field of `Settings` for each key, with its kind, default and meaning.

This is the only list of keys. Validation, merging, `--show-settings` and the documentation are made from it, so a new key
is a new field here and the code that obeys it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, NamedTuple

from torchdet_lint.config.globs import Anchored
from torchdet_lint.finding import CONFIDENCES, SEVERITIES

OUTPUT_FORMATS = (
    "full", "concise", "grouped", "json", "json-lines", "github", "sarif", "gitlab", "rdjson", "rdjsonl", "junit", "pylint",
    "markdown", "html",
)  # fmt: skip

DEFAULT_EXCLUDES = (
    ".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache",
    ".svn", ".torchdet_lint_cache", ".tox", ".venv", ".vscode", "__pycache__", "_build", "build", "buck-out", "dist",
    "node_modules", "site-packages", "venv",
)  # fmt: skip


class Option(NamedTuple):
    """One key: its TOML name, the kind of its value, what it means, and whose configuration decides.

    `scope` is "file" where the configuration closest to each file decides, "project" where that of the run's root does.
    """

    name: str
    kind: str
    doc: str
    scope: str
    choices: tuple[str, ...] = ()
    example: str = ""

    @property
    def key(self) -> str:
        """The name of the field of `Settings`."""
        return self.name.replace("-", "_")


class PerFile(NamedTuple):
    """One line of `per-file-ignores`."""

    glob: Anchored
    selectors: tuple[str, ...]


class Table(NamedTuple):
    """A table that another room validates, with the file that it stands in (for messages)."""

    origin: str
    base: str
    values: Mapping[str, Any]


def _key(kind: str, default: Any, scope: str, doc: str, example: str, choices: tuple[str, ...] = ()) -> Any:
    return field(
        default=default, metadata={"kind": kind, "scope": scope, "doc": doc, "example": example, "choices": choices}
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """Every value in force for one file or one run. `origins` says, for each key that is not at its default, who set it."""

    select: tuple[str, ...] | None = _key(
        "selectors", None, "file",
        "The rules to run: codes, code prefixes, family names, rule names or `ALL`. Without it, the rules that are on by "
        "default. It replaces what a base configuration selects and ignores.",
        'select = ["TDL0", "data-loading", "cudnn-benchmark"]',
    )  # fmt: skip
    extend_select: tuple[str, ...] = _key(
        "selectors", (), "file", "Rules to run besides those selected.", 'extend-select = ["TDL209", "TDL601"]'
    )
    ignore: tuple[str, ...] = _key("selectors", (), "file", "Rules not to run.", 'ignore = ["TDL403"]')
    per_file_ignores: tuple[PerFile, ...] = _key(
        "ignores", (), "file", "Rules not to run on the files that a glob matches.",
        'per-file-ignores = { "scripts/**" = ["TDL2"], "bench_*.py" = ["ALL"] }',
    )  # fmt: skip
    fixable: tuple[str, ...] = _key(
        "selectors", ("ALL",), "file", "The rules whose findings are fixed.", 'fixable = ["TDL105", "TDL9"]'
    )
    unfixable: tuple[str, ...] = _key(
        "selectors", (), "file", "Rules whose findings are not fixed.", 'unfixable = ["TDL203"]'
    )
    severity: tuple[tuple[str, str], ...] = _key(
        "severities", (), "file", "Another severity for the findings of a rule, whatever it would say itself.",
        'severity = { TDL101 = "error", TDL302 = "note" }', SEVERITIES,
    )  # fmt: skip
    min_severity: str = _key(
        "choice",
        SEVERITIES[0],
        "file",
        "Findings below this severity are not shown.",
        'min-severity = "warning"',
        SEVERITIES,
    )
    min_confidence: str = _key(
        "choice",
        CONFIDENCES[0],
        "file",
        "Findings below this confidence are not shown.",
        'min-confidence = "medium"',
        CONFIDENCES,
    )
    fail_on: str = _key(
        "choice",
        "warning",
        "project",
        "The least severity that makes the exit status 1.",
        'fail-on = "error"',
        SEVERITIES,
    )
    exclude: tuple[Anchored, ...] = _key(
        "globs", tuple(Anchored("", name) for name in DEFAULT_EXCLUDES), "project",
        "Files and folders that are not looked into. It replaces the default list.", 'exclude = ["third_party", "src/gen/*.py"]',
    )  # fmt: skip
    extend_exclude: tuple[Anchored, ...] = _key(
        "globs",
        (),
        "project",
        "Files and folders that are not looked into, besides `exclude`.",
        'extend-exclude = ["notebooks/old"]',
    )
    force_exclude: bool = _key(
        "flag",
        False,
        "project",
        "Whether exclusions hold for files that are named on the command line too.",
        "force-exclude = true",
    )
    respect_gitignore: bool = _key(
        "flag", True, "project", "Whether what `.gitignore` files name is left out.", "respect-gitignore = false"
    )
    target_torch: str | None = _key(
        "version", None, "project",
        "The torch version that the code runs on. Without it: the bound of the project's own dependency, else the installed "
        "torch, else the newest that the tables know.", 'target-torch = "2.6"',
    )  # fmt: skip
    entry_points: tuple[Anchored, ...] = _key(
        "entries", (), "project",
        "Programs besides those that are found: globs of files, or `package.module:function`.",
        'entry-points = ["jobs/*.py", "mypkg.cli:train"]',
    )  # fmt: skip
    tests_are_programs: bool = _key(
        "flag", False, "project", "Whether test files count as programs.", "tests-are-programs = true"
    )
    src: tuple[Anchored, ...] = _key(
        "paths", (Anchored("", "."), Anchored("", "src")), "project",
        "The folders that imports are resolved from, besides each script's own.", 'src = ["lib", "src"]',
    )  # fmt: skip
    apis: tuple[Table, ...] = _key(
        "table", (), "project", "What this project's own or third-party callables do, in the form of the bundled API tables.",
        'apis.api = [{ names = "mylib.fix_seeds", role = "seeder", seeds = ["torch", "numpy"] }]',
    )  # fmt: skip
    extend_apis: tuple[Anchored, ...] = _key(
        "paths", (), "project", "API tables in files of their own, in the form of the bundled ones: paths or globs.",
        'extend-apis = ["lint/apis.toml"]',
    )  # fmt: skip
    extend_rules: tuple[Anchored, ...] = _key(
        "paths", (), "project", "Rule files of the project: paths or globs.", 'extend-rules = ["lint/*.toml"]'
    )
    unsafe_fixes: bool = _key(
        "flag", False, "project", "Whether `--fix` also makes fixes that change results, order or speed, or can raise.",
        "unsafe-fixes = true",
    )  # fmt: skip
    output_format: str = _key(
        "choice", OUTPUT_FORMATS[0], "project", "The form of the report.", 'output-format = "concise"', OUTPUT_FORMATS
    )
    cache_dir: Anchored | None = _key(
        "path", None, "project",
        "Where results are kept between runs (by default in `.torchdet_lint_cache`, in the root of the project).",
        'cache-dir = "~/.cache/torchdet-lint"',
    )  # fmt: skip
    jobs: int = _key("count", 0, "project", "Worker processes; 0 means as many as there are processors.", "jobs = 4")
    origins: tuple[tuple[str, tuple[str, ...]], ...] = ()
    config_file: str | None = None

    def origin(self, key: str) -> str:
        """Who set the value of `key` (a field name): "default", or files and command-line options from low to high."""
        return ", ".join(dict(self.origins).get(key, ())) or "default"


def _options() -> dict[str, Option]:
    found = {}
    for each in fields(Settings):
        if "kind" in each.metadata:
            name = each.name.replace("_", "-")
            found[name] = Option(name, **each.metadata)
    return found


OPTIONS: dict[str, Option] = _options()
"""Every key by its TOML name, in the order of the documentation."""

DEFAULTS: dict[str, Any] = {
    each.name: each.default for each in fields(Settings) if "kind" in each.metadata and each.default is not MISSING
}
