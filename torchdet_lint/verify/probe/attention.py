"""Probes of attention: TDL301, TDL302, TDL303. On CPU they can only show that nothing is wrong there."""

from __future__ import annotations

from functools import partial

from torchdet_lint import ir
from torchdet_lint.finding import Evidence
from torchdet_lint.verify.probe.evidence import CONFIRMED, NOTHING, Seen, Trial, Unprobed, needs_cuda
from torchdet_lint.verify.probe.place import Case
from torchdet_lint.verify.probe.render import Grammar, render

_CALLS = ("torch.nn.functional.scaled_dot_product_attention",)
_POSITIONS = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")

_REPEAT = """
def inputs(device, dtype, *shape):
    torch.manual_seed(0)
    return [torch.randn(*shape, device=device, dtype=dtype, requires_grad=True) for _ in range(3)]
{define}
def once(device, dtype):
    leaves, out = run(device, dtype)
    out.float().square().sum().backward()
    return [out.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None)]
cuda = torch.cuda.is_available()
device, dtypes, times = ("cuda", ("float16", "bfloat16"), 50) if cuda else ("cpu", ("float32", "bfloat16"), 8)
different, refused = {{}}, ""
for name in dtypes:
    try:
        first = once(device, getattr(torch, name))
        rest = [once(device, getattr(torch, name)) for _ in range(times - 1)]
    except RuntimeError as error:
        refused = str(error).splitlines()[0]
        continue
    different[name] = sum(not all(map(torch.equal, first, other)) for other in rest)
return dict(cuda=torch.cuda.get_device_name() if cuda else "", times=times, different=different, refused=refused)
"""

_SDPA = """
def run(device, dtype):
    q, k, v = inputs(device, dtype, 2, 4, 1024 if device == "cuda" else 128, 64)
    {before}
    with {context}:
        return (q, k, v), torch.nn.functional.scaled_dot_product_attention(q, k, v{options})
"""

_LAYER = """
def run(device, dtype):
    x, _, _ = inputs(device, dtype, 4, 512 if device == "cuda" else 64, 64)
    layer = torch.nn.{layer}.to(device=device, dtype=dtype)
    return (x, *layer.parameters()), {call}
"""

_LAYERS = {
    "TransformerEncoderLayer": ("TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)", "layer(x)"),
    "TransformerDecoderLayer": ("TransformerDecoderLayer(64, 4, 128, dropout=0.0, batch_first=True)", "layer(x, x)"),
    "Transformer": ("Transformer(64, 4, 1, 1, 128, dropout=0.0, batch_first=True)", "layer(x, x)"),
    "MultiheadAttention": ("MultiheadAttention(64, 4, batch_first=True)", "layer(x, x, x, need_weights=False)[0]"),
}


def call(case: Case) -> Trial:
    """TDL301: the same call, forward and backward, many times on the same inputs."""
    if case.callee not in _CALLS:
        raise Unprobed(f"there is no probe for `{case.callee}`")
    given = case.arguments(*_POSITIONS)
    options, before = "", "pass"
    for name in ("is_causal", "scale"):
        value = case.known(given.get(name), None)
        options += f", {name}={value!r}" if value is not None else ""
    if "attn_mask" in given and case.known(given["attn_mask"], 0) is not None:
        before = "mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=device).tril()"
        options = options.replace(", is_causal=True", "") + ", attn_mask=mask"
    shown = f"`scaled_dot_product_attention(q, k, v{options})`"
    return _trial(_SDPA.format(before=before, context="contextlib.nullcontext()", options=options), shown)


def layer(case: Case) -> Trial:
    """TDL302: a layer of the same kind."""
    asks = any(arg.name == "need_weights" for arg in case.call.args)
    name = "MultiheadAttention" if asks else case.callee.removeprefix("torch.nn.")
    if name not in _LAYERS:
        raise Unprobed(f"there is no probe for `{name}`")
    made, called = _LAYERS[name]
    return _trial(_LAYER.format(layer=made, call=called), f"`nn.{made}`")


def context(case: Case) -> Trial | Evidence:
    """TDL303: attention inside of the same context."""
    if case.variant == "cudnn-strict":
        return needs_cuda("sdpa-cudnn-strict", "attention on cuDNN alone in strict mode, which takes a GPU to try")
    if case.callee not in ("torch.nn.attention.sdpa_kernel", "torch.backends.cuda.sdp_kernel"):
        raise Unprobed(f"there is no probe for `{case.callee}`")
    text = render(case.call, Grammar(lambda expr: _backend(case, expr), lambda _: case.callee))
    shown = text.replace("torch.nn.attention.", "").replace("torch.backends.cuda.", "")
    return _trial(_SDPA.format(before="pass", context=text, options=""), f"attention in `{shown}`")


def _backend(case: Case, expr: ir.Name | ir.Attr) -> str:
    dotted = case.names.dotted(expr) or ""
    return dotted if dotted.startswith("torch.nn.attention.SDPBackend.") else case.text(expr)


def _trial(define: str, shown: str) -> Trial:
    return Trial(_REPEAT.format(define=define), ("torch", "torch.nn.attention", "contextlib"), partial(_judge, shown))


def _judge(shown: str, one: Seen, other: Seen) -> Evidence:
    seen = {name: max(one["different"][name], other["different"].get(name, 0)) for name in one["different"]}
    times = one["times"]
    if not seen:
        return needs_cuda("sdpa-repeat", f"{shown} does not run on this machine: {one['refused']}")
    what = f"{times} forward and backward passes of {shown} in {', '.join(seen)}"
    worst = max(seen.values())
    if worst:
        return Evidence(CONFIRMED, f"{what} on {one['cuda'] or 'CPU'}: {worst} differ from the first", "kernel")
    if one["cuda"]:
        return Evidence(NOTHING, f"{what} on {one['cuda']} are bitwise equal")
    return needs_cuda("sdpa-repeat", f"{what} are bitwise equal on CPU; whether CUDA's kernels are takes a GPU to see")
