"""Orders that go through attributes, functions, modules, and what stands between them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.ordering.project import IMPORTS, uses, uses_in


def dataset(init: str, *others: str) -> str:
    lines = [f"        {line}" for line in init.splitlines()]
    return "\n".join(["class Data:", "    def __init__(self, root):", *lines, *(f"    {line}" for line in others)])


GETITEM = ("def __getitem__(self, i):", "    return load(self.files[i])")

CLASS_SPEAKS = {
    "indexed in another method": (
        dataset("self.files = os.listdir(root)", *GETITEM),
        "becomes the list `self.files`",
        "high",
    ),
    "path kept": (
        dataset("self.root = Path(root)\nself.files = list(self.root.glob('*'))", *GETITEM),
        "becomes the list `self.files`",
        "high",
    ),
    "method before the assignment": (
        "class Data:\n    def get(self, i):\n        return self.files[i]\n    def load(self, d):\n        self.files = os.listdir(d)",
        "becomes the list `self.files`",
        "high",
    ),
    "appended": (
        dataset("self.files = []\nfor f in os.listdir(root):\n    self.files.append(f)", *GETITEM),
        "feeds the loop that appends to `self.files`",
        "high",
    ),
    "appended through a local name": (
        dataset("files = []\nself.files = files\nfor f in os.listdir(root):\n    files.append(f)", *GETITEM),
        "feeds the loop that appends to `files`",
        "high",
    ),
    "never read": (dataset("self.files = os.listdir(root)"), "is kept in `self.files`", "medium"),
    "groups never read": (
        dataset("self.by = defaultdict(list)\nfor f in os.listdir(root):\n    self.by[f[0]].append(f)"),
        "feeds the loop that appends to `self.by[…]`",
        "medium",
    ),
    "indexed with a number": (
        dataset("self.files = os.listdir(root)\nx = self.files[0]"),
        "is indexed with [0]",
        "high",
    ),
    "only counted": (
        dataset("self.files = os.listdir(root)", "def __len__(self):", "    return len(self.files)"),
        "is kept in `self.files`",
        "medium",
    ),
    "yielded by a special method": (
        dataset(
            "self.files = os.listdir(root)", "def __iter__(self):", "    for f in self.files:", "        yield load(f)"
        ),
        "is yielded",
        "high",
    ),
    "through an own method": (
        dataset("self.files = self.find(root)", *GETITEM, "def find(self, root):", "    return os.listdir(root)"),
        "becomes the list `self.files`",
        "high",
    ),
    "through a property": (
        "class Data:\n    @property\n    def files(self):\n        return os.listdir(self.root)\n    def get(self, i):\n"
        "        return self.files[i]",
        "becomes the list `self.files`",
        "high",
    ),
    "given to the constructor": (
        dataset("self.files = root", *GETITEM)
        + "\n    @classmethod\n    def at(cls, d):\n        return cls(os.listdir(d))",
        "reaches `Data(...)`, where it becomes the list `self.files`",
        "high",
    ),
    "numbered by an attribute": (
        "class Data:\n    def fit(self, d):\n        self.n = 0\n        self.ids = {}\n        for f in os.listdir(d):\n"
        "            self.ids[f] = self.n\n            self.n += 1",
        "is numbered one after the other",
        "high",
    ),
    **{
        f"position given by a special method, {name}": (
            dataset("self.names = list({p.name for p in root})", "def __getitem__(self, i):", f"    return {given}"),
            "gives elements their position with `index`",
            "high",
        )
        for name, given in {
            "alone": "self.names.index(i)",
            "in a tuple": "i, self.names.index(i)",
            "in a tuple in a tuple": "i, (i, self.names.index(i))",
            "in a list": "[i, self.names.index(i)]",
            "in a dictionary": "{'x': i, 'y': self.names.index(i)}",
        }.items()
    },
    "positions kept in pairs": (
        dataset(
            "self.names = list(set(root))\nself.pairs = []\nfor p in root:\n    self.pairs.append((p, self.names.index(p)))",
            "def __getitem__(self, i):",
            "    return self.pairs[i]",
        ),
        "gives elements their position with `index`",
        "medium",
    ),
    "class attribute": (
        "class Data:\n    files = os.listdir('a')\n    def get(self, i):\n        return self.files[i]",
        "becomes the list `self.files`",
        "high",
    ),
}

CLASS_SILENT = {
    "sorted at once": dataset("self.files = sorted(os.listdir(root))", *GETITEM),
    "sorted in another method": dataset(
        "self.files = os.listdir(root)\nself.order()", *GETITEM, "def order(self):", "    self.files.sort()"
    ),
    "sorted again": dataset(
        "self.files = os.listdir(root)", *GETITEM, "def order(self):", "    self.files = sorted(self.files)"
    ),
    "sorted after it was stored": dataset("files = os.listdir(root)\nself.files = files\nfiles.sort()", *GETITEM),
    "stored, then sorted": dataset("files = os.listdir(root)\nself.files = files\nself.files.sort()", *GETITEM),
    "appended, then sorted": dataset(
        "self.files = []\nfor f in os.listdir(root):\n    self.files.append(f)\nself.files.sort()", *GETITEM
    ),
    "gathered in a try, sorted over a generator": dataset(
        "try:\n    f = []\n    for p in root if isinstance(root, list) else [root]:\n        p = Path(p)\n        if p.is_dir():\n"
        "            f += glob.glob(str(p / '*'))\n        else:\n            raise OSError(p)\n"
        "    self.files = sorted(x.lower() for x in f if x)\nexcept Exception as e:\n    raise RuntimeError(root) from e",
        *GETITEM,
    ),
    "only looked up": dataset("self.files = os.listdir(root)", "def has(self, name):", "    return name in self.files"),
    "a set kept": dataset(
        "self.files = set(os.listdir(root))", "def has(self, name):", "    return name in self.files"
    ),
    "a set never read": dataset("self.seen = set(root)"),
    "sorted by an own method": dataset(
        "self.files = self.find(root)", *GETITEM, "def find(self, root):", "    return sorted(os.listdir(root))"
    ),
    "own method sorted": dataset(
        "self.files = sorted(self.find(root))", *GETITEM, "def find(self, root):", "    return os.listdir(root)"
    ),
    "asserted single": dataset("files = glob.glob(root)\nassert len(files) == 1\nself.file = files[0]"),
    "counted only": dataset("self.n = len(os.listdir(root))"),
    "position in what is sorted": dataset(
        "self.names = sorted({p.name for p in root})", "def __getitem__(self, i):", "    return i, self.names.index(i)"
    ),
    "position in a list that is given": dataset(
        "self.names = root", "def __getitem__(self, i):", "    return {'y': self.names.index(i)}"
    ),
    "ints gathered across methods": (
        "class Data:\n    def __init__(self):\n        self.seen = set()\n    def add(self, xs):\n        for i, x in enumerate(xs):\n"
        "            self.seen.add(i)\n    def all(self):\n        return list(self.seen)[0]"
    ),
}


@pytest.mark.parametrize("case", CLASS_SPEAKS)
def test_attributes(case: str) -> None:
    text, consumer, confidence = CLASS_SPEAKS[case]
    assert [(use.consumer, use.confidence) for _, use in uses(text)] == [(consumer, confidence)]


@pytest.mark.parametrize("case", CLASS_SILENT)
def test_attributes_in_order(case: str) -> None:
    assert uses(CLASS_SILENT[case]) == []


def test_strings_gathered_across_methods() -> None:
    ((span, use),) = uses(
        "class Data:\n    def __init__(self):\n        self.seen = set()\n    def add(self, x):\n        self.seen.add(x.lower())\n"
        "    def all(self):\n        return list(self.seen)[0]"
    )
    assert (span, use.elements) == ("list(self.seen)", "str")


FUNCTION_SPEAKS = {
    "caller indexes": (
        "def find(d):\n    return os.listdir(d)\ndef main(d):\n    return find(d)[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "text cut by the function, and returned": (
        "def text(x):\n    return ', '.join(x[:3])\ndef main(d):\n    return text(os.listdir(d))[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "nobody calls": ("def find(d):\n    return os.listdir(d)", "os.listdir(d)", "is returned by `find`"),
    "one of two callers": (
        "def find(d):\n    return os.listdir(d)\ndef a(d):\n    return sorted(find(d))\ndef b(d):\n    x = find(d)[:3]",
        "os.listdir(d)",
        "is split by slicing",
    ),
    "caller of the caller": (
        "def find(d):\n    return os.listdir(d)\ndef among(d):\n    return [f for f in find(d)]\ndef main(d):\n    x = among(d)[1]",
        "os.listdir(d)",
        "is indexed with [1]",
    ),
    "a tuple of results": (
        "def find(d):\n    return sorted(d), os.listdir(d)\ndef main(d):\n    a, b = find(d)\n    return b[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "generator": (
        "def find(d):\n    for f in os.listdir(d):\n        yield f\ndef main(d):\n    x = list(find(d))[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "delegating generator": (
        "def find(d):\n    yield from d.iterdir()\ndef main(d):\n    x = next(find(d))",
        "d.iterdir()",
        "gives its first element to `next`",
    ),
    "a set is returned": (
        "def words(d):\n    return set(d)\ndef main(d):\n    return {w: i for i, w in enumerate(words(d))}",
        "enumerate(words(d))",
        "is numbered by `enumerate`",
    ),
    "given to a function": (
        "def split(files):\n    return files[:3]\ndef main(d):\n    return split(os.listdir(d))",
        "os.listdir(d)",
        "reaches `split(...)`, where it is split by slicing",
    ),
    "a set given to a function": (
        "def number(words):\n    return {w: i for i, w in enumerate(words)}\ndef main(d):\n    return number(set(d))",
        "set(d)",
        "reaches `number(...)`, where it is numbered by `enumerate`",
    ),
    "result of a function that was given it": (
        "def full(files):\n    return [f + 'x' for f in files]\ndef main(d):\n    return full(os.listdir(d))[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "nested function": (
        "def main(d):\n    def find():\n        return os.listdir(d)\n    return find()[0]",
        "os.listdir(d)",
        "is indexed with [0]",
    ),
    "method of an unknown object": (
        "class Reader:\n    def files(self):\n        return os.listdir(self.d)\ndef main(r):\n    return r.files()[:2]",
        "os.listdir(self.d)",
        "is split by slicing",
    ),
    "method through a function": (
        "class Reader:\n    def files(self):\n        return os.listdir(self.d)\ndef among(r):\n    return [f for f in r.files()]\n"
        "def main(r):\n    return among(r)[:2]",
        "os.listdir(self.d)",
        "is split by slicing",
    ),
    "function that nobody calls after a method": (
        "class Reader:\n    def files(self):\n        return os.listdir(self.d)\ndef among(r):\n    return [f for f in r.files()]",
        "os.listdir(self.d)",
        "is returned by `among`",
    ),
    "method of a class": (
        "class Reader:\n    @staticmethod\n    def files(d):\n        return os.listdir(d)\ndef main(d):\n    return Reader.files(d)[:2]",
        "os.listdir(d)",
        "is split by slicing",
    ),
    "appended to a parameter": (
        "def find(d, out):\n    for f in os.listdir(d):\n        out.append(f)",
        "os.listdir(d)",
        "feeds the loop that appends to `out`",
    ),
    "list of a set returned": (
        "def uniq(d):\n    return list(set(d))\ndef main(d):\n    return uniq(d)[0]",
        "list(set(d))",
        "is indexed with [0]",
    ),
}

FUNCTION_SILENT = {
    "method sorted by its caller": (
        "class Reader:\n    def files(self):\n        return os.listdir(self.d)\ndef main(r):\n    return sorted(r.files())[0]"
    ),
    "method counted by its caller": (
        "class Reader:\n    def files(self):\n        return os.listdir(self.d)\ndef main(r):\n    return len(r.files())"
    ),
    "a class that is like a set": "class Bag:\n    def __iter__(self):\n        return iter(set(self.x))",
    "every caller sorts": "def find(d):\n    return os.listdir(d)\ndef a(d):\n    return sorted(find(d))[0]\ndef b(d):\n    return len(find(d))",
    "list of a set sorted by the caller": "def uniq(d):\n    return list(set(d))\ndef main(d):\n    return sorted(uniq(d))[0]",
    "generator sorted by the caller": "def find(d):\n    yield from d.iterdir()\ndef main(d):\n    return sorted(find(d))[0]",
    "set sorted by the caller": "def words(d):\n    return set(d)\ndef main(d):\n    return sorted(words(d))[0]",
    "set returned": "def words(d):\n    return set(d)",
    "sorted by the function": "def order(x):\n    return sorted(x)\ndef main(d):\n    return order(os.listdir(d))[0]",
    "sorted in place by the function": "def order(x):\n    x.sort()\ndef main(d):\n    x = os.listdir(d)\n    order(x)\n    return x[0]",
    "counted by the function": "def size(x):\n    return len(x)\ndef main(d):\n    return size(os.listdir(d))",
    "printed by the function": "def tell(x):\n    for f in x:\n        print(f)\ndef main(d):\n    tell(os.listdir(d))",
    "set looked up by the function": "def has(s, w):\n    return w in s\ndef main(d):\n    return has(set(d), 'a')",
    "recursive": "def find(d):\n    for f in os.listdir(d):\n        find(f)",
    "other part of the tuple": "def find(d):\n    return sorted(d), len(os.listdir(d))\ndef main(d):\n    a, b = find(d)\n    return a[0]",
    "set of ints returned": "def ids(d):\n    return {len(w) for w in d}\ndef main(d):\n    return list(ids(d))[0]",
    "name that says count": "def main(d, tool):\n    return tool.count_files(os.listdir(d))",
    "name that says log": "def main(d, tool):\n    tool.log_images(d.glob('*'))",
    "error text of the function": (
        "def check(x, names):\n    if x not in names:\n        raise KeyError('no ' + ', '.join(names[:3]))\n"
        "def main(x, d):\n    check(x, os.listdir(d))"
    ),
    "error text out of a list": (
        "def check(x, names):\n    lines = []\n    for n in names:\n        lines.append(n)\n    if x:\n"
        "        raise KeyError('\\n'.join(lines[:3]))\ndef main(x, d):\n    check(x, os.listdir(d))"
    ),
    "reasons returned for an error text": (
        "def move(d):\n    why = []\n    for n in list(set(d)):\n        why.append(n)\n    return False, why\n"
        "def main(d):\n    ok, why = move(d)\n    bad = []\n    if not ok:\n        bad.append('; '.join(why[:3]))\n"
        "    if bad:\n        raise ValueError('\\n'.join(bad))"
    ),
    "logged by the function": "def tell(x):\n    log.info(', '.join(x[:3]))\ndef main(d):\n    tell(os.listdir(d))",
    "error text of the caller": "def text(d):\n    return ', '.join(set(d))\ndef main(d):\n    raise ValueError(text(d))",
}


@pytest.mark.parametrize("case", FUNCTION_SPEAKS)
def test_functions(case: str) -> None:
    text, span, consumer = FUNCTION_SPEAKS[case]
    assert [(found, use.consumer) for found, use in uses(text)] == [(span, consumer)]


@pytest.mark.parametrize("case", FUNCTION_SILENT)
def test_functions_that_keep_it_in_order(case: str) -> None:
    assert uses(FUNCTION_SILENT[case]) == []


MODULE_SPEAKS = {
    "two statements": ("files = os.listdir('a')\nfirst = files[0]", "os.listdir('a')", "is indexed with [0]"),
    "set in two statements": (
        "words = {'a', 'b'}\nids = {w: i for i, w in enumerate(words)}",
        "enumerate(words)",
        "is numbered by `enumerate`",
    ),
    "set read by a function": (
        "WORDS = {'a', 'b'}\ndef main():\n    return {w: i for i, w in enumerate(WORDS)}",
        "enumerate(WORDS)",
        "is numbered by `enumerate`",
    ),
    "listing read by a function": (
        "FILES = os.listdir('a')\ndef main(i):\n    return FILES[i]",
        "os.listdir('a')",
        "is indexed with a position",
    ),
    "under the guard": (
        "if __name__ == '__main__':\n    files = os.listdir('a')\n    use(files[0])",
        "os.listdir('a')",
        "is indexed with [0]",
    ),
}

MODULE_SILENT = {
    "sorted later": "files = os.listdir('a')\nfiles.sort()\nfirst = files[0]",
    "sorted again": "files = os.listdir('a')\nfiles = sorted(files)\nfirst = files[0]",
    "membership": "WORDS = {'a', 'b'}\ndef main(w):\n    return w in WORDS",
    "any": "patterns = set([torch.add, 'add'])\nfor n in nodes:\n    if any(n == p for p in patterns):\n        use(n)",
    "sorted in a function": "WORDS = {'a', 'b'}\ndef main():\n    return ', '.join(sorted(WORDS)), sorted(WORDS)[0]",
    "sorted for a function": "FILES = os.listdir('a')\nFILES.sort()\ndef main(i):\n    return FILES[i]",
    "never used": "FILES = os.listdir('a')",
    "list": "NAMES = ['a', 'b']\ndef main():\n    return {w: i for i, w in enumerate(NAMES)}",
}


@pytest.mark.parametrize("case", MODULE_SPEAKS)
def test_top_level(case: str) -> None:
    text, span, consumer = MODULE_SPEAKS[case]
    assert [(found, use.consumer) for found, use in uses(text)] == [(span, consumer)]


@pytest.mark.parametrize("case", MODULE_SILENT)
def test_top_level_in_order(case: str) -> None:
    assert uses(MODULE_SILENT[case]) == []


def test_a_set_from_another_file_is_found_where_it_is_walked_through() -> None:
    ((path, span, use),) = uses_in(
        {
            "train.py": "from vocab import tokens\ndef main(x):\n    return list(tokens(x))[0]\n",
            "vocab.py": "def tokens(x):\n    return set(x)\n",
        }
    )
    assert (path, span, use.source_path) == ("train.py", "list(tokens(x))", "vocab.py")


def test_a_listing_used_in_another_file_is_found_where_it_is_made() -> None:
    files = {
        "train.py": "from data import find\ndef main(d):\n    files = find(d)\n    train = files[:9]\n",
        "data.py": IMPORTS + "def find(d):\n    return [d / f for f in os.listdir(d)]\n",
    }
    assert [(path, span, use.consumer) for path, span, use in uses_in(files)] == [
        ("data.py", "os.listdir(d)", "is split by slicing")
    ]
    files["train.py"] = "from data import find\ndef main(d):\n    files = sorted(find(d))\n    train = files[:9]\n"
    assert uses_in(files) == []


def test_a_global_of_another_file() -> None:
    files = {
        "train.py": "from words import WORDS\nids = {w: i for i, w in enumerate(WORDS)}\n",
        "words.py": "WORDS = {'a', 'b'}\n",
    }
    assert [(path, span) for path, span, _ in uses_in(files)] == [("train.py", "enumerate(WORDS)")]


BASE = """
import os
class Base:
    kept = []
    def __init__(self):
        self.items = []
        self.order()
    def order(self):
        pass
    def __getitem__(self, i):
        return self.items[i]
    def find(self, d):
        return os.listdir(d)
    def fill(self, files):
        self.items = files
"""

DERIVED_SPEAKS = {
    "appended": (
        "super().__init__()\nfor s in os.listdir(root):\n    self.items.append(s)",
        "feeds the loop that appends to `self.items`",
    ),
    "added": ("super().__init__()\nself.items += os.listdir(root)", "becomes the list `self.items`"),
    "extended": ("super().__init__()\nself.items.extend(os.listdir(root))", "becomes the list `self.items`"),
    "class attribute": ("self.kept.extend(os.listdir(root))\nx = self.kept[i]", "becomes the list `self.kept`"),
    "given to an inherited method": (
        "self.fill(os.listdir(root))",
        "reaches `fill(...)`, where it becomes the list `self.items`",
    ),
    "given to super": ("super().fill(os.listdir(root))", "reaches `fill(...)`, where it becomes the list `self.items`"),
}


def derived(body: str, *others: str) -> str:
    lines = [f"        {line}" for line in body.splitlines()]
    return "\n".join(
        ["import os", "from base import Base", "class Data(Base):", "    def __init__(self, root, i):", *lines, *others]
    )


@pytest.mark.parametrize("case", DERIVED_SPEAKS)
def test_attributes_of_a_base_class(case: str) -> None:
    body, consumer = DERIVED_SPEAKS[case]
    files = {"base.py": BASE, "data.py": derived(body)}
    assert [(path, span, use.consumer) for path, span, use in uses_in(files) if path == "data.py"] == [
        ("data.py", "os.listdir(root)", consumer)
    ]
    assert [span for _, span, _ in uses_in({"data.py": BASE + derived(body).replace("from base import Base", "")})][
        -1:
    ] == ["os.listdir(root)"]


def test_attributes_of_a_base_class_in_order() -> None:
    body = "super().__init__()\nfor s in os.listdir(root):\n    self.items.append(s)"
    sorts = "    def order(self):\n        self.items.sort()"
    assert uses_in({"base.py": BASE.replace("os.listdir(d)", "d"), "data.py": derived(body, sorts)}) == []


def test_an_inherited_method_is_found_where_its_listing_is_made() -> None:
    files = {"base.py": BASE, "data.py": derived("files = self.find(root)\nuse(files[:3])")}
    assert [(path, use.consumer) for path, _, use in uses_in(files)] == [("base.py", "is split by slicing")]


def test_super_in_an_inherited_method_looks_above_the_class_that_defines_it() -> None:
    middle = (
        "from base import Base\nclass Middle(Base):\n    def fill(self, files, mode='train'):\n"
        "        super(Middle, self).fill(files)\n"
    )
    data = derived("files = self.find(root)\nsuper().fill(files)").replace(
        "from base import Base", "from middle import *"
    )
    files = {"base.py": BASE, "middle.py": middle, "data.py": data.replace("(Base)", "(Middle)").replace("*", "Middle")}
    [(path, _, use)] = uses_in(files)
    assert path == "base.py"
    assert use.consumer == "reaches `fill(...)`, where it becomes the list `self.items`"


def test_super_in_an_inherited_method_skips_other_methods_of_its_own_class() -> None:
    middle = (
        "from base import Base\nclass Middle(Base):\n    def begin(self, files):\n        super().fill(files)\n"
        "    def fill(self, files):\n        self.other = sorted(files)\n"
    )
    data = derived("self.begin(os.listdir(root))").replace("from base import Base", "from middle import Middle")
    files = {"base.py": BASE, "middle.py": middle, "data.py": data.replace("(Base)", "(Middle)")}
    assert [use.consumer for path, _, use in uses_in(files) if path == "data.py"] == [
        "reaches `fill(...)`, where it becomes the list `self.items`"
    ]


def test_a_class_that_is_its_own_base() -> None:
    assert (
        uses("class A(A):\n    def f(self, d):\n        return os.listdir(d)[0]")[0][1].consumer
        == "is indexed with [0]"
    )


def test_names_that_only_look_like_listings() -> None:
    assert (
        uses_in(
            {
                "train.py": "from files import listdir, glob\ndef main(d):\n    return listdir(d)[0], glob(d)[0]\n",
                "files.py": "def listdir(d):\n    return ['a']\ndef glob(d):\n    return ['b']\n",
            }
        )
        == []
    )


_TWO_SOURCES = """
from tests.ordering.project import uses
text = "def main(a, b, c):\\n    s = {'p', 'q'} if c else set(a.split())\\n    return {w: i for i, w in enumerate(s)}"
print(uses(text), uses("def main(d):\\n    x = os.listdir(d) + os.listdir(d + 'x')\\n    return x[0]"))
"""


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", _TWO_SOURCES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert "OrderUse" in printed[0]
    assert printed == [printed[0]] * 3


METHODS = """
class Data:
    def __init__(self, kinds):
        for kind in kinds:
            setattr(self, f"found_{{kind}}", {read}())
    def get_audio_files(self):
        return os.listdir("audio")
"""


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ("getattr(self, f'get_{kind}_files')", []),
        ('getattr(self, f"get_{kind}_files")', []),
        ("getattr(self, f'read_{kind}_files')", ["is returned by `get_audio_files`"]),
        ("getattr(self, f'{kind}')", ["is returned by `get_audio_files`"]),
    ],
)
def test_methods_that_are_called_by_a_name_that_is_put_together(read: str, said: list[str]) -> None:
    assert [use.consumer for _, use in uses(METHODS.format(read=read))] == said
