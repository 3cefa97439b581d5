"""Tensors that have grown in place, and copies to the host that are read too early."""

from __future__ import annotations

import pytest

GROWN = {
    "a sum": "x.resize_(n, 3)\nreturn x.sum()",
    "the result": "y = x.resize_(n)\nreturn y + 1",
    "in a chain": "return x.resize_(n, 4).mean()",
    "as another": "x.resize_as_(xs)\nreturn x @ xs",
    "one row is written": "x.resize_(n, 3)\nx[2] = 1\nreturn x.mean()",
    "more than there was": "h = torch.rand(2, 3)\nh.resize_(4, 3)\nreturn h.sum()",
    "its storage": "x.untyped_storage().resize_(n)\nreturn x.sum()",
    "its data": "x.data.resize_(n)\nreturn x.sum()",
    "twice its own size": "x.resize_(x.shape[0] * 2)\nreturn x.sum()",
}


@pytest.mark.parametrize("body", GROWN.values(), ids=GROWN.keys())
def test_grown(inside, body):
    ((line, use),) = inside(body)
    assert use.api in ("Tensor.resize_", "Tensor.resize_as_")
    assert "resize_" in line
    assert use.certainty == "certain"


NOT_GROWN = {
    "zeroed": "x.resize_(n).zero_()\nreturn x.sum()",
    "copied into": "x.resize_as_(xs).copy_(xs)\nreturn x.sum()",
    "filled by a name": "x.resize_(n)\nx[len(xs)] = 1\nreturn x.sum()",
    "filled by a slice": "x.resize_(n, 2)\nx[4:] = 0\nreturn x.sum()",
    "its last row is filled": "x.resize_(5, 2)\nx[4] = 0\nreturn x.sum()",
    "its last row, from behind": "x.resize_(n, 2)\nx[-1] = 0\nreturn x.sum()",
    "an output": "x.resize_(n)\ntorch.add(xs, 1, out=x)\nreturn x.sum()",
    "a row for each of its own": "x.resize_(len(x), 1)\nreturn x.sum()",
    "emptied": "x.resize_(0)\nreturn torch.cat([x, xs]).sum()",
    "emptied storage": "x.untyped_storage().resize_(0)\nreturn x.sum()",
    "the same elements": "x.resize_(x.size(0), x.shape[1] * x.shape[2] // 2)\nreturn x.sum()",
    "fewer": "h = torch.zeros(4, 4)\nh.resize_(2, 8)\nreturn h.sum()",
    "given away": "x.resize_(n)\nfill(x)\nreturn x.sum()",
    "the old part": "x.resize_(n, 3)\nreturn x[:2].sum()",
    "not read": "x.resize_(n)\nreturn x.shape",
    "nothing comes of it": "x.resize_(n)\nx.sum()",
    "padded, and sent": "x.resize_(n)\ndist.all_gather(xs, x)\nreturn xs",
    "an image": "import cv2\nreturn cv2.resize(x, n) + 1",
}


@pytest.mark.parametrize("body", NOT_GROWN.values(), ids=NOT_GROWN.keys())
def test_not_grown(inside, body):
    assert [use for _, use in inside(body) if use.certainty != "warm-up"] == []


def test_a_caller_reads(ask):
    ((line, use),) = ask(
        "def extend(h, n):\n    return h.resize_(n, 2)\n\n\ndef main():\n    h = extend(torch.rand(2, 2), 4)\n"
        "    h[2] = 1\n    return h.mean()\n"
    )
    assert (line, use.read) == ("return h.resize_(n, 2)", "is read by `mean`")


def test_a_project_class_has_such_a_method(ask):
    canvas = "class Canvas:\n    def resize_(self, n):\n        return self\n\n\n"
    assert ask(canvas + "def f(n):\n    c = Canvas()\n    c.resize_(n)\n    return c + 1\n") == []
    assert ask(canvas + "def f(n):\n    return Canvas().resize_(n) + 1\n") == []


def test_between_methods_the_tensor_is_out_of_sight(ask):
    text = (
        "class A:\n    def __init__(self, x):\n        self.x = x\n    def grow(self, n):\n        self.x.resize_(n)\n"
        "{then}    def total(self):\n        return self.x.sum()\n"
    )
    assert ask(text.format(then="")) == []
    assert len(ask(text.format(then="        return self.x.sum()\n"))) == 1


EARLY = {
    "computed with": "y = x.to('cpu', non_blocking=True)\nreturn y + 1",
    "an item": "return x.to('cpu', non_blocking=True).item()",
    "a list": "y = x.to(device='cpu', non_blocking=True)\nreturn y.tolist()",
    "an array": "return x.to('cpu', non_blocking=True).numpy()",
    "printed": "y = x.to(torch.device('cpu'), non_blocking=True)\nprint(y)",
    "saved": "y = x.to('cpu', non_blocking=True)\ntorch.save(y, 'f')",
    "drawn": "import matplotlib.pyplot as plt\ny = x.to('cpu', non_blocking=True)\nplt.plot(y)",
    "a device by name": "host = 'cpu'\ny = x.to(host, non_blocking=True)\nreturn y.sum()",
    "with a type": "y = x.to('cpu', torch.float32, non_blocking=True)\nreturn y.sum()",
    "in a dictionary": "s = {k: v.to('cpu', non_blocking=True) for k, v in xs.items()}\nreturn {k: v.sum() for k, v in s.items()}",
    "in a list of batches": "o = []\nfor b in xs:\n    o.append(f(b).to('cpu', non_blocking=True))\nreturn torch.cat(o)",
    "stacked after a loop": (
        "o = []\nfor b in xs:\n    y, _ = x(b.to(cond))\n    y = y[:n].to('cpu', non_blocking=True)\n    o.append(y)\ny = torch.vstack(o)\nreturn y"
    ),
    "a pinned buffer": "h = torch.empty(3, pin_memory=True)\nh.copy_(x, non_blocking=True)\nreturn h.sum()",
    "a buffer with elements": "h = torch.zeros(3, pin_memory=True)\nh.copy_(x, non_blocking=True)\nreturn h.sum()",
    "a buffer that was pinned": "h = torch.zeros(3).pin_memory()\nh.copy_(x, non_blocking=True)\nreturn h.sum()",
    "a wait in between is too early": "torch.cuda.synchronize()\ny = x.to('cpu', non_blocking=True)\nreturn y.sum()",
}


@pytest.mark.parametrize("body", EARLY.values(), ids=EARLY.keys())
def test_too_early(inside, body):
    ((line, use),) = [(line, use) for line, use in inside(body) if use.certainty != "warm-up"]
    assert use.api in ("Tensor.to", "Tensor.copy_")
    assert "non_blocking=True" in line


IN_TIME = {
    "a wait": "y = x.to('cpu', non_blocking=True)\ntorch.cuda.synchronize()\nreturn y.sum()",
    "a wait for a stream": "y = x.to('cpu', non_blocking=True)\ntorch.cuda.current_stream().synchronize()\nreturn y.sum()",
    "a wait for an event": (
        "e = torch.cuda.Event()\ny = x.to('cpu', non_blocking=True)\ne.record()\ne.synchronize()\nreturn y.sum()"
    ),
    "a wait of the project": "y = x.to('cpu', non_blocking=True)\nwait_for_copies()\nreturn y.sum()",
    "an item of something else": "y = x.to('cpu', non_blocking=True)\nn = xs.item()\nreturn y.sum() + n",
    "a copy that waits": "y = x.to('cpu', non_blocking=True)\nz = xs.cpu()\nreturn y.sum() + z",
    "another transfer that waits": "y = x.to('cpu', non_blocking=True)\nz = xs.sum().to('cpu')\nreturn y.sum() + z",
    "blocking": "return x.to('cpu').sum()",
    "blocking by name": "return x.to('cpu', non_blocking=False).sum()",
    "to a device": "return x.to('cuda', non_blocking=True).sum()",
    "to a device that is not known": "return x.to(cond, non_blocking=True).sum()",
    "to one of two": "d = 'cuda' if cond else 'cpu'\nreturn x.to(d, non_blocking=True).sum()",
    "back to the device": "y = x.to('cpu', non_blocking=True)\nreturn y.cuda() + 1",
    "back by another copy": "y = x.to('cpu', non_blocking=True)\nxs.copy_(y, non_blocking=True)\nreturn xs + 1",
    "given away": "y = x.to('cpu', non_blocking=True)\nkeep(y)\nreturn y.sum()",
    "returned": "return x.to('cpu', non_blocking=True)",
    "its shape": "y = x.to('cpu', non_blocking=True)\nreturn y.shape, len(y)",
    "into a buffer of the device": "xs.copy_(x, non_blocking=True)\nreturn xs.sum()",
    "into pageable memory": "h = torch.zeros(3)\nh.copy_(x, non_blocking=True)\nreturn h.sum()",
    "the wait is in a branch": "y = x.to('cpu', non_blocking=True)\nif cond:\n    torch.cuda.synchronize()\nreturn y.sum()",
    "overwritten": "y = x.to('cpu', non_blocking=True)\ny.zero_()\nreturn y.sum()",
}


@pytest.mark.parametrize("body", IN_TIME.values(), ids=IN_TIME.keys())
def test_in_time(inside, body):
    assert [use for _, use in inside(body) if use.certainty != "warm-up"] == []
