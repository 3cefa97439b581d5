"""The report of a verification as one JSON document, in the form that `schema-1.json` describes."""

from __future__ import annotations

import json
from typing import Any

from torchdet_lint.verify.accelerator import Seen
from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.record import Event
from torchdet_lint.verify.report import where
from torchdet_lint.verify.spoken import Verdict
from torchdet_lint.verify.verdict import Judgement, Unexplained

SCHEMA = 1


def document(judgement: Judgement, version: str) -> str:
    """The document, pure ASCII."""
    experiment = judgement.experiment
    record = experiment.record
    content = {
        "schema": SCHEMA,
        "version": version,
        "torch": record.ledger.facts.get("torch"),
        "device": record.ledger.facts.get("device", "cpu"),
        "compiled": "compiled" in record.ledger.facts,
        "sample": {"steps": record.steps, "ops": record.effects, "stop": record.end.name if record.end else "cut"},
        "runs": [
            {
                "id": run.setting.name,
                "pins": dict(run.setting.pins),
                "env": dict(run.setting.env),
                "status": run.outcome.status,
                "stopped": run.outcome.stopped,
                "seconds": round(run.outcome.seconds, 3),
            }
            for run in experiment.runs
        ],
        "clean": judgement.clean,
        "natural": [_divergence(each) for each in experiment.natural.divergences],
        "pinned": None if experiment.pinned is None else [_divergence(each) for each in experiment.pinned.divergences],
        "factors": [
            {"name": shown.factor.name, "status": shown.status, "run": shown.run, "effect": _maybe(shown.divergence)}
            for shown in experiment.shown.values()
        ],
        "trials": [
            {
                "name": one.name,
                "holds": one.holds,
                "detail": one.detail,
                "effect": _maybe(one.divergence),
                "alerts": [{"op": what, "line": place, "count": count} for what, place, count in one.alerts],
            }
            for one in experiment.tried
        ],
        "findings": [_verdict(verdict) for verdict in judgement.verdicts],
        "unexplained": [_unexplained(item) for item in judgement.unexplained],
        "elsewhere": judgement.elsewhere,
        "accelerator": None if experiment.seen is None else _seen(experiment.seen),
        "ledger": [
            {"gen": draw.generator, "line": draw.place, "seeded": draw.seeded or None, "draws": draw.times}
            for draw in record.ledger.draws
        ],
        "switches": [
            {"op": operation, "line": place, "on": state.split(), "count": count}
            for operation, place, state, count in record.ledger.modes
        ],
    }
    return json.dumps(content, indent=2) + "\n"


def _seen(seen: Seen) -> dict[str, Any]:
    return {
        "checks": sorted(seen.checks),
        "replayed": seen.replayed,
        "steadied": seen.steadied,
        "precision": _maybe(seen.precision),
        "sights": [
            {
                "check": sight.check,
                "op": sight.operation,
                "lines": list(sight.places),
                "count": sight.times,
                "said": sight.said,
            }
            for sight in seen.sights
        ],
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "call": event.name,
        "line": event.place,
        "fwd": event.forward or None,
        "digest": event.digest,
    }


def _divergence(divergence: Divergence) -> dict[str, Any]:
    return {
        "stream": divergence.stream,
        "index": divergence.index,
        "step": divergence.step,
        "kind": divergence.kind,
        "op": divergence.event.name,
        "line": divergence.event.place,
        "fwd": divergence.event.forward or None,
        "module": divergence.event.module or None,
        "apart": divergence.apart,
        "lasting": divergence.lasting,
        "sources": [_event(source) for source in divergence.sources],
    }


def _maybe(divergence: Divergence | None) -> dict[str, Any] | None:
    return None if divergence is None else _divergence(divergence)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    finding = verdict.finding
    return {
        "rule": finding.code,
        "where": where(finding),
        "fingerprint": finding.fingerprint,
        "message": finding.message,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "factor": verdict.factor or None,
        "source": None if verdict.source is None else _event(verdict.source),
        "effect": _maybe(verdict.divergence),
        "checks": list(verdict.checks),
        "cuda_check": verdict.cuda_check or None,
    }


def _unexplained(item: Unexplained) -> dict[str, Any]:
    return {
        "factor": item.factor or None,
        "title": item.title,
        "line": item.place,
        "fails": item.fails,
        "effect": _divergence(item.divergence),
        "checks": list(item.checks),
    }
