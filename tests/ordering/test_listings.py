"""Listings without a defined order: where their order makes a difference, and where it does not."""

from __future__ import annotations

import pytest

from tests.ordering.project import uses

SPEAKS = {
    "index": ("first = os.listdir(d)[0]", "os.listdir(d)", "is indexed with [0]"),
    "choice": ("x = random.choice(os.listdir(d))", "os.listdir(d)", "reaches `random.choice(...)`"),
    "the top of a walk, unsorted": (
        "out = []\nfor root, dirs, files in os.walk(d):\n    for f in files:\n        out.append(f)\n    break\nx = out[3]",
        "os.walk(d)",
        "feeds the loop that appends to `out`",
    ),
    "slice": ("train = os.listdir(d)[:100]; use(train)", "os.listdir(d)", "is split by slicing"),
    "next": ("w = next(Path(d).glob('*.xml'))", "Path(d).glob('*.xml')", "gives its first element to `next`"),
    "next of iter": ("w = next(iter(d.rglob('*.xml')))", "d.rglob('*.xml')", "gives its first element"),
    "append": (
        "samples = []\nfor f in os.listdir(d):\n    samples.append(f)\nx = samples[i]",
        "os.listdir(d)",
        "feeds the loop that appends to `samples`",
    ),
    "extend": ("files = []\nfiles.extend(glob.glob(d))\nx = files[0]", "glob.glob(d)", "is indexed with [0]"),
    "plus": (
        "files = []\nfor r in roots:\n    files += glob.glob(r)\nx = files[:9]",
        "glob.glob(r)",
        "is split by slicing",
    ),
    "sum of two": ("files = glob.glob(a) + [b]\nx = files[3]", "glob.glob(a)", "is indexed with [3]"),
    "comprehension": ("x = [f for f in os.listdir(d) if f.endswith('.pt')]\ny = x[:3]", "os.listdir(d)", "slicing"),
    "nested comprehension": ("x = [f for a in b for f in a.iterdir()]\ny = x[0]", "a.iterdir()", "is indexed with [0]"),
    "list": ("x = list(d.iterdir())\ny = x[0]", "d.iterdir()", "is indexed with [0]"),
    "filter": ("x = list(filter(ok, os.listdir(d)))\ny = x[0]", "os.listdir(d)", "is indexed with [0]"),
    "map": ("x = list(map(Path, os.listdir(d)))\ny = x[0]", "os.listdir(d)", "is indexed with [0]"),
    "chain": ("x = list(itertools.chain(a.glob('*.a'), c))\ny = x[0]", "a.glob('*.a')", "is indexed with [0]"),
    "tqdm": ("from tqdm import tqdm\nx = [f for f in tqdm(os.listdir(d))]\ny = x[0]", "os.listdir(d)", "is indexed"),
    "islice": ("for f in itertools.islice(d.iterdir(), 3):\n    use(f)", "d.iterdir()", "is split by slicing"),
    "enumerate": ("ids = {f: i for i, f in enumerate(os.listdir(d))}", "os.listdir(d)", "is numbered by `enumerate`"),
    "counter": (
        "n = 0\nids = {}\nfor f in os.listdir(d):\n    ids[f] = n\n    n += 1",
        "os.listdir(d)",
        "is numbered one after the other",
    ),
    "length as label": ("for f in os.listdir(d):\n    ids[f] = len(ids)", "os.listdir(d)", "is numbered one"),
    "setdefault": ("for f in os.listdir(d):\n    ids.setdefault(f, len(ids))", "os.listdir(d)", "is numbered one"),
    "zip with range": ("ids = dict(zip(os.listdir(d), range(9)))", "os.listdir(d)", "is numbered one"),
    "pairing": (
        "for a, b in zip(glob.glob(x), names):\n    show(a, b)",
        "glob.glob(x)",
        "is paired with another sequence",
    ),
    "numbered outputs": (
        "for i, f in enumerate(os.listdir(d)):\n    shutil.copy(f, f'{i}.png')",
        "os.listdir(d)",
        "reaches `shutil.copy(...)`",
    ),
    "plots": ("for f in d.glob('*.csv'):\n    ax.plot(read(f))", "d.glob('*.csv')", "the loop that draws with `plot`"),
    "trains": (
        "for f in os.listdir(d):\n    loss = model(torch.load(f))\n    loss.backward()",
        "os.listdir(d)",
        "feeds the loop that trains",
    ),
    "draws": ("for f in os.listdir(d):\n    mask = random.random() < 0.1", "os.listdir(d)", "draws random numbers"),
    "one file": (
        "with open(o, 'w') as out:\n    for f in os.listdir(d):\n        out.write(f)",
        "os.listdir(d)",
        "feeds the loop that writes to `out`",
    ),
    "printed to a file": (
        "with open(o, 'w') as out:\n    for f in os.listdir(d):\n        print(f, file=out)",
        "os.listdir(d)",
        "feeds the loop that writes to a file",
    ),
    "written at once": ("open(o, 'w').write('\\n'.join(os.listdir(d)))", "os.listdir(d)", "is joined into a text"),
    "built text": ("s = ''\nfor f in os.listdir(d):\n    s += f\nuse(s)", "os.listdir(d)", "builds the text `s`"),
    "shuffle": ("x = os.listdir(d)\nrandom.shuffle(x)", "os.listdir(d)", "reaches `random.shuffle(...)`"),
    "unknown callable": ("ds = load_dataset(data_files=glob.glob(d))", "glob.glob(d)", "reaches `load_dataset(...)`"),
    "in a dictionary": (
        "cfg = {'files': os.listdir(d)}\ntrain(cfg['files'][0])",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "grouped": (
        "groups = defaultdict(list)\nfor f in os.listdir(d):\n    groups[f[0]].append(f)\nx = groups['a'][0]",
        "os.listdir(d)",
        "feeds the loop that appends to `groups[…]`",
    ),
    "behind a bar": (
        "import progressbar\nx = []\nfor f in progressbar.progressbar(os.listdir(d)):\n    x.append(f)\ny = x[0]",
        "os.listdir(d)",
        "feeds the loop that appends to `x`",
    ),
    "unpacked": ("a, b = os.listdir(d)", "os.listdir(d)", "is unpacked into names"),
    "popped": ("x = os.listdir(d)\ny = x.pop()", "os.listdir(d)", "is taken from one end by `pop`"),
    "spread": ("x = [*os.listdir(d), 'a']\ny = x[0]", "os.listdir(d)", "is indexed with [0]"),
    "cut off": (
        "for i, f in enumerate(os.listdir(d)):\n    if i > 3:\n        break\n    use(f)",
        "os.listdir(d)",
        "cut off",
    ),
    "first kept": (
        "for f in os.listdir(d):\n    if f.endswith('.pt'):\n        found = f\n        break",
        "os.listdir(d)",
        "decides which one that fits is kept",
    ),
    "first only": ("for f in os.listdir(d):\n    use(f)\n    break", "os.listdir(d)", "decides which one is used"),
    "walk": (
        "x = []\nfor root, dirs, files in os.walk(d):\n    for f in files:\n        x.append(f)\ny = x[0]",
        "os.walk(d)",
        "feeds the loop that appends to `x`",
    ),
    "walk with sorted files only": (
        "x = []\nfor root, dirs, files in os.walk(d):\n    for f in sorted(files):\n        x.append(f)\ny = x[0]",
        "os.walk(d)",
        "feeds the loop that appends to `x`",
    ),
    "walk with sorted folders only": (
        "x = []\nfor root, dirs, files in os.walk(d):\n    dirs.sort()\n    for f in files:\n        x.append(f)\ny = x[0]",
        "os.walk(d)",
        "feeds the loop that appends to `x`",
    ),
    "first folders": ("names = next(os.walk(d))[1]\nx = names[0]", "os.walk(d)", "is indexed with [0]"),
    "scandir": ("x = [e.path for e in os.scandir(d)]\ny = x[0]", "os.scandir(d)", "is indexed with [0]"),
    "scandir opened": (
        "with os.scandir(d) as entries:\n    x = [e.path for e in entries]\ny = x[0]",
        "[e.path for e in entries]",
        "is indexed with [0]",
    ),
    "scandir opened, looped over": (
        "x = []\nwith os.scandir(d) as entries:\n    for e in entries:\n        x.append(e)\ny = x[0]",
        "entries",
        "feeds the loop that appends to `x`",
    ),
    "scandir opened, returned": ("with os.scandir(d) as e:\n    return list(e)[i]", "list(e)", "is indexed with"),
    "grouped by setdefault": (
        "by = {}\nfor f in os.listdir(d):\n    by.setdefault(f[0], []).append(f)\nx = by['a'][0]",
        "os.listdir(d)",
        "feeds the loop that appends to `by[…]`",
    ),
    "texts of files": (
        "text = '\\n'.join(p.read_text() for p in Path(d).glob('*.txt'))\nids = [ord(c) for c in text]\nx = torch.tensor(ids)",
        "Path(d).glob('*.txt')",
        "is joined into a text",
    ),
    "texts of files, encoded": (
        "text = '\\n'.join(p.read_text() for p in Path(d).glob('*'))\nx = torch.tensor(pool.encode(text))",
        "Path(d).glob('*')",
        "is joined into a text",
    ),
    "lines of files": (
        "text = ''\nfor f in d.glob('*'):\n    text += f.read_text()\nx = text.splitlines()[0]",
        "d.glob('*')",
        "feeds the loop that builds the text `text`",
    ),
    "list of before the loop": (
        "x = make()\nfor f in os.listdir(d):\n    x.append(f)\nsave(x)",
        "os.listdir(d)",
        "feeds the loop that appends to `x`",
    ),
    "asserted two": (
        "x = os.listdir(d)\nself.assertEqual(len(x), 2)\ny = x[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "asserted something else": ("x = os.listdir(d)\nself.assertTrue(len(x) > 0)\ny = x[0]", "os.listdir(d)", "[0]"),
    "look-alike": ("import tensorflow as tf\nx = tf.io.gfile.listdir(d)[0]", "tf.io.gfile.listdir(d)", "[0]"),
    "by position": (
        "x = os.listdir(d)\nfor i in range(len(x)):\n    y[i] = read(x[i])",
        "os.listdir(d)",
        "is numbered one after the other",
    ),
    "guard that only warns": (
        "x = os.listdir(d)\nif len(x) > 1:\n    print('more than one')\ny = x[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "sorted too late": ("x = os.listdir(d)\ny = x[0]\nx = sorted(x)", "os.listdir(d)", "is indexed with [0]"),
    "labels by position": (
        "x = os.listdir(d)\ny = [x.index(f[:3]) for f in names]\ntrain(y)",
        "os.listdir(d)",
        "gives elements their position with `index`",
    ),
    "mapped in a pool": ("x = pool.map(load, os.listdir(d))\ny = list(x)[0]", "os.listdir(d)", "is indexed with [0]"),
    "data frames": (
        "import pandas as pd\nx = pd.concat([pd.read_csv(f) for f in glob.glob(d)])\nx.to_csv(out)",
        "glob.glob(d)",
        "reaches `x.to_csv(...)`",
    ),
    "last": ("x = os.listdir(d)[-1]", "os.listdir(d)", "is indexed with [-1]"),
    "list in two steps": ("x = []\nfor f in os.listdir(d):\n    x = [f, *x]\ny = x[0]", "os.listdir(d)", "adds to `x`"),
}

SILENT = {
    "behind a bar, one by one": (
        "from progressbar import progressbar\nfor f in progressbar(os.listdir(d), max_value=3):\n    shutil.copy2(f, o)"
    ),
    "behind another bar, one by one": (
        "from alive_progress import alive_it\nfor f in alive_it(os.listdir(d)):\n    os.remove(f)"
    ),
    "sources of an extension": (
        "from torch.utils.cpp_extension import load\nload(name='x', sources=glob.glob('*.cpp') + glob.glob('*.cu'))"
    ),
    "the top of a walk": "for root, dirs, files in os.walk(d):\n    files = sorted(files)\n    for f in files:\n        out.append(f)\n    break",
    "sorted": "x = sorted(os.listdir(d))\ny = x[0]",
    "sorted by key": "x = sorted(glob.glob(d), key=os.path.getmtime)\ny = x[0]",
    "natsorted": "from natsort import natsorted\nx = natsorted(os.listdir(d))[0]",
    "numpy sort": "import numpy as np\nx = np.sort(os.listdir(d))[0]",
    "sort later": "x = os.listdir(d)\nx.sort()\ny = x[0]",
    "sort later under another name": "x = os.listdir(d)\ny = x\ny.sort()\nz = x[0]",
    "derived name sorted": "x = os.listdir(d)\ny = [os.path.join(d, f) for f in x]\ny.sort()\nz = y[0]",
    "loop then sort": "x = []\nfor f in os.listdir(d):\n    x.append(f)\nx.sort()\ny = x[0]",
    "loop then sorted generator": "x = []\nfor r in roots:\n    x += glob.glob(r)\ny = sorted(f.lower() for f in x)\nz = y[0]",
    "membership": "if name in os.listdir(d):\n    use(name)",
    "count": "n = len(os.listdir(d))\nuse(n)",
    "count of a list": "n = len([x for x in (d / 'train').glob('*') if x.is_dir()])\nuse(n)",
    "truth": "if not os.listdir(d):\n    use(d)",
    "truth in a chain": "if not (a or (has_magic(s) and glob.glob(s))):\n    raise ValueError(s)",
    "any": "ok = any(f.endswith('.pt') for f in os.listdir(d))",
    "max": "last = max(glob.glob(d), key=os.path.getctime)",
    "sum": "size = sum(f.stat().st_size for f in d.rglob('*'))\nuse(size)",
    "counter": "c = Counter(f[0] for f in os.listdir(d))\nuse(c)",
    "set": "s = set(os.listdir(d))\nuse(len(s), 'a' in s)",
    "comparison": "same = os.listdir(d) == []",
    "deletion": "for f in glob.glob(d + '*'):\n    if f != keep:\n        os.remove(f)",
    "deletion of trees": "for f in d.iterdir():\n    shutil.rmtree(f)",
    "printing": "for f in os.listdir(d):\n    print(f)",
    "printing the list": "print('found', os.listdir(d))",
    "logging": "import logging\nlog = logging.getLogger()\nlog.info('%s', ', '.join(os.listdir(d)))",
    "error text": "raise ValueError(f'{os.listdir(d)[0]} is not it')",
    "independent outputs": "for f in os.listdir(d):\n    image = load(f)\n    image.save(out / f)",
    "own file each": "for f in os.listdir(d):\n    with open(f, 'w') as out:\n        out.write(f)",
    "dictionary by name": "sizes = {}\nfor f in os.listdir(d):\n    sizes[f] = os.path.getsize(f)\nx = sizes[name]",
    "dictionary comprehension": "sizes = {f: load(f) for f in os.listdir(d)}\nx = sizes[name]",
    "maximum kept": "best = None\nfor f in os.listdir(d):\n    num = int(f)\n    if best is None or num > best:\n        best = num\nuse(best)",
    "number summed": "n = 0\nfor f in os.listdir(d):\n    n += 1\nuse(n)",
    "equality": "for f in os.listdir(d):\n    if f == name:\n        found = f\n        break",
    "next with equality": "f = next(f for f in os.listdir(d) if f == name)",
    "asserted single": "x = glob.glob(d)\nassert len(x) == 1, x\ny = x[0]",
    "guarded single": "x = glob.glob(d)\nif len(x) != 1:\n    raise ValueError(d)\ny = x[0]",
    "guarded by more than one": "x = glob.glob(d)\nif len(x) > 1:\n    raise ValueError\nelif not x:\n    raise ValueError\ny = x[0]",
    "single in a branch": "x = glob.glob(d)\nif len(x) == 1:\n    y = x[0]",
    "single in an expression": "x = glob.glob(d)\ny = x[0] if len(x) == 1 else None",
    "single by name": "x = glob.glob(d)\nn = len(x)\nassert n == 1\ny = x[0]",
    "asserted single by a test case": "x = os.listdir(d)\nself.assertEqual(len(x), 1)\ny = x[0]",
    "asserted single, turned round": "x = os.listdir(d)\nself.assertEqual(1, len(x), 'one')\ny = x[0]",
    "asserted single by truth": "x = os.listdir(d)\nself.assertTrue(len(x) == 1, 'one')\ny = x[0]",
    "asserted single by falsehood": "x = os.listdir(d)\nself.assertFalse(len(x) != 1)\ny = x[0]",
    "asserted single, old name": "x = os.listdir(d)\nself.assert_(len(x) == 1)\ny = x[0]",
    "asserted few": "x = os.listdir(d)\nself.assertLess(len(x), 2)\ny = x[0]",
    "asserted length": "x = os.listdir(d)\nself.assertLen(x, 1)\ny = x[0]",
    "scandir opened, counted": "with os.scandir(d) as e:\n    n = len([x for x in e])\nuse(n)",
    "lines of each file": (
        "for n in os.listdir(d):\n    with open(n) as f:\n        lines = f.readlines()\n    lines.insert(0, o)\n"
        "    with open(n, 'w') as f:\n        f.writelines(lines)"
    ),
    "list of each file": (
        "for n in os.listdir(d):\n    try:\n        if n in names:\n            x = make()\n    except OSError:\n        x = []\n"
        "    x.append(n)\n    save(x, n)"
    ),
    "text of each file": "for n in os.listdir(d):\n    s = ''\n    s += n\n    save(s, n)",
    "unpacked single": "(only,) = glob.glob(d)",
    "exact name": "x = glob.glob('model.pt')[0]",
    "walk in order": (
        "x = []\nfor root, dirs, files in os.walk(d):\n    dirs.sort()\n    for f in sorted(files):\n        x.append(f)\ny = x[0]"
    ),
    "walk, folders assigned": (
        "x = []\nfor root, dirs, files in os.walk(d):\n    dirs[:] = sorted(dirs)\n    x += sorted(files)\ny = x[0]"
    ),
    "walk, all sorted later": (
        "x = []\nfor root, _, files in os.walk(d):\n    x.extend(os.path.join(root, f) for f in files)\nx = sorted(x)\ny = x[0]"
    ),
    "walk counted": "n = sum(len(files) for _, _, files in os.walk(d))\nuse(n)",
    "groups sorted": "groups = defaultdict(list)\nfor f in os.listdir(d):\n    groups[f[0]].append(f)\nx = sorted(groups['a'])[0]",
    "pairs from one listing": "x = os.listdir(d)\nfor a, b in zip(x, [f.lower() for f in x]):\n    save(a, b)",
    "by position, one output each": "x = os.listdir(d)\nfor i in range(len(x)):\n    convert(x[i])",
    "own glob": "class Store:\n    def glob(self, p):\n        return [p]\n    def first(self):\n        return self.glob('a')[0]",
    "endings": "ok = name.endswith(tuple(os.listdir(d)))",
    "progress": "for i, f in enumerate(os.listdir(d)):\n    if i % 10 == 0:\n        print(i)\n    convert(f)",
    "work list sorted later": (
        "todo = [d]\nfound = []\nwhile todo:\n    p = todo.pop()\n    for f in os.listdir(p):\n        todo.append(f)\n        found.append(f)\n"
        "found.sort()\nx = found[0]"
    ),
    "constant appended": "x = []\nfor f in os.listdir(d):\n    x.append(1)\ny = x[0]",
    "unused": "x = os.listdir(d)",
    "two iterators": "x, y = itertools.tee(os.listdir(d))\nuse(max(x), max(y))",
    "latest by position": (
        "x = os.listdir(d)\nsteps = [int(f[5:]) for f in x]\nlast = x[steps.index(max(steps))]\nuse(last)"
    ),
    "latest by argmax": "import numpy as np\nx = os.listdir(d)\nsteps = [int(f[5:]) for f in x]\nlast = x[np.argmax(steps)]",
    "deletion of files and folders": (
        "for f in os.listdir(d):\n    if os.path.isdir(f):\n        shutil.rmtree(f)\n    else:\n        os.unlink(f)"
    ),
    "mapped in a pool, results dropped": "pool.map(convert, os.listdir(d))",
    "sorted pairs": "x = sorted([(os.path.getmtime(f), f) for f in glob.glob(d)])[-1]",
    "lines counted": "n = 0\nfor f in os.listdir(d):\n    with open(f) as h:\n        n += len(h.readlines())\nuse(n)",
    "raises": "for f in os.listdir(d):\n    if bad(f):\n        raise ValueError(f)",
}


SUMS = {
    "loaded": "x = 0\nfor f in os.listdir(d):\n    x += torch.load(f)\nuse(x)",
    "onto a tensor": "x = torch.zeros(3)\nfor f in os.listdir(d):\n    x = x + read(f)\nuse(x)",
    "numbers": "for f in os.listdir(d):\n    ids['sum'] += float(f)",
}


def in_function(body: str) -> str:
    return "def main(self, d, a, b, c, o, s, ids, name, names, roots, keep, out, y, i, pool):\n" + "".join(
        f"    {line}\n" for line in body.splitlines()
    )


@pytest.mark.parametrize("case", SPEAKS)
def test_order_of_a_listing_matters(case: str) -> None:
    body, span, consumer = SPEAKS[case]
    found = uses(in_function(body))
    assert [text for text, _ in found] == [span]
    use = found[0][1]
    assert consumer in use.consumer
    assert use.kind == "listing"


@pytest.mark.parametrize("case", SILENT)
def test_order_of_a_listing_does_not_matter(case: str) -> None:
    assert uses(in_function(SILENT[case])) == []


@pytest.mark.parametrize("case", SUMS)
def test_sums_are_rounded(case: str) -> None:
    assert [(text, use.confidence) for text, use in uses(in_function(SUMS[case]))] == [("os.listdir(d)", "low")]


@pytest.mark.parametrize("case", ["index", "append", "plots", "walk", "grouped"])
def test_top_level_is_like_a_function(case: str) -> None:
    body, span, consumer = SPEAKS[case]
    assert [(text, consumer in use.consumer) for text, use in uses(body)] == [(span, True)]


@pytest.mark.parametrize("case", ["sort later", "loop then sort", "walk in order", "guarded single", "maximum kept"])
def test_top_level_repairs(case: str) -> None:
    assert uses(SILENT[case]) == []


def test_fix_is_certain_only_where_sorted_can_be_put() -> None:
    (_, index), (_, first), (_, scanned) = uses("""
        def a(d):
            return os.listdir(d)[0]
        def b(d):
            return next(d.iterdir())
        def c(d):
            return [e for e in os.scandir(d)][0]
    """)
    assert index.certain_fix
    assert index.fix_span == index.span
    assert (first.certain_fix, first.fix_span) == (False, None)
    assert (scanned.certain_fix, scanned.fix_span) == (False, None)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("next(folder.iterdir())", 0),
        ("next(os.scandir(folder))", 0),
        ("first = next(folder.iterdir())", 1),
        ("load(next(folder.iterdir()))", 1),
    ],
)
def test_whether_there_is_a_first_file(line: str, count: int) -> None:
    text = f"def empty(folder: Path):\n    try:\n        {line}\n    except StopIteration:\n        return True\n    return False"
    assert len(uses(text)) == count


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("CUDAExtension('ops', sources)", 0),
        ("extension('ops', sources, include_dirs=['src'])", 0),
        ("torch.utils.cpp_extension.load(name='ops', sources=sources)", 0),
        ("build('ops', sources)", 1),
    ],
)
def test_sources_of_an_extension(call: str, count: int) -> None:
    text = f"""
import torch
from torch.utils.cpp_extension import CppExtension, CUDAExtension
from elsewhere import build
extension = CUDAExtension if torch.cuda.is_available() else CppExtension
def main(folder):
    sources = glob.glob(folder + "/*.cpp") + glob.glob(folder + "/*.h")
    return {call}
"""
    assert len(uses(text)) == count * 2
