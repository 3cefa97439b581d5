"""A run: from paths and settings to findings or program cards. See `torchdet_lint.engine.options` for the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdet_lint.engine.options import Files, Options, Programs, Progress, Result, silent

if TYPE_CHECKING:
    from torchdet_lint.engine.fixing import Fixed
    from torchdet_lint.finding import Finding


def run(options: Options, progress: Progress = silent) -> Result:
    """Lints. Raises ConfigError, CatalogError and VersionError for what the configuration has wrong."""
    from torchdet_lint.engine import pipeline

    return pipeline.run(options, progress)


def fix(
    options: Options, progress: Progress = silent, *, unsafe: bool = False, known: frozenset[str] = frozenset()
) -> Fixed:
    """Lints and fixes, in memory; `unsafe` makes the unsafe fixes too, `known` are fingerprints of findings that stay.
    Raises what `run` raises.
    """
    from torchdet_lint.engine import fixing

    safeties = fixing.UNSAFE if unsafe else fixing.SAFE

    def wanted(finding: Finding) -> bool:
        return finding.fix is not None and finding.fix.safety in safeties and finding.fingerprint not in known

    return fixing.fix(options, progress, wanted, run)


def programs(options: Options, progress: Progress = silent) -> Programs:
    """Describes the programs among the files of the run. Raises what `run` raises."""
    from torchdet_lint.engine import pipeline

    return pipeline.programs(options, progress)


def files(options: Options) -> Files:
    """The files that a run would check; none of them is read."""
    from torchdet_lint.engine.scope import reported_files

    return reported_files(options)


__all__ = ["files", "fix", "programs", "run"]
