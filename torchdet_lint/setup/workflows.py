"""A workflow for GitHub or GitLab: pull and merge requests are reviewed, the main branch is checked."""

from __future__ import annotations

import os
import re

from torchdet_lint.setup.step import Step, appended, place

GITHUB, GITLAB = "github", "gitlab"

_GITHUB = """\
name: torchdet-lint

on:
  pull_request:
  push:
    branches: [{branch}]

permissions:
  contents: read

jobs:
  torchdet-lint:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write  # for the comments; pull requests from forks get annotations instead
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          fetch-depth: 0  # a review looks at where the branches part
          persist-credentials: false
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0
        with:
          python-version: "3.12"
      - run: python -m pip install --quiet "{package}"
      - if: ${{ !github.event.pull_request }}
        run: torchdet-lint check --output-format github --output "markdown=$GITHUB_STEP_SUMMARY"
      - if: ${{ github.event.pull_request }}
        env:
          GITHUB_TOKEN: ${{ github.token }}
        run: torchdet-lint review --post --output "markdown=$GITHUB_STEP_SUMMARY"
"""

_GITLAB = """\
torchdet-lint:
  image: python:3.12
  variables:
    GIT_DEPTH: "0"  # a review looks at where the branches part
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - python -m pip install --quiet "{package}"
    - |
      if [ -z "${CI_MERGE_REQUEST_IID:-}" ]; then
        torchdet-lint check --output gitlab=gl-code-quality-report.json
      else
        torchdet-lint check --exit-zero --quiet --output gitlab=gl-code-quality-report.json --output-format concise
        if [ -n "${TORCHDET_LINT_GITLAB_TOKEN:-}" ]; then
          torchdet-lint review --post  # comments; the token is a project access token with scope `api`
        else
          torchdet-lint review
        fi
      fi
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
"""


def forge_of(root: str) -> str | None:
    """Where the project is kept, as far as its files tell."""
    remotes = _git(root, "config")
    if os.path.exists(os.path.join(root, ".gitlab-ci.yml")) or re.search(r"url\s*=.*gitlab", remotes):
        return GITLAB
    if os.path.isdir(os.path.join(root, ".github")) or re.search(r"url\s*=.*github", remotes):
        return GITHUB
    return None


def step(root: str, forge: str, package: str) -> Step:
    return _github(root, package) if forge == GITHUB else _gitlab(root, package)


def _github(root: str, package: str) -> Step:
    folder = os.path.join(root, ".github", "workflows")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        is_workflow = name.endswith((".yml", ".yaml")) and os.path.isfile(os.path.join(folder, name))
        there = place(root, f".github/workflows/{name}") if is_workflow else None
        if there is not None and b"torchdet-lint" in (there.before or b""):
            return there.kept("runs torchdet-lint already")
    at = place(root, ".github/workflows/torchdet-lint.yml")
    if at.before is not None:
        return at.kept("is there already")
    return at.to(_GITHUB.replace("{branch}", _main_branch(root)).replace("{package}", package).encode())


def _gitlab(root: str, package: str) -> Step:
    at, job = place(root, ".gitlab-ci.yml"), _GITLAB.replace("{package}", package)
    before = at.before or b""
    if b"torchdet-lint" in before:
        return at.kept("runs torchdet-lint already")
    if re.search(rb"(?m)^stages\s*:", before) and not re.search(
        rb"(?m)^(?:\s*-\s*|stages\s*:.*\W)[\"']?test\b", before
    ):
        return at.refused("has `stages` without `test`; add the job to a stage of yours by hand:\n" + job)
    if re.search(rb"(?m)^(?:\.\.\.|---)\s*$", before.lstrip().removeprefix(b"---")) or before.lstrip().startswith(b"{"):
        return at.refused("is not one document of plain keys; add the job by hand:\n" + job)
    return at.to(appended(before, job))


def _main_branch(root: str) -> str:
    """The branch that the remote calls its own, or the usual one."""
    found = re.search(r"ref: refs/remotes/origin/(\S+)", _git(root, "refs/remotes/origin/HEAD"))
    return found[1] if found else "main"


def _git(root: str, name: str) -> str:
    """A file of the repository's own folder; nothing where there is none."""
    try:
        with open(os.path.join(root, ".git", name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
