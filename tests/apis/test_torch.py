"""The tables against the installed torch: names, what draws and what does not, what is seeded by a generator."""

from __future__ import annotations

import copy
import inspect
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from torchdet_lint.catalog.apis import Api, Apis, load_apis

torch = pytest.importorskip("torch")
nn = torch.nn

# Of other versions, or only there with an accelerator, or attributes that need an instance.
ELSEWHERE = (
    "torch.set_deterministic", "torch.cuda.*", "torch.xpu.*", "torch.mps.*", "torch.mtia.*", "torch.nn.NLLLoss2d",
    "torch.nn.init.uniform", "torch.nn.Module.xpu", "torch.Tensor.xpu", "torch.backends.cuda.sdp_kernel",
)  # fmt: skip

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "Bilinear": (3, 3, 4),
    "Fold": ((4, 4), 2),
    "Unflatten": (1, (2, 2)),
    "GroupNorm": (2, 4),
    "AdaptiveLogSoftmaxWithLoss": (8, 20, [5, 10]),
    "MultiheadAttention": (4, 2),
    "TransformerEncoderLayer": (4, 2),
    "TransformerDecoderLayer": (4, 2),
    "Transformer": (4, 2, 1, 1),
    "RNNBase": ("LSTM", 4, 4),
    "FractionalMaxPool2d": (2, 3),
    "FractionalMaxPool3d": (2, 3),
}
GUESSES: tuple[tuple[Any, ...], ...] = ((), (4,), (4, 4), (4, 4, 2), (4, 4, 4, 4))

INSIDE = {
    # Kernels and helpers of torch that programs do not call by name.
    "_cudnn_attention_backward", "_cudnn_attention_forward", "_cudnn_init_dropout_state", "_cudnn_rnn",
    "_efficient_attention_forward", "_fill_mem_eff_dropout_mask_", "_flash_attention_forward",
    "_flash_attention_forward_no_dropout_inplace", "_fused_dropout", "_fused_sdp_choice", "_lstm_mps",
    "_nested_tensor_softmax_with_shape", "_scaled_dot_product_attention_math",
    "_scaled_dot_product_attention_math_for_mps", "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_fused_attention_overrideable",
    "_triton_scaled_dot_attention", "miopen_rnn", "normal_functional", "rrelu_with_noise", "rrelu_with_noise_",
    "rrelu_with_noise_functional",
    # Out-of-place forms of in-place draws that have no public function.
    "cauchy", "exponential", "geometric", "log_normal", "random", "uniform",
    # Reached through nn.GRU, nn.LSTM and nn.RNN.
    "gru", "lstm", "rnn_relu", "rnn_tanh",
}  # fmt: skip


LINEAR, FRESH = nn.Linear(2, 2), nn.Linear(2, 2)


@pytest.fixture(scope="module")
def apis() -> Apis:
    return load_apis()


def rows(apis: Apis, prefix: str) -> Iterator[Api]:
    for name in apis:
        if name.startswith(prefix) and "*" not in name:
            api = apis.get(name)
            if api is not None:
                yield api


STATES = ("torch.get_rng_state", "torch.cuda.get_rng_state", "torch.Generator.get_state")
"""Functions that give a tensor of bytes."""


def resolve(name: str) -> Any:
    """The object of a dotted name below torch, None when there is none."""
    import importlib

    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for at, part in enumerate(parts[end:], end):
            holder = torch.Tensor if ".".join(parts[:at]) in STATES else value  # a method of what it gives
            value = getattr(holder, part, None)
        return value
    return None


def elsewhere(name: str) -> bool:
    return any(name == other or (other.endswith("*") and name.startswith(other[:-1])) for other in ELSEWHERE)


def moved(action: Any) -> bool:
    """Whether calling `action` moves torch's CPU generator."""
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        before = torch.get_rng_state()
        action()
        return not torch.equal(before, torch.get_rng_state())


def build(name: str) -> Any:
    """An action that builds the layer, with arguments that it takes."""
    kind = getattr(nn, name)
    if name in ("TransformerEncoder", "TransformerDecoder"):
        layer = getattr(nn, f"{name}Layer")(4, 2)
        return lambda: kind(layer, 1)
    if name.startswith("Fractional"):
        return lambda: kind(2, output_ratio=0.5)
    for arguments in [ARGUMENTS[name]] if name in ARGUMENTS else GUESSES:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                kind(*arguments)
            except (TypeError, ValueError, AttributeError, IndexError):
                continue
        return lambda arguments=arguments: kind(*arguments)
    return pytest.fail(f"no arguments known for {name}")


LAYERS = sorted(name for name, kind in vars(nn).items() if inspect.isclass(kind) and issubclass(kind, nn.Module))


def test_the_names_exist(apis: Apis) -> None:
    names = [api.name for api in rows(apis, "torch.") if not elsewhere(api.name)]
    assert [name for name in names if resolve(name) is None] == []
    assert len(names) > 400


def test_cuda_seeders_exist(apis: Apis) -> None:
    for name in ("manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state", "set_rng_state_all"):
        api = apis.get(f"torch.cuda.{name}")
        assert api is not None
        assert api.seeds == ("cuda-only",)
        assert hasattr(torch.cuda, name)


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_is_known_and_draws_as_the_table_says(apis: Apis, name: str) -> None:
    api = apis.get(f"torch.nn.{name}")
    assert api is not None, f"torch.nn.{name} is not in the tables"
    assert api.role in ("layer", "recurrent", "attention")
    assert moved(build(name)) == ("torch" in api.draws)


@pytest.mark.parametrize(
    "name", ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "RReLU"]
)
def test_layers_that_draw_in_training_only(apis: Apis, name: str) -> None:
    api = apis.get(f"torch.nn.{name}")
    assert api is not None
    layer, batch = getattr(nn, name)(), -torch.ones((2, 3, 4, 4)[: 3 if name == "Dropout1d" else 4])
    assert moved(lambda: layer(batch)) is True
    assert moved(lambda: layer.eval()(batch)) is False
    assert (api.calls, api.training) == (("torch",), True)


def test_fractional_pooling_draws_in_evaluation_too(apis: Apis) -> None:
    api = apis.get("torch.nn.FractionalMaxPool2d")
    assert api is not None
    pool = nn.FractionalMaxPool2d(2, output_ratio=0.5).eval()
    assert moved(lambda: pool(torch.ones(1, 1, 8, 8)))
    assert (api.calls, api.training) == (("torch",), False)


def test_lazy_layers_draw_at_the_first_call(apis: Apis) -> None:
    api = apis.get("torch.nn.LazyLinear")
    assert api is not None
    layer = nn.LazyLinear(3)
    assert moved(lambda: layer(torch.ones(2, 5)))
    assert api.calls == ("torch",)


@pytest.mark.parametrize("name", [name for name in dir(nn.init) if name.endswith("_") and not name.startswith("_")])
def test_initialisers_draw_as_the_table_says(apis: Apis, name: str) -> None:
    api = apis.get(f"torch.nn.init.{name}")
    assert api is not None
    extra = {"constant_": (1.0,), "sparse_": (0.5,)}.get(name, ())
    weight = torch.zeros(4, 4, 3) if name == "dirac_" else torch.zeros(4, 4)
    assert api.role == "init"
    assert moved(lambda: getattr(nn.init, name)(weight, *extra)) == ("torch" in api.draws)


def seeded_operators() -> set[str]:
    found = set()
    for full in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = full.partition("::")
        name, _, overload = rest.partition(".")
        packet = getattr(torch.ops.aten, name, None) if namespace == "aten" else None
        operator = getattr(packet, overload or "default", None)
        if operator is not None and torch.Tag.nondeterministic_seeded in operator.tags:
            found.add(name)
    return found


def test_every_operator_that_a_generator_seeds_is_known(apis: Apis) -> None:
    operators = seeded_operators()
    assert len(operators) > 40
    for name in sorted(operators - INSIDE):
        spellings = [f"torch.{name}", f"torch.Tensor.{name}", f"torch.nn.functional.{name}"]
        known = [api for spelling in spellings if (api := apis.get(spelling)) is not None and "torch" in api.draws]
        assert known, f"{name} is seeded by a generator, and the tables say nothing of it"


@pytest.mark.parametrize(
    "action",
    [
        lambda: torch.svd_lowrank(torch.ones(4, 4)),
        lambda: torch.pca_lowrank(torch.ones(4, 4)),
        lambda: nn.utils.spectral_norm(LINEAR),
        lambda: nn.utils.parametrizations.spectral_norm(copy.deepcopy(FRESH)),
        lambda: nn.functional.gumbel_softmax(torch.ones(2, 2)),
        lambda: iter(torch.utils.data.DataLoader([1, 2])),
        lambda: torch.utils.data.random_split([1, 2], [1, 1]),
        lambda: list(torch.utils.data.RandomSampler([1, 2])),
        lambda: list(torch.utils.data.SubsetRandomSampler([1, 2])),
        lambda: list(torch.utils.data.WeightedRandomSampler([0.5, 0.5], 2)),
        lambda: torch.distributions.Normal(0.0, 1.0).sample(),
    ],
)
def test_what_the_tables_say_draws_does(action: Any) -> None:
    assert moved(action)


@pytest.mark.parametrize("name", ["DistributedSampler", "SequentialSampler"])
def test_samplers_that_do_not_draw(apis: Apis, name: str) -> None:
    arguments = {"num_replicas": 1, "rank": 0} if name == "DistributedSampler" else {}
    sampler = getattr(torch.utils.data, name)([1, 2, 3], **arguments)
    assert not moved(lambda: list(sampler))
    api = apis.get(f"torch.utils.data.{name}")
    assert api is not None
    assert api.draws == api.calls == ()


def test_parameters_are_in_torch_order(apis: Apis) -> None:
    for api in rows(apis, "torch."):
        value = None if elsewhere(api.name) else resolve(api.name)
        if not api.params or value is None or "..." in api.params:
            continue
        try:
            real = [name for name in inspect.signature(value).parameters if name != "self"]
        except (TypeError, ValueError):
            continue
        said = [re.sub(r"(?<=\w)(!\d*|\*+|\[\])$", "", param) for param in api.params if param != "*"]
        if "args" not in real:
            assert real[: len(said)] == said, api.name


def test_a_generator_starts_from_a_constant(apis: Apis) -> None:
    api = apis.get("torch.Generator")
    assert api is not None
    assert str(torch.Generator().initial_seed()) in api.note
    assert api.missing == "constant"
