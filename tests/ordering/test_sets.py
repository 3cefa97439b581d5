"""The order of sets: where it makes a difference, and where it does not."""

from __future__ import annotations

import pytest

from tests.ordering.project import uses

SPEAKS = {
    "an array of texts": (
        "for i, a in enumerate(set(mask.astype('S4').tolist())):\n    label[a] = i",
        "enumerate(set(mask.astype('S4').tolist()))",
        "is numbered one after the other",
    ),
    "texts that are unpacked": (
        "ids = set()\nfor f in files:\n    a, _ = map(str, f)\n    ids.add(a)\nlabel = {a: i for i, a in enumerate(ids)}",
        "enumerate(ids)",
        "is numbered by `enumerate`",
    ),
    "list": ("x = list(set(words))\ny = x[0]", "list(set(words))", "is indexed with [0]"),
    "tuple of an intersection": ("x = tuple(set(a) & b)\ny = x[0]", "tuple(set(a) & b)", "is indexed with [0]"),
    "display": ("x = [w for w in {'a', 'b'}]\ny = x[0]", "[w for w in {'a', 'b'}]", "is indexed with [0]"),
    "enumerate": (
        "ids = {w: i for i, w in enumerate(set(words))}",
        "enumerate(set(words))",
        "is numbered by `enumerate`",
    ),
    "enumerate keys": (
        "w = {i: w for i, w in enumerate({'a', 'b'})}",
        "enumerate({'a', 'b'})",
        "is numbered by `enumerate`",
    ),
    "enumerate in a loop": (
        "for i, w in enumerate(set(words)):\n    ids[w] = i",
        "enumerate(set(words))",
        "is numbered one after the other",
    ),
    "append in a loop": (
        "s = set(words)\nx = []\nfor w in s:\n    x.append(w)\ny = x[0]",
        "s",
        "feeds the loop that appends to `x`",
    ),
    "setdefault": ("for w in set(words):\n    ids.setdefault(w, len(ids))", "set(words)", "is numbered one"),
    "counter": ("n = 0\nfor w in set(words):\n    ids[w] = n\n    n += 1", "set(words)", "is numbered one"),
    "next": ("w = next(iter(set(words)))", "iter(set(words))", "gives its first element to `next`"),
    "pop": ("s = set(words)\nw = s.pop()", "s.pop()", "gives an arbitrary element to `pop`"),
    "join": ("key = '-'.join(set(words))\nsave(key)", "'-'.join(set(words))", "is joined into a text"),
    "add tokens": ("tok.add_tokens(list(set(words)))", "list(set(words))", "reaches `tok.add_tokens(...)`"),
    "union": ("x = list(set(a).union(b))\ny = x[:2]", "list(set(a).union(b))", "is split by slicing"),
    "difference of keys": ("x = list(a.keys() - b.keys())\ny = x[0]", "list(a.keys() - b.keys())", "is indexed"),
    "set comprehension": ("x = list({f(w) for w in words})\ny = x[0]", "list({f(w) for w in words})", "is indexed"),
    "grown set": (
        "s = set()\nfor w in words:\n    s.add(w)\nx = list(s)\ny = x[0]",
        "list(s)",
        "is indexed with [0]",
    ),
    "set of a listing": ("x = list(set(os.listdir(d)))\ny = x[0]", "list(set(os.listdir(d)))", "is indexed with [0]"),
    "values of a defaultdict": (
        "g = defaultdict(set)\ng[k].add(w)\nx = list(g[k])\ny = x[0]",
        "list(g[k])",
        "is indexed with [0]",
    ),
    "items of a defaultdict": (
        "g = defaultdict(set)\ng[k].add(w)\nx = []\nfor a, b in g.items():\n    for c in b:\n        x.append(c)\ny = x[0]",
        "b",
        "feeds the loop that appends to `x`",
    ),
    "lists for a label that several share": (
        "d = {'a': []}\nfor w in set(words):\n    d[w[0]].append(w)\ny = d['a'][0]",
        "set(words)",
        "feeds the loop that appends to `d[…]`",
    ),
    "dictionary of lists, filled, then walked": (
        "d = defaultdict(list)\nfor w in set(words):\n    d[w].append(f(w))\nx = []\nfor k, v in d.items():\n    x.extend(v)\ny = x[0]",
        "d.items()",
        "feeds the loop that fills `d`",
    ),
    "results of processes": (
        "x = process_map(f, list(set(words)))\ny = x[0]",
        "list(set(words))",
        "is indexed with [0]",
    ),
    "fromkeys": ("m = dict.fromkeys(set(words))\nx = list(m)\ny = x[0]", "dict.fromkeys(set(words))", "is indexed"),
    "dictionary filled, then numbered": (
        "m = {w: f(w) for w in set(words)}\nids = {w: i for i, w in enumerate(m)}",
        "{w: f(w) for w in set(words)}",
        "is numbered by `enumerate`",
    ),
    "modules built": (
        "for w in {'a', 'b'}:\n    net.add_module(w, nn.Linear(2, 2))",
        "{'a', 'b'}",
        "feeds the loop that calls `net.add_module(...)`",
    ),
    "modules in a dictionary": (
        "heads = {w: nn.Linear(2, 2) for w in set(words)}",
        "{w: nn.Linear(2, 2) for w in set(words)}",
        "the order in which modules are built",
    ),
    "modules stored": (
        "for w in set(words):\n    heads[w] = nn.Linear(2, 2)",
        "set(words)",
        "the loop that builds modules",
    ),
    "random rows": (
        "rows = {w: torch.randn(3) for w in set(words)}",
        "{w: torch.randn(3) for w in set(words)}",
        "the order in which random numbers are drawn",
    ),
    "optimizer": (
        "p = set(net.parameters())\nopt = torch.optim.SGD([{'params': list(p)}])",
        "list(p)",
        "is the order of the optimizer's parameters",
    ),
    "classes of an encoder": (
        "from sklearn.preprocessing import MultiLabelBinarizer\ne = MultiLabelBinarizer(classes=list(set(words)))",
        "list(set(words))",
        "reaches `sklearn.preprocessing.MultiLabelBinarizer(...)`",
    ),
    "encoded in order": (
        "from sklearn.preprocessing import LabelEncoder\ne = LabelEncoder()\ny = e.fit_transform(list(set(words)))",
        "list(set(words))",
        "reaches `e.fit_transform(...)`",
    ),
    "other things that are fitted": (
        "e = Tokenizer()\ne.fit(list(set(words)))",
        "list(set(words))",
        "reaches `e.fit(...)`",
    ),
    "optimizer of a set": (
        "p = set(net.parameters())\nopt = torch.optim.SGD(p, lr=1)",
        "p",
        "is the order of the optimizer's parameters",
    ),
    "optimizer of a set that grows": (
        "p = set()\nfor net in nets:\n    p |= set(net.parameters())\nopt = other or torch.optim.Adam(params=p)",
        "p",
        "is the order of the optimizer's parameters",
    ),
    "text changed step by step": (
        "for w in set(words):\n    text = collapse(text, w)",
        "set(words)",
        "feeds the loop that changes `text` step by step",
    ),
    "text replaced": (
        "for w in set(words):\n    text = text.replace(w, '')",
        "set(words)",
        "changes `text` step by step",
    ),
    "lines of a file": (
        "out = open(d, 'w')\nfor w in set(words):\n    out.write(w)",
        "set(words)",
        "feeds the loop that writes to `out`",
    ),
    "first match": ("for w in set(words):\n    if text.startswith(w):\n        return w", "set(words)", "is returned"),
    "sample": ("x = random.sample(list(set(words)), 2)", "list(set(words))", "reaches `random.sample(...)`"),
    "choice": ("x = random.choice(list(set(words)))", "list(set(words))", "reaches `random.choice(...)`"),
    "choice of a generator": ("x = rng.choice(list(set(words)))", "list(set(words))", "reaches `rng.choice(...)`"),
    "pandas columns": ("x = frame[list(set(words))]", "list(set(words))", "is used as an index"),
    "mixed": ("x = list({1, 'a'})\ny = x[0]", "list({1, 'a'})", "is indexed with [0]"),
    "sorted too late": (
        "x = list(set(words))\nids = {w: i for i, w in enumerate(x)}\nx.sort()",
        "list(set(words))",
        "is numbered",
    ),
}

SILENT = {
    "numbers that are unpacked": (
        "import re\nids = set()\nfor f in files:\n    a, _ = map(int, re.search('x', f).groups())\n    ids.add(a)\n"
        "label = {a: i for i, a in enumerate(ids)}"
    ),
    "an array of numbers": (
        "import numpy as np\nx = np.unique(mask).astype(np.uint8)\nx = x[x != 0].tolist()\n"
        "for i, a in enumerate(set(x) - set(old)):\n    label[a] = i"
    ),
    "an array of numbers by the name of their type": (
        "for i, a in enumerate(set(mask.astype('int64'))):\n    label[a] = i"
    ),
    "requirements of a package": "import setuptools\nsetuptools.setup(extras=list(set(words)))",
    "places of elements": "rows = list(set(matrix.nonzero()[0]))\ny = x[rows]",
    "places that numpy finds": "import numpy as np\nrows = list(set(np.where(mask)[0]))\ny = x[rows]",
    "places in an order": "rows = list(set(scores.argsort()[:10].tolist()))\ny = x[rows]",
    "encoder": "from sklearn.preprocessing import LabelEncoder\ne = LabelEncoder()\ne.fit(list(set(words)))",
    "encoder at once": (
        "from sklearn import preprocessing\ne = preprocessing.MultiLabelBinarizer().fit(list(set(words)))\ny = e.classes_"
    ),
    "optimizer of a dictionary": "p = dict.fromkeys(net.parameters())\nopt = torch.optim.SGD(p, lr=1)",
    "optimizer of what is not in a set": (
        "p = set(net.parameters())\nopt = torch.optim.SGD([q for q in other.parameters() if q not in p], lr=1)"
    ),
    "sorted": "x = sorted(set(words))\ny = x[0]",
    "sorted list": "x = sorted(list(set(words)))\ny = x[0]",
    "sort later": "x = list(set(words))\nx.sort()\ny = x[0]",
    "len": "n = len(set(words))\nuse(n)",
    "len of a list": "n = len(list(set(words)))\nuse(n)",
    "membership": "s = {'a', 'b'}\nif w in s:\n    use(w)",
    "min": "m = min(set(words))\nuse(m)",
    "any": "s = {'a', 'b'}\nok = any(text == p for p in s)",
    "all": "ok = all(p in text for p in set(words))",
    "comparison": "assert set(a) == {'x', 'y'}",
    "methods": "ok = set(a).issuperset({'x', 'y'})",
    "error text": "s = set(a) - set(b)\nif s:\n    raise KeyError(', '.join(s))",
    "error text by name": "s = set(a) - set(b)\ntext = ', '.join(s)\nif s:\n    raise KeyError(text)",
    "assertion text": "s = set(a) & set(b)\nassert len(s) == 0, 'in both: %s' % (str(s),)",
    "formatted": "s = {'a', 'b'}\nprint(f'{s}')",
    "log": "import logging\nlogging.info(', '.join(set(a)))",
    "warnings": "import warnings\nwarnings.warn('unused: ' + ', '.join(set(a)))",
    "isinstance": "ok = isinstance(w, tuple({str, bytes}))",
    "endings": "ok = name.endswith(tuple({'.a', '.b'}))",
    "adapted modules": "import peft\nc = peft.LoraConfig(r=8, target_modules=list(set(words)))",
    "one list for each": "s = {'a', 'b'}\nd = {w: [] for w in s}\nfor x in xs:\n    for w in s:\n        d[w].extend(f(x, w))\ny = d['a'][0]",
    "one list for each, out of sight": "for w in set(words):\n    groups[w].append(f(w))\ny = groups['a'][0]",
    "one file for each, in processes": "process_map(f, list(set(words)))",
    "positions": "x = list(set(audio_idx) & set(self.indices))\ny = x[0]",
    "choices of a command": "x = click.Choice(list(set(words)))",
    "choices": "parser.add_argument('--x', choices=list({'a', 'b'}))",
    "algebra": "s = (set(a) | set(b)) - {'x', 'y'}\nok = w in s",
    "flag": "for x in {'a', 'b'}:\n    if x == w:\n        found = True",
    "flag returned": "for x in {'a', 'b'}:\n    if x in text:\n        return True",
    "other set": "t = set()\nfor x in set(a):\n    t.add(x.lower())\nok = w in t",
    "discard": "for x in set(a):\n    s.discard(x)",
    "count": "n = 0\nfor x in set(a):\n    if x in text:\n        n += 1\nuse(n)",
    "total": "t = sum(sizes[x] for x in set(a))",
    "dictionary by element": "m = {x: f(x) for x in set(a)}\ny = m[w]",
    "loop into a dictionary": "m = {}\nfor x in set(a):\n    m[x] = f(x)\ny = m[w]",
    "prints": "for x in set(a):\n    print(x)",
    "raises": "for x in set(a):\n    if x not in b:\n        raise KeyError(x)",
    "one output each": "for x in set(a):\n    render(x)",
    "deletes": "for x in set(a):\n    del m[x]",
    "ints": "x = list({3, 1, 2})\ny = x[0]",
    "range": "x = list(set(range(9)) - set(range(3)))\ny = x[0]",
    "lengths": "x = list({len(w) for w in words})\ny = x[0]",
    "ints converted": "x = list(set(int(w) for w in words))\ny = x[0]",
    "ints mapped": "x = list(set(map(int, words)))\ny = x[0]",
    "ints of enumerate": "s = set()\nfor i, w in enumerate(words):\n    s.add(i)\nx = list(s)\ny = x[0]",
    "tuples of ints": "x = list({(1, 2), (3, 4)})\ny = x[0]",
    "values of a tensor": "x = list(set(torch.randint(0, 9, (5,)).tolist()))\ny = x[0]",
    "one element": "x = list({nn.Linear})\ny = x[0]",
    "empty": "x = list(set())\ny = x",
    "popped single": "s = set(words)\nif len(s) == 1:\n    w = s.pop()",
    "popped after an assertion": "s = set(words)\nassert len(s) == 1\nw = next(iter(s))",
    "unpacked single": "(w,) = set(words)",
    "literal dictionary": "heads = {'a': 1, 'b': 2}\nfor name, n in heads.items():\n    net.add_module(name, nn.Linear(4, n))",
    "dictionary from keys of a list": "x = list(dict.fromkeys(words))\ny = x[0]",
    "a method named set": "sn.set(font_scale=1.0)\nx = list(sn.set(1))\ny = x[0]",
    "keys of a dictionary": "x = list(m.keys())\ny = x[0]",
    "maximum kept": "best = 0\nfor w in set(words):\n    best = max(best, score(w))\nuse(best)",
    "work list": "todo = {w}\nseen = set()\nwhile todo:\n    x = todo.pop()\n    seen.add(x)\n    todo.update(links[x])\nok = w in seen",
    "unused": "x = list(set(words))",
    "empty for good": "x = list(frozenset())\ny = x[0]",
    "some of it in a text": "text = ''\ntext += f' missing {list(set(words))[:3]}'\nprint(text)",
}  # fmt: skip


def in_function(body: str) -> str:
    return (
        "def main(words, a, b, d, k, w, m, f, ids, tok, net, heads, text, frame, s, links, sizes, parser, sn, name):\n"
        + "".join(f"    {line}\n" for line in body.splitlines())
    )


@pytest.mark.parametrize("case", SPEAKS)
def test_order_of_a_set_matters(case: str) -> None:
    body, span, consumer = SPEAKS[case]
    found = uses(in_function(body))
    assert [text for text, _ in found] == [span]
    use = found[0][1]
    assert consumer in use.consumer
    assert use.kind == "set"
    assert use.source is not None


@pytest.mark.parametrize("case", SILENT)
def test_order_of_a_set_does_not_matter(case: str) -> None:
    assert uses(in_function(SILENT[case])) == []


@pytest.mark.parametrize(
    ("made", "elements", "certain"),
    [
        ("{'a', 'b'}", "str", True),
        ("set(x.lower() for x in words)", "str", True),
        ("set(words)", "unknown", False),
        ("set(net.parameters())", "object", False),
        ("{nn.Linear, nn.Conv2d}", "object", False),
        ("{type(x) for x in words}", "object", False),
        ("{x for _, x in net.named_modules()}", "object", False),
        ("{name for name, _ in net.named_parameters()}", "str", True),
        ("{p.stem for p in Path(words).iterdir()}", "str", True),
        ("{f'{x}-{y}' for x in words for y in words}", "str", True),
    ],
)
def test_elements(made: str, elements: str, certain: bool) -> None:
    ((_, use),) = uses(f"def main(net, words):\n    x = list({made})\n    return x[0], x[1]")
    assert (use.elements, use.certain_fix) == (elements, certain)
    assert use.confidence == ("medium" if elements == "unknown" else "high")


@pytest.mark.parametrize(
    ("parameter", "speaks"),
    [
        ("s: set[str]", True),
        ("s: frozenset", True),
        ("s: typing.Set[str]", True),
        ("s: typing.Optional[typing.Set[str]]", True),
        ("s: set[str] | None = None", True),
        ("s=frozenset({'a', 'b'})", True),
        ("s: set[int]", False),
        ("s: list[str]", False),
        ("s", False),
    ],
)
def test_parameters_that_are_sets(parameter: str, speaks: bool) -> None:
    found = uses(f"import typing\ndef main({parameter}):\n    ids = {{w: i for i, w in enumerate(s)}}")
    assert [text for text, _ in found] == (["enumerate(s)"] if speaks else [])


@pytest.mark.parametrize(
    ("decorator", "annotation", "speaks"),
    [
        ("@dataclass", "set[str]", True),
        ("@dataclass(frozen=True)", "frozenset", True),
        ("@dataclasses.dataclass", "typing.Set[str] = field(default_factory=set)", True),
        ("@dataclass", "set[int]", False),
        ("@dataclass", "list[str]", False),
        ("", "set[str]", False),
    ],
)
def test_fields_that_are_sets(decorator: str, annotation: str, speaks: bool) -> None:
    found = uses(
        "import dataclasses, typing\nfrom dataclasses import dataclass, field\n"
        f"{decorator}\nclass Task:\n    s: {annotation}\n    def ids(self):\n"
        "        return {w: i for i, w in enumerate(self.s)}"
    )
    assert [text for text, _ in found] == (["enumerate(self.s)"] if speaks else [])


def test_places_of_the_set_and_of_its_use() -> None:
    text = "def main(words):\n    s = set(w.lower() for w in words)\n    x = list(s)\n    return x[0]\n"
    ((span, use),) = uses(text)
    assert span == "list(s)"
    assert use.source is not None
    assert text[slice(*use.source)] == "set(w.lower() for w in words)"
    assert use.fix_span is not None
    assert text[slice(*use.fix_span)] == "s"
    assert (use.source_path, use.source_unit, use.api) == ("train.py", use.unit, "set(...)")


@pytest.mark.parametrize("copied", ["copy.copy", "copy.deepcopy"])
@pytest.mark.parametrize(
    ("made", "use", "count"),
    [
        ("set(names)", "return 3 in other", 0),
        ("set(names)", "return list(other)", 1),
        ("{name: {} for name in set(names)}", "other['a']['b'] = 3", 0),
        ("{name: {} for name in set(names)}", "return list(other.values())[0]", 1),
        ("list(set(names))", "return other[0]", 1),
    ],
)
def test_copies(copied: str, made: str, use: str, count: int) -> None:
    text = f"import copy\ndef f(names):\n    first = {made}\n    other = {copied}(first)\n    {use}"
    assert len(uses(text)) == count
