"""A run: from paths and settings to findings or program cards. See `torchdet_lint.engine.options` for the values."""

from __future__ import annotations

from torchdet_lint.engine.options import Files, Options, Programs, Progress, Result, silent


def run(options: Options, progress: Progress = silent) -> Result:
    """Lints. Raises ConfigError, CatalogError and VersionError for what the configuration has wrong."""
    from torchdet_lint.engine import pipeline

    return pipeline.run(options, progress)


def programs(options: Options, progress: Progress = silent) -> Programs:
    """Describes the programs among the files of the run. Raises what `run` raises."""
    from torchdet_lint.engine import pipeline

    return pipeline.programs(options, progress)


def files(options: Options) -> Files:
    """The files that a run would check; none of them is read."""
    from torchdet_lint.engine.scope import reported_files

    return reported_files(options)


__all__ = ["files", "programs", "run"]
