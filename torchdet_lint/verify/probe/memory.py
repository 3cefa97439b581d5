"""Probes of uninitialised memory: TDL501.

The statements around the call that its value flows through are taken over, the memory is filled with several patterns, and
what the function gives back is compared. One statement that cannot be taken over, and there is no verdict.
"""

from __future__ import annotations

from functools import partial

from torchdet_lint.finding import Evidence
from torchdet_lint.verify.probe.evidence import CONFIRMED, NOTHING, REFUTED, Seen, Trial, Unprobed
from torchdet_lint.verify.probe.place import Case
from torchdet_lint.verify.probe.slices import Slice, slice_of

_MOST_UNKNOWN = 3

_BODY = """
def filled(make):
    def made(*args, **named):
        new = make(*args, **named)
        if isinstance(new, torch.Tensor):
            new.untyped_storage().fill_(pattern)
        else:
            memoryview(new).cast("B")[:] = bytes([pattern]) * new.nbytes
        return new
    return made
def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
def copied(value):
    return value.clone() if isinstance(value, torch.Tensor) else value
def run({unknown}):
    seen = []
    def part():
{lines}
    part()
    return repr(plain(seen))
candidates = (4, torch.arange(16.0).reshape(4, 4) + 1, torch.arange(4))
outcomes, problem = [], ""
for given in itertools.product(candidates, repeat={count}):
    results = set()
    try:
        for pattern in (0, 63, 191, 255):
            torch.manual_seed(0)
            numpy.random.seed(0)
            results.add(run(*map(copied, given)))
    except Exception as error:
        problem = problem or str(error).splitlines()[0]
        continue
    outcomes.append(len(results) > 1)
return dict(outcomes=outcomes, problem=problem)
"""


def read(case: Case) -> Trial:
    """TDL501: the same statements, with the memory full of different bytes."""
    if case.variant == "parameter":
        raise Unprobed("whether anything initialises it is decided elsewhere in the program")
    if case.variant != "read":
        raise Unprobed("its result is dropped; there is nothing to compare")
    part = slice_of(case)
    if len(part.unknown) > _MOST_UNKNOWN:
        raise Unprobed(f"too much of what it computes with is not in sight: {', '.join(part.unknown)}")
    if "seen.append" not in part.text:
        raise Unprobed("where its value goes is not in sight")
    body = _BODY.format(unknown=", ".join(part.unknown.values()), lines=part.text, count=len(part.unknown))
    return Trial(body, ("torch", "numpy", "itertools", "math"), partial(_judge, part))


def _judge(part: Slice, one: Seen, _other: Seen) -> Evidence:
    outcomes = one["outcomes"]
    stand_ins = f", with stand-ins for {', '.join(f'`{name}`' for name in part.unknown)}" if part.unknown else ""
    if not outcomes:
        raise Unprobed(f"the statements around it do not run{stand_ins}: {one['problem']}")
    if all(outcomes):
        return Evidence(CONFIRMED, f"what it computes changes with what the memory held before{stand_ins}", "memory")
    if any(outcomes):
        raise Unprobed(f"whether its value matters depends on {', '.join(f'`{name}`' for name in part.unknown)}")
    text = f"what it computes is the same whatever the memory held before{stand_ins}"
    return Evidence(NOTHING if part.unknown else REFUTED, text)
