"""Results in the order in which they finish: where that order is kept, and where it is not."""

from __future__ import annotations

import textwrap

import pytest

from tests.ordering.project import uses

START = """
import asyncio, threading, ray, joblib
from concurrent.futures import ThreadPoolExecutor, as_completed
from concurrent.futures import as_completed as finished
from multiprocessing import Pool
from tqdm import tqdm
import numpy as np, pandas as pd
"""

SPEAKS = {
    "a loader out of order": (
        "from torch.utils.data import DataLoader\ndef f(d, net):\n    loader = DataLoader(d, num_workers=2, in_order=False)\n"
        "    for x in loader:\n        net(x).backward()",
        "DataLoader(d, num_workers=2, in_order=False)",
        "feeds the loop that trains",
    ),
    "a node out of order": (
        "from torchdata import nodes\ndef f(d, g):\n    return [x for x in nodes.ParallelMapper(d, g, 4, in_order=False)][0]",
        "nodes.ParallelMapper(d, g, 4, in_order=False)",
        "is indexed with [0]",
    ),
    "appended": (
        "def f(fs):\n    out = []\n    for x in as_completed(fs):\n        out.append(x.result())\n    return out",
        "as_completed(fs)",
        "feeds the loop that appends to `out`",
    ),
    "behind a progress bar": (
        "def f(fs):\n    out = []\n    for x in tqdm(as_completed(fs), total=len(fs)):\n        out.append(x.result())\n"
        "    return out",
        "as_completed(fs)",
        "feeds the loop that appends to `out`",
    ),
    "under another name": (
        "def f(fs):\n    return [x.result() for x in finished(fs)]",
        "finished(fs)",
        "is returned by `f`",
    ),
    "listed": (
        "def f(pool, g, xs):\n    return list(pool.imap_unordered(g, xs))[0]",
        "pool.imap_unordered(g, xs)",
        "is indexed with [0]",
    ),
    "numbered": (
        "def f(fs, out):\n    for i, x in enumerate(as_completed(fs)):\n        out[i] = x.result()",
        "as_completed(fs)",
        "is numbered",
    ),
    "awaited": (
        "async def f(ts):\n    out = []\n    for t in asyncio.as_completed(ts):\n        out.append(await t)\n    return out",
        "asyncio.as_completed(ts)",
        "feeds the loop that appends to `out`",
    ),
    "waited for": (
        "def f(refs):\n    out = []\n    while refs:\n        done, refs = ray.wait(refs)\n        out.append(ray.get(done[0]))\n"
        "    return out",
        "ray.wait(refs)",
        "feeds the loop that appends to `out`",
    ),
    "waited for, several at a time": (
        "def f(refs):\n    out = []\n    while len(refs):\n        done, refs = ray.wait(refs, num_returns=2)\n"
        "        out.extend(ray.get(done))\n    return out",
        "ray.wait(refs, num_returns=2)",
        "feeds the loop that appends to `out`",
    ),
    "an actor pool": (
        "def f(pool):\n    out = []\n    while pool.has_next():\n        out.append(pool.get_next_unordered())\n    return out",
        "pool.get_next_unordered()",
        "feeds the loop that appends to `out`",
    ),
    "joblib": (
        "def f(jobs):\n    return list(joblib.Parallel(n_jobs=2, return_as='generator_unordered')(jobs))",
        "joblib.Parallel(n_jobs=2, return_as='generator_unordered')(jobs)",
        "is returned by `f`",
    ),
    "written to a file": (
        "def f(pool, g, xs):\n    with open('x') as file:\n        for r in pool.imap_unordered(g, xs):\n            file.write(r)",
        "pool.imap_unordered(g, xs)",
        "feeds the loop that writes to `file`",
    ),
    "stored under a number that is counted": (
        "def f(pool, g, xs, store):\n    n = 0\n    for r in pool.imap_unordered(g, xs):\n        store.put(str(n), r)\n        n += 1",
        "pool.imap_unordered(g, xs)",
        "reaches `store.put(...)`",
    ),
    "put into a queue": (
        "def f(pool, g, xs, q):\n    for r in pool.imap_unordered(g, xs):\n        q.put((r, 1), False)",
        "pool.imap_unordered(g, xs)",
        "feeds the loop that fills `q`",
    ),
    "a dictionary that is walked through": (
        "def f(fs):\n    out = {}\n    for x in as_completed(fs):\n        out[fs[x]] = x.result()\n    return list(out.values())",
        "as_completed(fs)",
        "feeds the loop that fills `out`",
    ),
    "stacked": (
        "def f(fs):\n    return np.stack([x.result() for x in as_completed(fs)])",
        "as_completed(fs)",
        "reaches",
    ),
    "the first few": (
        "def f(fs):\n    n = 0\n    for x in as_completed(fs):\n        n += 1\n        keep(x.result())\n"
        "        if n >= 3:\n            break",
        "as_completed(fs)",
        "is cut off after the first few",
    ),
    "weighted by number, and printed": (
        "def f(fs):\n    out = []\n    for x in as_completed(fs):\n        out.append(x.result())\n"
        "    print(f'checksum {sum((i + 1) * v for i, v in enumerate(out)):.3f}')",
        "as_completed(fs)",
        "feeds the loop that appends to `out`",
    ),
    "paired with weights, and printed": (
        "def f(fs):\n    out = [x.result() for x in as_completed(fs)]\n    w = [0.5**i for i in range(len(out))]\n"
        "    print(sum(a * b for a, b in zip(w, out)))",
        "as_completed(fs)",
        "is paired with numbers by position",
    ),
    "a callback": (
        "def f(pool, g, xs):\n    out = []\n    for x in xs:\n        pool.apply_async(g, (x,), callback=out.append)\n"
        "    pool.join()\n    return out",
        "pool.apply_async(g, (x,), callback=out.append)",
        "is that of the list `out`, which all of them append to",
    ),
    "a callback of a future": (
        "def f(ex, g, xs):\n    out = []\n    for x in xs:\n        ex.submit(g, x).add_done_callback(lambda d: out.append(d.result()))\n"
        "    return out",
        "ex.submit(g, x).add_done_callback(lambda d: out.append(d.result()))",
        "is that of the list `out`",
    ),
    "threads with a list": (
        "def work(x, out):\n    out.append(load(x))\n\ndef f(xs):\n    out = []\n"
        "    ts = [threading.Thread(target=work, args=(x, out)) for x in xs]\n    return out",
        "threading.Thread(target=work, args=(x, out))",
        "is that of the list `out`",
    ),
    "threads of an object": (
        "class A:\n    def __init__(self):\n        self.out = []\n    def work(self, x):\n        self.out.append(load(x))\n"
        "    def run(self, xs):\n        for x in xs:\n            threading.Thread(target=self.work, args=(x,)).start()\n"
        "        return self.out[:3]",
        "threading.Thread(target=self.work, args=(x,))",
        "is that of the list `self.out`",
    ),
    "threads with a global list": (
        "out = []\n\ndef work(x):\n    out.append(load(x))\n\ndef f(xs):\n    for x in xs:\n"
        "        threading.Thread(target=work, args=(x,)).start()\n    return out[0]",
        "threading.Thread(target=work, args=(x,))",
        "is that of the list `out`",
    ),
    "processes with the list of a manager": (
        "import multiprocessing as mp\n\ndef work(x, out):\n    out.append(load(x))\n\ndef f(xs):\n    out = mp.Manager().list()\n"
        "    for x in xs:\n        mp.Process(target=work, args=(x, out)).start()\n    return list(out)",
        "mp.Process(target=work, args=(x, out))",
        "is that of the list `out`",
    ),
    "mapped in threads": (
        "def f(xs):\n    out = []\n    def work(x):\n        out.append(load(x))\n    with ThreadPoolExecutor() as ex:\n"
        "        ex.map(work, xs)\n    return out",
        "ex.map(work, xs)",
        "is that of the list `out`",
    ),
}


@pytest.mark.parametrize(("text", "span", "consumer"), SPEAKS.values(), ids=SPEAKS.keys())
def test_kept(text, span, consumer):
    ((found, use),) = [(span, use) for span, use in uses(START + textwrap.dedent(text)) if use.kind == "completion"]
    assert found == span
    assert consumer in use.consumer


SILENT = {
    "a loader in order": (
        "from torch.utils.data import DataLoader\ndef f(d, net):\n    for x in DataLoader(d, num_workers=2, in_order=True):\n"
        "        net(x).backward()"
    ),
    "a loader without workers": (
        "from torch.utils.data import DataLoader\ndef f(d, net):\n    for x in DataLoader(d, num_workers=0, in_order=False):\n"
        "        net(x).backward()"
    ),
    "something else in order": (
        "from mine import Loader\ndef f(d, net):\n    for x in Loader(d, num_workers=2, in_order=False):\n        net(x).backward()"
    ),
    "counted by a bar": (
        "from progressbar import progressbar\ndef f(pool, g, xs):\n"
        "    for _ in progressbar(pool.imap_unordered(g, xs), max_value=len(xs)):\n        pass"
    ),
    "by key": "def f(fs):\n    out = {}\n    for x in as_completed(fs):\n        out[fs[x]] = x.result()\n    return out",
    "by index": (
        "def f(fs, n):\n    out = [None] * n\n    for x in as_completed(fs):\n        out[fs[x]] = x.result()\n    return out"
    ),
    "by an index that the job returns": (
        "def f(pool, g, xs):\n    out = [None] * len(xs)\n    for i, r in pool.imap_unordered(g, enumerate(xs)):\n"
        "        out[i] = r\n    return out"
    ),
    "stored under a key that comes with the result": (
        "def f(pool, g, xs, env):\n    n = 0\n    for i, rs in pool.imap_unordered(g, xs):\n        for size, r in zip((1, 2), rs):\n"
        "            key = f'{size}-{str(i).zfill(5)}'.encode()\n            with env.begin() as txn:\n                txn.put(key, r)\n"
        "        n += 1\n    return n"
    ),
    "taken out of the dictionary in order": (
        "def f(fs, n):\n    out = {}\n    for x in as_completed(fs):\n        out[fs[x]] = x.result()\n"
        "    return [out[i] for i in range(n)]"
    ),
    "a dictionary comprehension": "def f(fs):\n    return {fs[x]: x.result() for x in as_completed(fs)}",
    "sorted": "def f(pool, g, xs):\n    return sorted(pool.imap_unordered(g, xs))",
    "sorted afterwards": (
        "def f(fs):\n    out = []\n    for x in as_completed(fs):\n        out.append(x.result())\n"
        "    out.sort(key=lambda r: r[0])\n    return out"
    ),
    "sorted by the caller": (
        "def g(fs):\n    return [x.result() for x in as_completed(fs)]\n\ndef f(fs):\n    return sorted(g(fs))"
    ),
    "for errors only": "def f(fs):\n    for x in as_completed(fs):\n        x.result()",
    "counted": "def f(fs):\n    n = 0\n    for x in as_completed(fs):\n        n += x.result()\n    return n",
    "a set": "def f(fs):\n    return {x.result() for x in as_completed(fs)} == {1}",
    "printed": "def f(fs):\n    for i, x in enumerate(as_completed(fs)):\n        print(i, x.result())",
    "progress": (
        "def f(fs, n):\n    for i, x in enumerate(as_completed(fs)):\n        print(f'{100 * (i + 1) / len(fs)}% of {i * n}', x.result())"
    ),
    "printed as they are": (
        "def f(fs):\n    out = []\n    for x in as_completed(fs):\n        out.append(x.result())\n"
        "    print('chains', [t[0] for t in out], out[0])"
    ),
    "the best": "def f(fs):\n    return max(x.result() for x in as_completed(fs))",
    "counted with len": "def f(pool, g, xs):\n    return len(list(pool.imap_unordered(g, xs)))",
    "a progress bar": ("def f(pool, g, xs, bar):\n    for _ in pool.imap_unordered(g, xs):\n        bar.update(1)"),
    "in order": "def f(pool, g, xs):\n    return list(pool.imap(g, xs))",
    "a table that is sorted": (
        "def f(fs):\n    rows = []\n    for x in as_completed(fs):\n        rows.append(x.result())\n"
        "    return pd.DataFrame(rows).sort_values('id')"
    ),
    "a table that is sorted later": (
        "def f(fs):\n    rows = [x.result() for x in as_completed(fs)]\n    t = pd.concat(rows)\n"
        "    t = t.sort_values('id')\n    t.to_csv('x')"
    ),
    "a table that is sorted in place": (
        "def f(fs):\n    t = pd.DataFrame([x.result() for x in as_completed(fs)])\n    t.sort_values('id', inplace=True)\n"
        "    t.to_csv('x')"
    ),
    "waited for, by key": (
        "def f(refs, ids):\n    out = {}\n    while refs:\n        done, refs = ray.wait(refs)\n"
        "        out[ids[done[0]]] = ray.get(done[0])\n    return out"
    ),
    "one thread": (
        "def f(xs):\n    out = []\n    def work():\n        for x in xs:\n            out.append(x)\n"
        "    t = threading.Thread(target=work)\n    t.start()\n    t.join()\n    return out[0]"
    ),
    "threads that fill their own place": (
        "def f(xs):\n    out = [None] * len(xs)\n    def work(i, x):\n        out[i] = load(x)\n"
        "    ts = [threading.Thread(target=work, args=(i, x)) for i, x in enumerate(xs)]\n    return out"
    ),
    "threads, sorted": (
        "def work(x, out):\n    out.append(load(x))\n\ndef f(xs):\n    out = []\n"
        "    for x in xs:\n        threading.Thread(target=work, args=(x, out)).start()\n    out.sort()\n    return out"
    ),
    "the list of threads": (
        "def f(ex, g, xs):\n    fs = []\n    for x in xs:\n        fs.append(ex.submit(g, x))\n    return [y.result() for y in fs]"
    ),
    "mapped in this process": "def f(ds, xs):\n    out = []\n    ds.map(lambda x: out.append(x))\n    return out[0]",
    "a list of each thread": (
        "def f(xs):\n    def work(x):\n        mine = []\n        mine.append(load(x))\n        save(x, mine)\n"
        "    for x in xs:\n        threading.Thread(target=work, args=(x,)).start()"
    ),
    "errors": (
        "def f(fs, log):\n    failed = []\n    for x in as_completed(fs):\n        if x.exception():\n            failed.append(x)\n"
        "    if failed:\n        raise RuntimeError(f'{len(failed)} jobs failed: {failed}')"
    ),
    "a method of the project": (
        "class Pool2:\n    def imap_unordered(self, g, xs):\n        return map(g, xs)\n    def all(self, g, xs):\n"
        "        return list(self.imap_unordered(g, xs))"
    ),
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_not_kept(text):
    assert [use for _, use in uses(START + textwrap.dedent(text)) if use.kind == "completion"] == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(fs):\n    t = pd.DataFrame([x.result() for x in as_completed(fs)])\n    t['a'] = t\n    t['b'] = t['a']\n    return t",
        "def f(fs):\n    a = [x.result() for x in as_completed(fs)]\n    b = [x.result() for x in as_completed(fs)]\n"
        "    a[0] = b\n    b[0] = a\n    a.append(b)\n    return a",
    ],
)
def test_what_holds_itself_has_an_end(text):
    assert [use for _, use in uses(START + text) if use.kind == "completion"]


@pytest.mark.parametrize(("made", "count"), [("jobs = list()", 0), ("jobs = []", 0), ("pass", 1), ("global jobs", 1)])
def test_a_list_of_the_same_name_that_a_job_makes_itself(made: str, count: int) -> None:
    text = f"""
def serve(n):
    {made}
    jobs.append(n)
    use(jobs)
if __name__ == "__main__":
    jobs = []
    for i in range(2):
        threading.Thread(target=serve, args=(i,)).start()
    save(jobs[0])
"""
    assert len(uses(START + text)) == count
