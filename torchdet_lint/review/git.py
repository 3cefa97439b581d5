"""Questions to git, none of which writes anything: not to the work tree, not to the index, not to the repository.

`GIT_OPTIONAL_LOCKS=0` and `diff.autoRefreshIndex` keep git from refreshing the index on the way (git(1), git-config(1)).
A diff is asked for with every setting of the user's that changes its form turned off, and shows every file as text: what
attributes call binary (notebooks often) has findings like other code.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from torchdet_lint.review.errors import ReviewError

PATHS = (":(top)*.py", ":(top)*.pyi", ":(top)*.ipynb")
"""The files that findings can be in, as git's pathspecs."""

_PLAIN_DIFF = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--find-renames", "--unified=3", "--inter-hunk-context=0",
    "--submodule=short", "--text", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all", "--diff-algorithm=default",
    "-O/dev/null",
)  # fmt: skip
_SETTINGS = (
    "-c", "core.quotePath=false", "-c", "diff.suppressBlankEmpty=false", "-c", "diff.autoRefreshIndex=false",
)  # fmt: skip
_LONGEST = 300
"""Characters of what git says that a message repeats."""


class Repository(NamedTuple):
    """A repository and the place in it: `top` is the root of its work tree, `cwd` the working directory, and `prefix` the
    way from one to the other ("" or ending with "/").
    """

    top: str
    cwd: str
    prefix: str

    def git(self, *arguments: str, data: bytes | None = None) -> bytes:
        """What a command writes. Raises ReviewError with git's own words when it fails."""
        done = _run(self.cwd, arguments, data)
        if done.returncode != 0:
            raise ReviewError(f"git {arguments[0]} failed: {_said(done)}")
        return done.stdout

    def asks(self, *arguments: str) -> str | None:
        """What a command answers in one line, None where it fails."""
        done = _run(self.cwd, arguments)
        return done.stdout.decode("utf-8", "surrogateescape").strip() if done.returncode == 0 else None

    @property
    def shallow(self) -> bool:
        return self.asks("rev-parse", "--is-shallow-repository") == "true"


def repository(cwd: str) -> Repository:
    """The repository around a folder. Raises ReviewError where there is none, and where git is missing or refuses."""
    done = _run(cwd, ("rev-parse", "--show-toplevel", "--show-prefix"))
    if done.returncode != 0:
        said = _said(done)
        if "not a git repository" in said:
            raise ReviewError(f"{cwd} is in no git repository; review compares revisions (or give it a --diff)")
        raise ReviewError(f"git cannot be asked about {cwd}: {said}")
    top, prefix = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:2]
    return Repository(os.path.normpath(top), cwd, prefix)


def commit(repo: Repository, revision: str) -> str:
    """The full name of the commit that a revision means. Raises ReviewError, saying what to fetch in a shallow clone."""
    found = (
        repo.asks("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if revision
        else None
    )
    if found is not None:
        return found
    if repo.shallow:
        raise ReviewError(
            f"no commit {revision} in this shallow clone; {_FETCH} --unshallow origin`, or check out with depth 0"
        )
    known = repo.asks("remote")
    fetch = f"; if it is one of the remote, {_FETCH} origin {revision.removeprefix('origin/')}`" if known else ""
    raise ReviewError(f"no commit {revision} in this repository{fetch}")


_FETCH = "fetch it with `git fetch --no-tags"


def merge_base(repo: Repository, base: str, head: str) -> str:
    """The commit that the change starts from, as pull requests see it. Raises ReviewError where nothing is shared."""
    found = repo.asks("merge-base", base, head)
    if found:
        return found.split("\n")[0]
    short = base[:12]
    if repo.shallow:
        raise ReviewError(
            f"this shallow clone does not reach back to where {short} and {head[:12]} part; {_FETCH} --unshallow origin`, "
            "or check out with depth 0"
        )
    raise ReviewError(f"{short} and {head[:12]} share no history; name a --base that the change was made from")


def diff(repo: Repository, base: str, head: str | None, files: Sequence[str] = ()) -> bytes:
    """The unified diff from a commit to another, or to the work tree, of the files that findings can be in, and of `files`."""
    between = (base,) if head is None else (base, head)
    return repo.git("diff", *_PLAIN_DIFF, *between, "--", *PATHS, *_literal(files))


def untracked(repo: Repository, files: Sequence[str] = ()) -> list[str]:
    """The files, from the top, that a commit of everything would add."""
    listed = repo.git("ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", *PATHS, *_literal(files))
    return [name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name]


def is_dirty(repo: Repository) -> bool:
    """Whether the code in the work tree is another one than that of its commit."""
    changed = diff(repo, "HEAD", None)
    # Files whose time stamps alone are others are headers without anything below.
    return any(mark in changed for mark in (b"\n+++ ", b"\nrename to ", b"\nBinary files ")) or bool(untracked(repo))


def _literal(files: Sequence[str]) -> list[str]:
    return [f":(top,literal){file}" for file in files]


def _run(cwd: str, arguments: Sequence[str], data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    # No shell, revisions after `--end-of-options` or as full names, paths after `--`: nothing given becomes an option.
    command = ("git", *_SETTINGS, *arguments)
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(command, cwd=cwd, env=environment, input=data or b"", capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise ReviewError("there is no git to ask; install it, or give a --diff") from None
    except OSError as error:
        raise ReviewError(f"git cannot be run: {error.strerror}") from None


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git complains about."""
    lines = [line.strip() for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    text = next(
        (line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "no reason given"
    )
    return text.removeprefix("fatal: ").removeprefix("error: ")[:_LONGEST]
