"""One function: which bodies read unwritten memory. The parameters are `x, n: int, cond, xs`."""

from __future__ import annotations

import pytest

READ = {
    "allocated and read under one condition": "t = x\nif cond:\n    t = torch.empty(n)\nif cond:\n    x = x + t\nreturn x",
    "a condition that may be answered otherwise": "t = x\nif cond():\n    t = torch.empty(n)\nif not cond():\n    x = x + t\nreturn x",
    "operand": "t = torch.empty(n, 3)\nreturn t + x",
    "operand on the right": "t = torch.empty(n, 3)\nreturn x @ t",
    "negation": "return -torch.empty(3)",
    "comparison": "t = torch.empty(3)\nreturn t > 0",
    "in place operator": "t = torch.empty(3)\nt += x\nreturn t",
    "in place method": "t = torch.empty(3)\nt.add_(x)\nreturn t",
    "accumulating in a loop": "t = torch.empty(3)\nfor row in xs:\n    t += row\nreturn t",
    "item in place": "t = torch.empty(3)\nt[0] += 1\nreturn t",
    "torch function": "return torch.cat([x, torch.empty(3)])",
    "functional": "return F.softmax(torch.empty(3), dim=0)",
    "method": "return torch.empty(3).sum()",
    "argument of a tensor method": "x.copy_(torch.empty(3))",
    "numpy": "a = np.empty((n, 2))\nreturn np.mean(a)",
    "numpy method": "a = np.empty(n)\nreturn a.sum()",
    "empty_like": "return torch.empty_like(x) * 2",
    "new_empty": "return x.new_empty(3) * 2",
    "empty_strided": "return torch.empty_strided((2, 3), (1, 2)) * 2",
    "sized constructor": "return torch.LongTensor(n, 2) % 5",
    "sized constructor, one int": "return torch.FloatTensor(n) * 2",
    "sized constructor, len": "return torch.Tensor(len(xs)) * 2",
    "sized constructor, shape": "return torch.Tensor(x.shape[0]) * 2",
    "sized constructor, a tensor's shape": "y = torch.zeros(n, 2)\nreturn torch.Tensor(y.shape) + 1",
    "sized constructor, a shape of what moves": "x = x.cuda()\nreturn torch.Tensor(x.clone().shape) + 1",
    "sized constructor, a parameter's shape": "x.requires_grad_()\nreturn torch.Tensor(x.shape) + 1",
    "sized constructor, size": "return torch.Tensor(x.size()) + 1",
    "sized constructor, spread shape": "return torch.Tensor(*x.shape) + 1",
    "sized constructor, loop variable": "for i in range(3):\n    y = torch.Tensor(i + 1)\n    print(y.sum())",
    "layer": "layer = nn.Linear(3, 4)\ny = layer(torch.empty(2, 3))\nreturn y",
    "loss": "loss = nn.MSELoss()(x, torch.empty(3))\nloss.backward()",
    "item printed": "t = torch.empty(3)\nprint(t.sum().item())",
    "float in a test": "t = torch.empty(1)\nif float(t) > 0:\n    return x",
    "formatted": "t = torch.empty(1)\nprint(f'{t.item()}')",
    "through a view": "t = torch.empty(n, 4)\ny = t.view(-1)\nreturn y.mean()",
    "through device and dtype": "t = torch.empty(n).to(x.device).float().requires_grad_()\nreturn t * x",
    "through a list": "ts = [torch.empty(3) for _ in range(n)]\nreturn torch.stack(ts)",
    "through append": "ts = []\nfor _ in range(n):\n    ts.append(torch.empty(3))\nreturn torch.cat(ts)",
    "through a tuple": "a, b = torch.empty(3), torch.zeros(3)\nreturn a * b",
    "through a dict": "d = {'a': torch.empty(3)}\nreturn d['a'] * 2",
    "through zip": "ts = [torch.empty(3) for _ in xs]\nfor t, y in zip(ts, xs):\n    print((t * y).sum())",
    "one of a pair written": "a, b = torch.empty(3), torch.empty(3)\na.zero_()\nreturn a + b",
    "written on a path that returns": "t = torch.empty(3)\nif cond:\n    t.zero_()\n    return t\nreturn t * 2",
    "written too late": "t = torch.empty(3)\ny = t * 2\nt.zero_()\nreturn y",
    "sent": "t = torch.empty(3)\ndist.send(t, 1)",
    "reduced": "t = torch.empty(3)\ndist.all_reduce(t)\nreturn t",
    "reduced into a sum": "t = torch.empty(3)\ndist.reduce(t, 0)\nreturn x + t",
    "input of a gather": "out = [x for _ in xs]\ndist.all_gather(out, torch.empty(3))",
    "used as an index": "i = torch.LongTensor(n)\nreturn x[i]",
    "source of an assignment": "t = torch.empty(3)\ny = torch.zeros(3)\ny[:] = t\nreturn y * 2",
    "a gap of literal size": "t = torch.empty(3, n)\nt[0] = x\nt[1] = x\nreturn t.sum()",
    "the other half": "t = torch.empty(4)\nt[:2] = x\nreturn t.sum()",
    "one in each row": "t = torch.FloatTensor(n, 3)\nt.scatter_(1, x, 1.0)\nreturn t.sum()",
    "one in each row at once": "return torch.cuda.FloatTensor(n, 3).scatter_(1, x, 1) * 2",
    "one by name": "t = torch.empty(n, 3)\nt.scatter_(dim=1, index=x, value=1)\nreturn t.sum()",
    "one row of many": "t = torch.empty(n, 3)\nt[-1] = x\nreturn t.sum()",
    "another row": "t = torch.empty(n, 3)\nt[0] = x\nreturn t[1] * 2",
    "every second": "t = torch.empty(n, 4)\nt[:, 0::2] = x\nreturn t * 2",
    "last column only": "t = torch.empty(n, 2)\nt[..., 0] = x\nreturn t.sum()",
    "nested loop variable of size": "return torch.Tensor(n, n).norm()",
    "yielded result": "for _ in range(3):\n    yield torch.LongTensor(n, 2) % 5",
    "stored in an object": "x.result = torch.empty(3) * 2",
    "given away": "x.handle(torch.empty(3) * 2)",
    "walrus": "return (t := torch.empty(3)) + t",
    "rows of other lengths": "t = torch.empty(len(xs), n)\nfor i, y in enumerate(xs):\n    t[i, : len(y)] = y\nreturn t.sum(1)",
    "rows of other lengths by index": "t = torch.empty(len(xs), n)\nfor i in range(n):\n    t[i, : xs[i].shape[0]] = xs[i]\nreturn t * 2",
    "padded on the left": "t = torch.empty(len(xs), n)\nfor i, y in enumerate(xs):\n    t[i, -len(y) :] = y\nreturn t * 2",
    "pictures of other sizes": (
        "t = x.new_empty(len(xs), 3, n, n)\nfor i, y in enumerate(xs):\n    t[i, :, : y.shape[1], : y.size(2)] = y\nreturn t * 2"
    ),
    "in a try": "try:\n    t = torch.empty(3)\n    return t.sum()\nexcept ValueError:\n    return None",
    "in a with": "with torch.no_grad():\n    return torch.empty(3) * x",
    "in a while": "t = torch.empty(3)\nwhile t.sum() > 0:\n    x.step()",
    "one of two allocations": "t = torch.empty(3) if cond else torch.zeros(3)\nreturn t * 2",
    "some elements": "if x.numel() == 1:\n    return torch.empty(x.shape).sum()\nreturn x",
    "nn.Parameter that stays here": "w = nn.Parameter(torch.empty(3))\nreturn w * x",
}


@pytest.mark.parametrize("body", READ.values(), ids=READ.keys())
def test_read(inside, body):
    assert inside(body)


SILENT = {
    "allocated where the condition is answered the other way": (
        "t = torch.zeros(n) if cond else None\nif cond:\n    t = torch.zeros(n)\nelse:\n    t = torch.empty(n)\nif cond:\n    x = x + t\nreturn x"
    ),
    "left out by the same condition": "t = x\nif not cond:\n    t = torch.empty(n)\nif not cond:\n    return x\nreturn t + 1",
    "filled": "t = torch.empty(n).fill_(0.5)\nreturn t * 2",
    "chain of writes": "return torch.empty(1).uniform_(0, 1).item()",
    "sized constructor, filled": "return torch.LongTensor(n).random_(0, 5).view(n, 1) * 2",
    "zeroed": "t = torch.empty(n)\nt.zero_()\nreturn t * 2",
    "copied into": "t = torch.empty(n)\nt.copy_(x)\nreturn t * 2",
    "initialised": "t = torch.empty(n)\nnn.init.normal_(t, std=0.02)\nreturn t * 2",
    "initialised by name": "t = torch.empty(n)\nx.layers.trunc_normal_tf_(t, std=0.02)\nreturn t * 2",
    "a view initialised": "t = torch.empty(n)\nt.data.normal_()\nreturn t * 2",
    "all of it assigned": "t = torch.empty(n)\nt[:] = x\nreturn t * 2",
    "all dimensions assigned": "t = torch.empty(n, 3)\nt[:, :] = x\nreturn t * 2",
    "ellipsis": "t = torch.empty(n, 3)\nt[...] = x\nreturn t * 2",
    "data assigned": "t = torch.empty(n, 3)\nt.data[...] = x\nreturn t * 2",
    "data replaced": "t = torch.empty(n, 3)\nt.data = x\nreturn t * 2",
    "numpy, all assigned": "a = np.empty((n, 3), 'int64')\na[:] = x\nreturn np.sin(a / 3)",
    "numpy fill": "a = np.empty(n)\na.fill(1)\nreturn a * 2",
    "numpy copyto": "a = np.empty(n)\nnp.copyto(a, x)\nreturn a * 2",
    "numpy out": "a = np.empty(n)\nnp.add(x, 1, out=a)\nreturn a * 2",
    "numpy out by position": "a = np.empty(n)\nnp.add(x, 1, a)\nreturn a * 2",
    "numpy readinto": "a = np.empty(n)\nx.readinto(a)\nreturn a * 2",
    "numpy reader": "a = np.empty(n)\nx.read_direct(a)\nreturn a * 2",
    "out": "t = torch.empty(n, 3)\ntorch.stack(xs, out=t)\nreturn t * 2",
    "two outs": "a, b = torch.empty(n), torch.empty(n)\ntorch.max(x, 0, out=(a, b))\nreturn a * b",
    "collective list": "out = [torch.empty(3) for _ in xs]\ndist.all_gather(out, x)\nreturn torch.cat(out)",
    "collective tensor": "t = torch.empty(n)\ndist.all_gather_into_tensor(t, x)\nreturn t * 2",
    "received": "t = torch.empty(n)\ndist.recv(t, src=0)\nreturn t * 2",
    "received later": "t = torch.empty(n)\nreq = dist.irecv(t, src=0)\nreq.wait()\nreturn t * 2",
    "broadcast": "t = torch.empty(n)\ndist.broadcast(t, src=0)\nreturn t * 2",
    "scatter": "t = torch.empty(n)\ndist.scatter(t, xs)\nreturn t * 2",
    "collective on views": "t = torch.empty(n)\nout = list(t.chunk(2))\ndist.all_gather(out, x)\nreturn t * 2",
    "rows in a loop": "t = torch.empty(n, 3)\nfor i in range(n):\n    t[i] = x\nreturn t * 2",
    "rows by enumerate": "t = torch.empty(len(xs), 3)\nfor i, y in enumerate(xs):\n    t[i] = y\nreturn t * 2",
    "rows of other lengths, padded": (
        "t = torch.empty(len(xs), n)\nfor i, y in enumerate(xs):\n    t[i, : len(y)] = y\n    t[i, len(y) :] = 0\nreturn t * 2"
    ),
    "rows of other lengths, filled first": "t = torch.full((len(xs), n), -1)\nfor i, y in enumerate(xs):\n    t[i, : len(y)] = y\nreturn t * 2",
    "rows as long as the first": (
        "t = torch.empty(len(xs), xs[0].shape[0])\nfor i, y in enumerate(xs):\n    t[i, : y.shape[0]] = y\nreturn t * 2"
    ),
    "only the written part of each row": (
        "t = torch.empty(len(xs), n)\nfor i, y in enumerate(xs):\n    t[i, : len(y)] = y\n"
        "for i, y in enumerate(xs):\n    x = x + t[i, : len(y)].sum()\nreturn x"
    ),
    "one after the other": (
        "t = torch.empty(n)\nat = 0\nfor i, y in enumerate(xs):\n    t[at : at + len(y)] = y\n    at += len(y)\nreturn t * 2"
    ),
    "columns in a loop": "t = torch.empty(3, n)\nfor i in range(n):\n    t[:, i] = x\nreturn t * 2",
    "elements in two loops": "t = torch.empty(3, n)\nfor i in range(3):\n    for j in range(n):\n        t[i, j] = x\nreturn t * 2",
    "computed rows": "t = torch.empty(n * 2)\nfor i in range(n):\n    t[2 * i] = 1\n    t[2 * i + 1] = 2\nreturn t * 2",
    "rows as views": "t = torch.empty(n, 3)\nfor row in t:\n    row.fill_(1)\nreturn t * 2",
    "rows of views by index": "t = torch.empty(n, 3)\nfor i in range(n):\n    t[i].copy_(x)\nreturn t * 2",
    "two halves": "t = torch.empty(n)\nt[:2] = x\nt[2:] = x\nreturn t * 2",
    "two halves by name": "t = torch.empty(n)\nk = n // 2\nt[:k] = x\nt[k:] = x\nreturn t * 2",
    "all but the last": "t = torch.empty(n)\nt[:-1] = x\nt[-1] = 0\nreturn t * 2",
    "one in each row of zeros": "t = torch.FloatTensor(n, 3).zero_()\nt.scatter_(1, x, 1.0)\nreturn t * 2",
    "first and rest": "t = torch.empty(n)\nt[0] = x\nt[1:] = x\nreturn t * 2",
    "first and a loop": "t = torch.empty(n)\nt[0] = 1\nfor i in range(1, n):\n    t[i] = t[i - 1] * 2\nreturn t * 2",
    "up to its size": "t = torch.empty(n, 3)\nt[:n] = x\nreturn t * 2",
    "even and odd": "t = torch.empty(n, 4)\nt[:, 0::2] = x\nt[:, 1::2] = x\nreturn t * 2",
    "literal rows": "t = torch.empty(2, n)\nt[0] = x\nt[1] = x\nreturn t * 2",
    "last dimension": "t = torch.empty(n, 2)\nt[..., 0] = x\nt[..., 1] = x\nreturn t * 2",
    "rows of unknown number": "t = torch.empty_like(x)\nt[0] = x\nt[1] = x\nreturn t * 2",
    "by mask": "t = torch.empty(n)\nt[cond] = 0\nt[~cond] = 1\nreturn t * 2",
    "by index": "t = torch.empty(n)\nt[x.argsort()] = x\nreturn t * 2",
    "only what was written": "t = torch.empty(n)\nt[0] = x\nreturn t[0] * 2",
    "only the slice that was written": "t = torch.empty(100)\nt[:n] = x\nreturn t[:n].sum()",
    "scattered": "t = torch.empty(n, 5)\nt.scatter_(1, x, xs)\nreturn t * 2",
    "shape": "t = torch.empty(n)\nreturn t.shape[0] + t.size(0) + t.dim() + len(t)",
    "device and dtype": "p = torch.empty(1, device='cpu')\nreturn x.to(p.device).type_as(p)",
    "one of two, metadata": "p = x if cond else torch.empty(1)\nreturn p.dtype",
    "shape donor": "t = torch.empty(n, 3)\nreturn x.expand_as(t)",
    "like another": "return torch.zeros_like(torch.empty(n)) + 1",
    "isinstance": "t = torch.empty(n)\nreturn isinstance(t, torch.Tensor) or t is None",
    "new_zeros": "return torch.empty(1).new_zeros(3) + 1",
    "broadcast shapes": "torch.broadcast_tensors(x, torch.empty(n))",
    "result type": "return torch.result_type(x, torch.empty(1))",
    "printed as it is": "print(torch.empty(3))",
    "no element": "return torch.empty(0) + x",
    "no element in one dimension": "return torch.empty(0, 4).sum()",
    "no element in a tuple": "return torch.empty((3, 0)).sum()",
    "no element after sizes of unknown number": "return torch.empty(*x.shape, 0) + x",
    "no element in a tuple of unknown length": "return torch.empty((*x.shape[:-1], 0)) + x",
    "no element at the end of a sum of tuples": "return torch.empty(x.shape[:-1] + (0,)) + x",
    "no element by name": "k = 0\nreturn torch.empty(k, 3).sum()",
    "no size": "return torch.Tensor() + x",
    "data in a list": "return torch.Tensor([1, 2]) + x",
    "data, shape of a space": "return torch.prod(torch.Tensor(x.single_action_space.shape))",
    "data, shape of an array": "y = np.zeros((n, 2))\nreturn torch.Tensor(y.shape) + 1",
    "data, shape of something unknown": "return torch.Tensor(x.shape) + 1",
    "data, shape of an attribute": "return torch.Tensor(x.weight.shape) + 1",
    "data out of sight": "return torch.Tensor(x) + 1",
    "data from a call": "return torch.LongTensor(x.labels()) + 1",
    "data from numpy": "return torch.FloatTensor(x.astype(np.float32)) + 1",
    "data by name": "rows = [1, 2]\nreturn torch.LongTensor(rows) + 1",
    "data comprehension": "return torch.LongTensor([i for i in xs]) + 1",
    "meta device": "return torch.empty(3, device='meta') + 1",
    "meta context": "with torch.device('meta'):\n    return torch.empty(3) + 1",
    "given to a function out of sight": "t = torch.empty(3)\nx.fill_it(t)\nreturn t * 2",
    "given to a kernel": "t = torch.empty(3)\nx[(n,)](t, n)\nreturn t * 2",
    "given to an extension": "t = torch.empty(3)\ntorch.ops.mine.fill(x, t)\nreturn t * 2",
    "pointer given away": "t = np.empty(3)\nx.read(t.ctypes.data)\nreturn t * 2",
    "address given away": "t = torch.empty(3)\nx.read(t.data_ptr())\nreturn 1",
    "returned": "return torch.empty(n)",
    "yielded": "yield torch.empty(n)",
    "stored in an object as it is": "x.buffer = torch.empty(n)",
    "stored in a list out of sight": "x.append(torch.empty(n))",
    "stored under a key": "x['a'] = torch.empty(n)",
    "captured by a closure": "t = torch.empty(n)\ndef fill():\n    t.zero_()\nfill()\nreturn t * 2",
    "captured by a lambda": "t = torch.empty(n)\nx(lambda: t.zero_())\nreturn t * 2",
    "global": "global t\nt = torch.empty(n)\nx()\nreturn t * 2",
    "written on one path": "t = torch.empty(n)\nif cond:\n    t.zero_()\nreturn t * 2",
    "same condition": "t = torch.empty(n) if cond else x\nif cond:\n    t.zero_()\nreturn t * 2",
    "written by both branches": "t = torch.empty(n)\nif cond:\n    t.zero_()\nelse:\n    t.fill_(1)\nreturn t * 2",
    "read in later turns": "t = torch.empty(n)\nfor i in range(9):\n    if i > 0:\n        print((t * 2).sum())\n    t.copy_(x)",
    "list written": "ts = [torch.empty(3) for _ in xs]\nfor t in ts:\n    t.zero_()\nreturn torch.stack(ts)",
    "list written by index": "ts = [torch.empty(3) for _ in xs]\nfor i in range(n):\n    ts[i].zero_()\nreturn torch.stack(ts)",
    "dict written": "d = {k: torch.empty(3) for k in xs}\nfor t in d.values():\n    t.zero_()\nreturn d['a'] * 2",
    "ignored input": "t = torch.empty(3)\nreturn torch.baddbmm(t, x, x, beta=0.0)",
    "where": "return torch.where(cond, x, torch.empty(3))",
    "shape of a dry run": "net = nn.Conv2d(3, 8, 3)\nreturn net.to(x.device) and n",
    "replaced": "t = torch.empty(3)\nt = x\nreturn t * 2",
    "deleted": "t = torch.empty(3)\ndel t\nt = x\nreturn t + 1",
    "unknown method": "t = torch.empty(3)\nt.my_fill(1)\nreturn t * 2",
    "no elements": "if 0 in x.shape:\n    return torch.empty(x.shape).sum()\nreturn x",
    "no elements, counted": "if x.numel() == 0:\n    return torch.empty(x.shape).sum()\nreturn x",
    "buffers handed around together": (
        "grad = torch.empty_like(x)\nfor p, g in zip((x, grad), (grad, x)):\n    torch.sub(p, 1, out=g)\nreturn 1"
    ),
    "out of nothing": "return torch.empty(3, out=x) * 2",
    "match": "t = torch.empty(3)\nmatch cond:\n    case 1:\n        t.zero_()\n    case _:\n        t.fill_(2)\nreturn t * 2",
    "passed by star": "ts = [torch.empty(3)]\nx(*ts)\nreturn ts[0] * 2",
    "partly, then wholly": "t = torch.empty(3)\nt[0] = 1\nt[1:3] = 2\nreturn t * 2",
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT.keys())
def test_silent(inside, body):
    assert inside(body) == []


WARM_UP = {
    "a dummy that makes all wait": "dist.all_reduce(torch.cuda.FloatTensor(1))\ntorch.cuda.synchronize()",
    "a dummy with a name": "t = torch.empty(1)\ndist.all_reduce(t)",
    "dropped": "layer = nn.Linear(3, 4)\nlayer(torch.empty(2, 3))",
    "dropped in a loop": "layer = nn.Linear(3, 4)\nim = torch.empty(1, 3)\nfor _ in range(2):\n    layer(im)",
    "underscore": "layer = nn.Linear(3, 4)\n_ = layer(torch.empty(2, 3))",
    "a network out of sight": "model = x.get()\nmodel(torch.empty(1, 3))",
    "never used": "y = torch.empty(3) * 2",
    "shape of a dry run": "net = nn.Conv2d(3, 8, 3)\nreturn net(torch.empty(1, 3, 9, 9)).flatten(1).shape[1]",
    "size of a dry run": "net = nn.Conv2d(3, 8, 3)\ny = net(torch.empty(1, 3, 9, 9))\nreturn y.view(1, -1).size(1)",
}


@pytest.mark.parametrize("body", WARM_UP.values(), ids=WARM_UP.keys())
def test_warm_up(inside, body):
    assert [use.certainty for _, use in inside(body)] == ["warm-up"]


def test_the_result_of_a_network_out_of_sight_is_silent(inside):
    assert inside("model = x.get()\ny = model(torch.empty(1, 3))\nreturn y") == []


def test_phrases(inside):
    def phrase(body: str) -> str:
        return inside(body)[0][1].read

    assert phrase("return torch.empty(3) + x") == "is an operand of `+`"
    assert phrase("layer = nn.Linear(3, 4)\nreturn layer(torch.empty(3))") == "is passed to `layer(...)`"
    assert phrase("return torch.empty(3)[0].softmax(0)") == "is read by `softmax`"
    assert phrase("t = torch.empty(3)\nt -= x\nreturn t") == "is changed in place by `-=`"


def test_certainty_and_api(inside):
    ((_, use),) = inside("return torch.LongTensor(n, 2) % 5")
    assert (use.certainty, use.api, use.parameter, use.attribute) == ("certain", "torch.LongTensor", False, "")
    ((_, use),) = inside("t = x if cond else torch.empty(3)\nreturn t * 2")
    assert use.certainty == "likely"


def test_each_allocation_is_reported_once_in_order(inside):
    lines = [
        line
        for line, _ in inside("a = torch.empty(3)\nb = np.empty(3)\nprint((a + 1).sum(), (a + 2).sum())\nreturn b * 2")
    ]
    assert lines == ["a = torch.empty(3)", "b = np.empty(3)"]
