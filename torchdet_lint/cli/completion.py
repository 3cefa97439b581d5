"""`torchdet-lint completion`."""

from __future__ import annotations

import click

from torchdet_lint.cli.failures import CLEAN
from torchdet_lint.cli.output import write_out

SHELLS = ("bash", "fish", "zsh")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print what makes a shell complete commands and options.

    For bash, put `eval "$(torchdet-lint completion bash)"` into ~/.bashrc; for zsh the same with `zsh` into ~/.zshrc; for fish,
    write it to ~/.config/fish/completions/torchdet-lint.fish.
    """
    from click.shell_completion import get_completion_class

    from torchdet_lint.cli.app import app

    kind = get_completion_class(shell)
    assert kind is not None
    write_out([kind(app, {}, "torchdet-lint", "_TORCHDET_LINT_COMPLETE").source().rstrip() + "\n"])
    return CLEAN
