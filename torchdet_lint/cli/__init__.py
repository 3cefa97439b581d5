"""The command line. Importing this package imports nothing else; commands import what they need when they run."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to import than a run that is known already
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line with `argv` (without the program's name), or with the process's own; returns the exit status.

    0: no findings that fail the run. 1: findings at or above `--fail-on`. 2: trouble (usage, configuration, a part of the
    project that could not be checked, an internal error). 130: interrupted. Nothing is raised for trouble; it is told in one
    line on standard error.
    """
    import gc
    import sys

    collecting = gc.isenabled()
    gc.disable()  # a run makes many small values and few cycles: collecting them costs a sixth of the time and frees little
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(args)
    except KeyboardInterrupt as error:
        failure: BaseException = error
    except Exception as error:  # noqa: BLE001 (the last line of defence: a user never sees a traceback unasked)
        failure = error
    finally:
        if collecting:
            gc.enable()
    from torchdet_lint.cli.failures import tell

    return tell(failure, verbose="-v" in args or "--verbose" in args)


def _run(args: list[str]) -> int:
    """Says what an earlier run has said where nothing has changed since, else runs the command."""
    from torchdet_lint.cli.replay import Session
    from torchdet_lint.disk import Looks

    with Looks() as looks:
        session = Session(args, looks)
        known = session.known()
        if known is not None:
            from torchdet_lint.cli.output import write_out

            write_out([known[1]])
            return known[0]
        from torchdet_lint.cli.app import app

        status = app.main(args, prog_name="torchdet-lint", standalone_mode=False, obj=session)
    return status if isinstance(status, int) else 0
