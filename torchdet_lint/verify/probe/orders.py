"""Probes of orders: TDL105 (listings), TDL106 (sets)."""

from __future__ import annotations

from functools import partial

from torchdet_lint import ir
from torchdet_lint.finding import Evidence
from torchdet_lint.verify.probe.evidence import CONFIRMED, HIDDEN, NOTHING, REFUTED, Seen, Trial, Unprobed
from torchdet_lint.verify.probe.place import Case
from torchdet_lint.verify.probe.render import Grammar, render

_LISTINGS = {
    "os.listdir": "os.listdir(folder)",
    "os.scandir": "[entry.name for entry in os.scandir(folder)]",
    "os.walk": "[name for _, _, files in os.walk(folder) for name in files]",
    "glob.glob": "[os.path.basename(path) for path in glob.glob(os.path.join(folder, '*'))]",
    "glob.iglob": "[os.path.basename(path) for path in glob.iglob(os.path.join(folder, '*'))]",
    "iterdir": "[path.name for path in pathlib.Path(folder).iterdir()]",
    "glob": "[path.name for path in pathlib.Path(folder).glob('*')]",
    "rglob": "[path.name for path in pathlib.Path(folder).rglob('*')]",
}

_LIST = """
names = ["sample-%02d.txt" % number for number in range(24)]
found = []
for base in dict.fromkeys((tempfile.gettempdir(), "/dev/shm")):
    for order in (names, names[::-1], names[1::2] + names[::2]):
        try:
            folder = tempfile.mkdtemp(dir=base)
        except OSError:
            continue
        for name in order:
            open(os.path.join(folder, name), "w").close()
        found.append(list({listing}))
        shutil.rmtree(folder)
return dict(orders=len(set(map(tuple, found))), tried=len(found), complete=all(sorted(one) == names for one in found))
"""


def listing(case: Case) -> Trial:
    """TDL105: the same names in folders that were filled in different orders, on the file systems at hand."""
    name = _listing_name(case)
    if name not in _LISTINGS:
        raise Unprobed(f"there is no probe for `{name or 'what it calls'}`")
    body = _LIST.format(listing=_LISTINGS[name])
    return Trial(body, ("os", "glob", "pathlib", "shutil", "tempfile"), partial(_judge_listing, f"`{name}`"))


def _listing_name(case: Case) -> str:
    """What lists, by its dotted name, or by the method's; the finding may stand elsewhere (a `with` opens, a loop reads)."""
    call = case.quoted("call")
    if not isinstance(call, ir.Call):
        return ""
    return case.names.dotted(call.func) or (call.func.name if isinstance(call.func, ir.Attr) else "")


_SET = """
code = "print([repr(item) for item in {made}])"
orders = set()
for seed in range(1, 9):
    done = subprocess.run([sys.executable, "-S", "-c", code], env=dict(os.environ, PYTHONHASHSEED=str(seed)), capture_output=True)
    orders.add(done.stdout.decode())
return dict(orders=len(orders - {{""}}), failed="" in orders)
"""

_OBJECTS = """
kept = [bytearray(40 * (number % 7)) for number in range(int.from_bytes(os.urandom(1), "big"))]
items = [torch.nn.Parameter(torch.zeros(1)) for _ in range(64)]
places = {id(item): place for place, item in enumerate(items)}
return dict(order=[places[id(item)] for item in set(items)])
"""


def set_order(case: Case) -> Trial:
    """TDL106: the order of the same set in processes that salt hashes differently; of objects, at other addresses."""
    if case.variant == "objects":
        return Trial(_OBJECTS, ("torch", "os"), _judge_objects)
    text = render(case.quoted("value"), _grammar(case))
    body = _SET.format(made=text.replace("\\", "\\\\").replace('"', '\\"'))
    return Trial(body, ("os", "subprocess", "sys"), partial(_judge_set, f"`{text}`"))


def _grammar(case: Case) -> Grammar:
    def name(expr: ir.Name | ir.Attr) -> str:
        try:
            return repr(case.constant(expr))
        except Unprobed:
            raise Unprobed("what the set holds is not in sight") from None

    def callee(call: ir.Call) -> str:
        dotted = case.names.dotted(call.func)
        if dotted in ("builtins.set", "builtins.frozenset", "builtins.list", "builtins.tuple"):
            return dotted.removeprefix("builtins.")
        if isinstance(call.func, ir.Attr) and call.func.name in ("split", "union"):
            return f"{render(call.func.value, grammar)}.{call.func.name}"
        raise Unprobed("what the set holds is not in sight")

    grammar = Grammar(name, callee)
    return grammar


def _judge_listing(shown: str, one: Seen, other: Seen) -> Evidence:
    if not one["complete"]:
        return Evidence(NOTHING, f"{shown} could not be tried here")
    if max(one["orders"], other["orders"]) > 1:
        text = f"{shown} lists the same 24 names in {one['orders']} orders, in folders that were filled differently"
        return Evidence(HIDDEN, text, "listing")
    return Evidence(NOTHING, f"{shown} lists the same 24 names in one order on the file systems of this machine")


def _judge_set(shown: str, one: Seen, _other: Seen) -> Evidence:
    if one["failed"]:
        raise Unprobed("the set could not be built in a probe")
    if one["orders"] > 1:
        return Evidence(CONFIRMED, f"{shown} has {one['orders']} orders in 8 processes", "hash-seed")
    return Evidence(REFUTED, f"{shown} has the same order in 8 processes")


def _judge_objects(one: Seen, other: Seen) -> Evidence:
    if one["order"] != other["order"]:
        return Evidence(CONFIRMED, "a set of 64 parameters has different orders in two fresh processes", "address")
    return Evidence(NOTHING, "a set of 64 parameters has the same order in two fresh processes")
