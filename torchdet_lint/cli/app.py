"""The commands, and `check` as the one that is meant when none is named."""

from __future__ import annotations

from importlib import import_module

import click

from torchdet_lint import __version__

_COMMANDS = {
    "baseline": "torchdet_lint.cli.baseline",
    "check": "torchdet_lint.cli.check",
    "clean": "torchdet_lint.cli.clean",
    "completion": "torchdet_lint.cli.completion",
    "diff": "torchdet_lint.cli.diff",
    "explain": "torchdet_lint.cli.rules",
    "init": "torchdet_lint.cli.init",
    "programs": "torchdet_lint.cli.programs",
    "probe": "torchdet_lint.cli.probe",
    "review": "torchdet_lint.cli.review",
    "rules": "torchdet_lint.cli.rules",
    "server": "torchdet_lint.cli.server",
    "verify": "torchdet_lint.cli.verify",
}
_FUNCTIONS = {"diff": "diff_command", "probe": "probe_command"}
"""What a command's function is called, where it is not called like the command."""

_HIDDEN = ("probe",)
"""Commands that are the other half of another one: `verify --probe`."""

_OWN_OPTIONS = ("-h", "--help", "-V", "--version")


class Commands(click.Group):
    """A group that imports a command's module when it is asked for, and takes `torchdet-lint ARGS` for `check ARGS`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `check` in front of arguments that name no command."""
        if not args and ctx.resilient_parsing:  # a shell asks what could stand here
            return super().parse_args(ctx, args)
        if not args or (args[0] not in _COMMANDS and args[0] not in _OWN_OPTIONS):
            args = ["check", *args]
        own = args[: args.index("--")] if "--" in args else args
        if args[0] == "verify" and "--probe" in own:
            args = ["probe", *(text for text in args[1:] if text != "--probe")]
        return super().parse_args(ctx, args)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names only; nothing is imported."""
        return [name for name in _COMMANDS if name not in _HIDDEN]

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name; its module is imported now."""
        if name not in _COMMANDS:
            return None
        command = getattr(import_module(_COMMANDS[name]), _FUNCTIONS.get(name, name))
        return command if isinstance(command, click.Command) else None


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Without a command, `check` is meant: `torchdet-lint src/` is `torchdet-lint check src/`. "
    "Exit status: 0 nothing that fails the run, 1 findings at or above --fail-on, 2 trouble, 130 interrupted.",
)
@click.version_option(__version__, "-V", "--version", prog_name="torchdet-lint", message="%(prog)s %(version)s")
def app() -> None:
    """Find what makes a PyTorch training impossible to repeat."""
