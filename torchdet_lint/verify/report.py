"""The report of a verification, as text and Markdown. `document` has the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from torchdet_lint.finding import CONFIRMING, Finding
from torchdet_lint.verify.compare import Divergence
from torchdet_lint.verify.device_verdict import what_was_seen
from torchdet_lint.verify.record import Event
from torchdet_lint.verify.spoken import MEANING, Verdict, path_of
from torchdet_lint.verify.verdict import Judgement, Unexplained

_DETAILED = (*CONFIRMING, "confounded", "refuted-on-this-torch")

NO_PROOF = "A sample shows what is there, never that nothing is."


def shown_place(place: str) -> str:
    """`train.py:12 in Net.forward` for the place of an event."""
    if place in ("", "?"):  # the ledger keeps "?" for a seed that no line of yours gave
        return "outside of your code"
    path, line, function = place.rsplit(":", 2)
    return f"{path}:{line}" + ("" if function == "<module>" else f" in {function}")


def spoken(event: Event) -> str:
    """What an event is, in a few words."""
    what = {
        "EXT": "an input that comes from outside of torch",
        "STEP": f"a step of {event.name}",
        "OUT": "a line that it prints",
        "END": "the end of the run",
    }
    return what.get(event.kind, f"{event.name} (backward)" if event.kind == "BW" else event.name)


def parting(divergence: Divergence) -> Iterator[str]:
    """Where runs part, in a few lines."""
    event = divergence.event
    step = f"step {divergence.step + 1}" if divergence.step else "before the first step ends"
    where = "" if divergence.stream == "rank0" else f", in {divergence.stream}"
    if event.kind == "OUT":
        yield f"first difference: line {divergence.index + 1} of what it prints"
    else:
        at = shown_place(event.place)
        yield f"first difference: {spoken(event)} at {at} ({step}, operation {divergence.index + 1}{where})"
    if event.forward:
        yield f"its forward line: {shown_place(event.forward)}"
    if event.module:
        yield f"in module {event.module}"
    if divergence.kind == "length":
        yield "one run ends here, the other goes on"
    elif divergence.kind == "operations":
        assert divergence.left is not None
        assert divergence.right is not None
        left, right = divergence.left, divergence.right
        yield f"one run does {spoken(left)} at {shown_place(left.place)}"
        yield f"the other {spoken(right)} at {shown_place(right.place)}"
    elif divergence.apart is not None:
        yield f"apart: {distance(divergence.apart)}" + ("" if divergence.lasting else "; the runs agree again later")
    for source in divergence.sources[:4]:
        yield f"unequal before it: {source.name} at {shown_place(source.place)}"


def distance(apart: float) -> str:
    """How far values are apart, and what that means."""
    if not apart:
        return "the sampled values agree, others do not"
    kind = "rounding" if apart < 1e-5 else "small" if apart < 1e-2 else "different values"
    return f"{apart:.1e} relative, of sampled values ({kind})"


def text(judgement: Judgement) -> Iterator[str]:
    """The report for a terminal."""
    yield from _head(judgement)
    for verdict in ordered(judgement):
        yield from _verdict(verdict)
    for item in judgement.unexplained:
        yield from _unexplained(item)
    yield from _table(judgement)
    yield from _trials(judgement)
    yield from _ledger(judgement)
    yield from _device(judgement)
    yield _closing(judgement)


def ordered(judgement: Judgement) -> list[Verdict]:
    """The verdicts in the order of reports."""
    rank = {name: index for index, name in enumerate(MEANING)}
    return sorted(judgement.verdicts, key=lambda verdict: (rank[verdict.verdict], verdict.finding.sort_key))


def _head(judgement: Judgement) -> Iterator[str]:
    experiment = judgement.experiment
    record = experiment.record
    torch = record.ledger.facts.get("torch")
    first = experiment.natural.first
    yield f"{sample_of(judgement)}{f' on torch {torch}' if torch else ''}, {len(experiment.runs)} runs\n"
    if first is None:
        yield "two plain runs agree in every recorded operation\n"
    else:
        yield "two plain runs differ\n"
        for line in parting(first):
            yield f"  {line}\n"
    if "compiled" in record.ledger.facts:
        yield f"note: torch.compile ran its functions uncompiled here ({shown_place(record.ledger.facts['compiled'])})\n"
    yield "\n"


def sample_of(judgement: Judgement) -> str:
    """How far the sample went."""
    record = judgement.experiment.record
    end = record.end.name if record.end else "cut off"
    ended = {
        "steps": "stopped there",
        "ops": "stopped at --ops",
        "seconds": "stopped by --seconds",
        "exit": "to the program's end",
    }
    if record.only_output:
        lines = sum(event.kind == "OUT" for _, event in record.streams["rank0"].effects)
        printed = "the line that it prints was" if lines == 1 else f"the {lines} lines that it prints were"
        return f"its main process does nothing in torch; {printed} compared"
    steps = f"{record.steps} optimizer step{'' if record.steps == 1 else 's'}" if record.steps else "no optimizer step"
    return f"{steps}, {record.effects} operations ({ended.get(end, end)})"


def where(finding: Finding) -> str:
    """The place of a finding."""
    return f"{path_of(finding.location)}:{finding.location.line}"


def _verdict(verdict: Verdict) -> Iterator[str]:
    finding = verdict.finding
    yield f"{where(finding)}: {finding.code} {verdict.verdict}: {verdict.reason}\n"
    if verdict.verdict not in _DETAILED:
        return
    yield f"  {finding.message}\n"
    if verdict.divergence is not None:
        for line in parting(verdict.divergence):
            yield f"  {line}\n"


def _unexplained(item: Unexplained) -> Iterator[str]:
    yield f"{shown_place(item.place)}: {unexplained(item)}\n"
    for line in parting(item.divergence):
        yield f"  {line}\n"


def unexplained(item: Unexplained) -> str:
    """What is unexplained, in one line."""
    if not item.factor:
        return f"unexplained: two runs differ, {item.title} makes the difference, and no rule spoke of it"
    return f"{'unexplained' if item.fails else 'note'}: {item.title} changes the result, and no rule spoke of it"


_MARKS = {"no-effect": "-", "changes": "X", "confounded": "?", "not-asked": ".", "not-run": " "}


def _table(judgement: Judgement) -> Iterator[str]:
    experiment = judgement.experiment
    if experiment.pinned is None:
        return
    between = "\n" if judgement.verdicts or judgement.unexplained else ""
    yield f"{between}factors, each released alone while all others were held\n"
    if experiment.residual:
        yield "  two runs differ with everything held, so single factors were not tried\n"
        return
    for item in experiment.shown.values():
        place = f"  {shown_place(item.divergence.place)}" if item.divergence else ""
        yield f"  {_MARKS[item.status]} {item.factor.name:<12}{item.status.replace('-', ' '):<9}{place}".rstrip() + "\n"


def _trials(judgement: Judgement) -> Iterator[str]:
    for one in judgement.experiment.tried:
        yield f"trial {one.name}: {one.detail}\n"
        if one.divergence is not None and not one.holds:
            for line in parting(one.divergence):
                yield f"  {line}\n"
        for what, place, times in one.alerts[:8]:
            yield f"  {what} at {shown_place(place)}, {times} times\n"


def _ledger(judgement: Judgement) -> Iterator[str]:
    ledger = judgement.experiment.record.ledger
    unseeded = [draw for draw in ledger.draws if draw.place and not draw.seeded]
    for draw in unseeded[:8]:
        times = "once" if draw.times == 1 else f"{draw.times} times"
        yield f"never seeded before: {draw.generator} drew {times} at {shown_place(draw.place)}\n"


def _device(judgement: Judgement) -> Iterator[str]:
    """What the checks of an accelerator saw, whatever rules say of it."""
    seen = judgement.experiment.seen
    if seen is None:
        return
    yield f"\nchecks on the accelerator: {', '.join(sorted(seen.checks))}; {seen.replayed} operations were run again\n"
    for sight in seen.sights[:20]:
        yield f"  {what_was_seen(sight)}\n"
    if len(seen.sights) > 20:
        yield f"  and {len(seen.sights) - 20} more\n"


def _closing(judgement: Judgement) -> str:
    counts = {name: sum(v.verdict == name for v in judgement.verdicts) for name in MEANING}
    said = (
        ", ".join(f"{number} {name}" for name, number in counts.items() if number)
        or "no findings in the files of this sample"
    )
    more = f"; {judgement.elsewhere} in files that the sample did not load" if judgement.elsewhere else ""
    return f"\n{said}{more}. {NO_PROOF}\n"


def markdown(judgement: Judgement) -> Iterator[str]:
    """The report for a pull request."""
    experiment = judgement.experiment
    state = "differ" if experiment.natural.differ else "agree"
    yield f"### torchdet-lint verify: two plain runs {state}\n\n{sample_of(judgement)}, {len(experiment.runs)} runs.\n\n"
    if experiment.natural.first is not None:
        yield from (f"- {line}\n" for line in parting(experiment.natural.first))
        yield "\n"
    if judgement.verdicts:
        yield "| finding | rule | verdict | why |\n|---|---|---|---|\n"
        for verdict in ordered(judgement):
            code = verdict.finding.code
            yield f"| `{where(verdict.finding)}` | {code} | **{verdict.verdict}** | {_cell(verdict.reason)} |\n"
        yield "\n"
    for item in judgement.unexplained:
        yield f"- `{shown_place(item.place)}`: {_cell(unexplained(item))}\n"
    if experiment.pinned is not None and not experiment.residual:
        yield "\n| factor | released alone |\n|---|---|\n"
        for shown in experiment.shown.values():
            yield f"| {shown.factor.name} | {shown.status.replace('-', ' ')} |\n"
    yield from (f"- trial {one.name}: {_cell(one.detail)}\n" for one in experiment.tried)
    yield f"\n{NO_PROOF}\n"


def _cell(content: str) -> str:
    return content.replace("|", "\\|").replace("\n", " ")
