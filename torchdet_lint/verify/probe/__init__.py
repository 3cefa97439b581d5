"""Probes: what a finding claims about a call, tried with a tiny program in fresh processes on the installed torch.

Nothing of the user's is run. The programs are written here from the arguments of the call that a finding is about, as far
as these are constants; where anything that matters is not in sight, there is no verdict but a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from torchdet_lint.catalog.apis import Apis
from torchdet_lint.catalog.rules import Catalog
from torchdet_lint.finding import Evidence, Finding
from torchdet_lint.source import SourceFile
from torchdet_lint.verify.probe.evidence import Trial
from torchdet_lint.verify.probe.place import Places
from torchdet_lint.verify.probe.plan import plan
from torchdet_lint.verify.probe.runs import judge_all


def _silent(_done: int, _total: int) -> None:
    pass


def probe(
    findings: Iterable[Finding],
    sources: Mapping[str, SourceFile],
    python: str,
    *,
    apis: Apis,
    catalog: Catalog,
    progress: Callable[[int, int], None] = _silent,
) -> Mapping[str, Evidence]:
    """The evidence for each finding, by fingerprint. `sources` holds the files by the paths that findings have, `python` is the
    interpreter whose torch is asked. Trials that are alike run once.
    """
    places = Places(sources, apis, catalog)
    planned = {finding.fingerprint: plan(finding, places) for finding in findings}
    trials: dict[tuple[str, str], Trial] = {}
    keys: dict[str, tuple[str, str]] = {}
    for fingerprint, found in planned.items():
        if isinstance(found, Trial):
            keys[fingerprint] = (found.body, _identity(found))
            trials.setdefault(keys[fingerprint], found)
    judged = dict(zip(trials, judge_all(list(trials.values()), python, progress), strict=True)) if trials else {}
    return {
        fingerprint: found if isinstance(found, Evidence) else judged[keys[fingerprint]]
        for fingerprint, found in planned.items()
    }


def _identity(trial: Trial) -> str:
    """Trials with one body can be judged by different questions: the judge and what it was given tell them apart."""
    judge = trial.judge
    given = [getattr(each, "variant", each) for each in getattr(judge, "args", ())]
    said = [sorted(each.said.items()) for each in getattr(judge, "args", ()) if hasattr(each, "said")]
    return repr((getattr(getattr(judge, "func", judge), "__name__", ""), given, said))


__all__ = ["probe"]
