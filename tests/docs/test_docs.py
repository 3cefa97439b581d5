"""What the guide shows works, and where it points to exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from torchdet_lint.config import SettingsFor
from torchdet_lint.config.files import parse
from torchdet_lint.config.validate import layer
from torchdet_lint.engine import run
from torchdet_lint.engine.options import Options, Stdin

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"), *ROOT.glob("*.md")])
GUIDE = [page for page in PAGES if page.parent in (ROOT / "docs", ROOT)]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a link can lead to inside of a page: its headings, as GitHub names them, the second of a name with a number."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        names.add(f"{slug}-{found[slug]}" if slug in found else slug)
        found[slug] = found.get(slug, 0) + 1
    return names | set(re.findall(r"<a (?:name|id)=\"([^\"]+)\"", text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = prose(page)
    targets = re.findall(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)", text)
    targets += re.findall(r"^\[[^\]]+\]:\s*(\S+)", text, re.MULTILINE)
    targets += re.findall(r"(?:href|src)=\"([^\"]+)\"", text)
    for target in targets:
        parts = urlsplit(target)
        if parts.scheme:
            assert parts.scheme in ("https", "mailto"), target
            assert re.fullmatch(r"[\w.-]+\.\w{2,}", parts.netloc) or parts.scheme == "mailto", target
            continue
        path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        assert path.exists(), target
        assert path.is_relative_to(ROOT), target
        if parts.fragment:
            assert parts.fragment in anchors(path), target


def test_every_external_address_is_one() -> None:
    for page in PAGES:
        for address in re.findall(r"<(https?:[^>\s]*)>", prose(page)):
            assert re.fullmatch(r"https://[\w.-]+\.\w{2,}(/\S*)?", address), (page.name, address)


def test_every_page_of_the_guide_is_on_its_first_page() -> None:
    listed = re.findall(r"\]\(([^)\s]+)\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    pages |= {f"decisions/{page.name}" for page in (ROOT / "docs" / "decisions").glob("*.md")}
    assert pages | {"rules/README.md"} <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    "code", blocks(ROOT / "docs" / "repeatable-run.md", "python"), ids=lambda code: code.strip().splitlines()[0]
)
def test_what_the_guide_tells_to_write_is_clean(code: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    settings = SettingsFor(str(tmp_path), isolated=True)
    stdin = Stdin("train.py", code.encode())
    found = run(Options(paths=(), settings=settings, stdin=stdin, jobs=1, cwd=str(tmp_path)))
    assert [finding.message for finding in found.findings if finding.severity != "note"] == []
    assert found.files == ("train.py",)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: str(page.relative_to(ROOT)))
def test_configurations_that_are_shown_are_valid(page: Path) -> None:
    for text in blocks(page, "toml"):
        document = parse(text, page.name)
        table = document.get("tool", {}).get("torchdet-lint", document if page.name == "configuration.md" else {})
        layer(page.name, "/", table)


def test_the_picture_of_a_terminal_shows_what_a_run_says() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "terminal_svg.py"), "--check"]
    found = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_no_picture_is_large() -> None:
    pictures = [*(ROOT / "docs").glob("*.png"), *(ROOT / "docs").glob("*.svg")]
    assert pictures
    assert all(picture.stat().st_size < 200_000 for picture in pictures)
