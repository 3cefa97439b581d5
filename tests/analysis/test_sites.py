"""Modes, attention, listings, sets, memory: places that are judged one by one."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

CASES = [
    (
        "benchmark",
        "TDL201",
        """\
        torch.backends.cudnn.benchmark = True
        """,
    ),
    (
        "benchmark param",
        "TDL201",
        """\
        def setup(fast=True):
            torch.backends.cudnn.benchmark = fast
        """,
    ),
    (
        "flags",
        "TDL202",
        """\
        with torch.backends.cudnn.flags(enabled=True):
            print(nn.functional.conv1d)
        """,
    ),
    (
        "flags without cuDNN",
        "",
        """\
        with torch.backends.cudnn.flags(enabled=False):
            print(nn.functional.ctc_loss)
        """,
    ),
    (
        "deterministic missing",
        "TDL203",
        """\
        torch.manual_seed(0)
        m = nn.Linear(2, 2).cuda()
        m(torch.ones(2, 2, device="cuda")).sum().backward()
        """,
    ),
    (
        "strict",
        "TDL205",
        """\
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(0)
        m = nn.Linear(2, 2).cuda()
        m(torch.ones(2, 2, device="cuda")).sum().backward()
        """,
    ),
    (
        "strict + cublas",
        "",
        """\
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        torch.use_deterministic_algorithms(True)
        torch.manual_seed(0)
        m = nn.Linear(2, 2).cuda()
        m(torch.ones(2, 2, device="cuda")).sum().backward()
        """,
    ),
    (
        "warn_only",
        "TDL204",
        """\
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.manual_seed(0)
        m = nn.Linear(2, 2).cuda()
        m(torch.ones(2, 2, device="cuda")).sum().backward()
        """,
    ),
    (
        "off after on",
        "TDL208",
        """\
        torch.use_deterministic_algorithms(True)
        torch.use_deterministic_algorithms(False)
        """,
    ),
    (
        "max-autotune",
        "TDL207",
        """\
        m = torch.compile(nn.ReLU(), mode="max-autotune")
        m(torch.ones(2))
        """,
    ),
    (
        "flash-attn by the old flag",
        "TDL304",
        """\
        from transformers import AutoModel, LlamaConfig
        AutoModel.from_pretrained("m", use_flash_attention_2=True)
        """,
    ),
    (
        "flash-attn where it is there",
        "TDL304",
        """\
        from transformers import AutoModel, LlamaConfig
        kind = "flash_attention_2" if torch.cuda.is_available() else "eager"
        AutoModel.from_pretrained("m", attn_implementation=kind)
        """,
    ),
    (
        "flash-attn in a configuration",
        "TDL304",
        """\
        from transformers import AutoModel, LlamaConfig
        config = LlamaConfig()
        config._attn_implementation = "flash_attention_2"
        """,
    ),
    (
        "flash-attn by a method",
        "TDL304",
        """\
        def speed_up(model):
            model.set_attn_implementation("flash_attention_3")
        """,
    ),
    (
        "flash-attn in what a trainer hands on",
        "TDL304",
        """\
        from trl import SFTConfig
        SFTConfig("out", model_init_kwargs={"attn_implementation": "flash_attention_2"})
        """,
    ),
    (
        "flash-attn on request",
        "",
        """\
        from transformers import AutoModel, LlamaConfig
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--flash", action="store_true")
        args = parser.parse_args()
        kind = "flash_attention_2" if args.flash else "sdpa"
        AutoModel.from_pretrained("m", attn_implementation=kind)
        """,
    ),
    (
        "other attention",
        "",
        """\
        from transformers import AutoModel, LlamaConfig
        AutoModel.from_pretrained("m", use_flash_attention_2=False)
        config = LlamaConfig()
        config._attn_implementation = "eager"
        def slow_down(model):
            model.set_attn_implementation("sdpa")
        """,
    ),
    (
        "a trainer that compiles",
        "TDL207",
        """\
        from transformers import TrainingArguments
        TrainingArguments("out", torch_compile_mode="max-autotune")
        """,
    ),
    (
        "a plugin that compiles",
        "TDL207",
        """\
        from accelerate.utils import TorchDynamoPlugin
        TorchDynamoPlugin(backend="inductor", mode="max-autotune")
        """,
    ),
    (
        "a trainer that compiles without tuning",
        "",
        """\
        from transformers import TrainingArguments
        TrainingArguments("out", torch_compile=True, torch_compile_mode="reduce-overhead")
        """,
    ),
    (
        "a module that compiles itself",
        "TDL207",
        """\
        class Net(nn.Module):
            pass
        net = Net()
        net.compile(mode="max-autotune-no-cudagraphs")
        """,
    ),
    (
        "a module that compiles itself with options",
        "TDL207",
        """\
        def speed_up(model):
            model.compile(options={"max_autotune": True})
        """,
    ),
    (
        "compiling without tuning, and what else is compiled",
        "",
        """\
        nn.ReLU().compile(mode="reduce-overhead")
        compile("1", "f", mode="eval")
        """,
    ),
    (
        "inductor patched with a keyword",
        "TDL207",
        """\
        with torch._inductor.config.patch(max_autotune=True):
            torch.compile(nn.ReLU())
        """,
    ),
    (
        "inductor patched with a dictionary",
        "TDL207",
        """\
        from torch._inductor import config
        @config.patch({"coordinate_descent_tuning": True})
        def f(x): return torch.compile(nn.ReLU())(x)
        """,
    ),
    (
        "inductor patched with something else",
        "",
        """\
        with torch._inductor.config.patch(max_autotune=False, fallback_random=True):
            torch.compile(nn.ReLU())
        """,
    ),
    (
        "sdpa",
        "TDL301",
        """\
        def f(q): return nn.functional.scaled_dot_product_attention(q, q, q)
        """,
    ),
    (
        "sdpa no_grad",
        "",
        """\
        @torch.no_grad()
        def f(q): return nn.functional.scaled_dot_product_attention(q, q, q)
        """,
    ),
    (
        "sdpa kernel math",
        "",
        """\
        from torch.nn.attention import sdpa_kernel, SDPBackend
        def f(q):
            with sdpa_kernel(SDPBackend.MATH):
                return nn.functional.scaled_dot_product_attention(q, q, q)
        """,
    ),
    (
        "sdpa kernel flash",
        "TDL303",
        """\
        from torch.nn.attention import sdpa_kernel, SDPBackend
        def f(q):
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                return nn.functional.scaled_dot_product_attention(q, q, q)
        """,
    ),
    (
        "transformer layer",
        "tdl302",
        """\
        torch.manual_seed(0)
        l = nn.TransformerEncoderLayer(8, 2)
        torch.save(l(torch.ones(2, 2, 8)), "f")
        """,
    ),
    (
        "listing",
        "TDL105",
        """\
        def f(d): return [x for x in os.listdir(d)]
        """,
    ),
    (
        "set order",
        "TDL106",
        """\
        def f(words): return {w: i for i, w in enumerate(set(words))}
        """,
    ),
    (
        "empty",
        "TDL501",
        """\
        def f():
            x = torch.empty(3)
            return x + 1
        """,
    ),
    (
        "an order of the operating system that a program trains in",
        "TDL008",
        """\
        import random, torch
        order = [1, 2, 3]
        random.SystemRandom().shuffle(order)
        torch.ones(3, requires_grad=True).sum().backward()
        """,
    ),
    (
        "an order of the operating system where nothing is trained",
        "",
        """\
        import secrets
        letters = list("abc")
        secrets.SystemRandom().shuffle(letters)
        """,
    ),
    (
        "numbers of the operating system that are saved",
        "TDL008",
        """\
        r = random.SystemRandom()
        np.save("f", r.random())
        """,
    ),
    (
        "a file that is named by the operating system",
        "",
        """\
        import uuid
        np.save(f"{uuid.uuid4()}.npy", np.ones(2))
        """,
    ),
    (
        "a number of a uuid as data",
        "TDL008",
        """\
        import uuid
        np.save("f", np.asarray([uuid.uuid4().int % 1000]))
        """,
    ),
    (
        "a number of a uuid as a seed",
        "TDL005",
        """\
        import uuid
        rng = np.random.default_rng(int(uuid.uuid4().hex, 16))
        np.save("f", rng.normal())
        """,
    ),
    (
        "a number of the clock as a seed",
        "TDL005",
        """\
        from datetime import datetime
        np.random.seed(datetime.now().microsecond)
        """,
    ),
    (
        "files that are named by a uuid",
        "",
        """\
        import uuid
        np.memmap(f"/tmp/{uuid.uuid4()}", mode="w+", shape=(3,))
        np.savetxt(uuid.uuid4().hex, np.ones(3))
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected


TRAINING = """
    from torch.nn import functional as F
    class Attention(nn.Module):
        def forward(self, q):
            if {test}:
                q = F.scaled_dot_product_attention(q, q, q)
            else:
                {other}
            return q
"""


@pytest.mark.parametrize(
    ("test", "other", "expected"),
    [
        ("not self.training", "q = q + 1", ""),
        ("self.training", "q = q + 1", "TDL301"),
        ("self.causal", "q = q + 1", "TDL301"),
        ("not self.training", "q = F.scaled_dot_product_attention(q, q, q, is_causal=True)", "TDL301"),
        ("self.training and self.fast", "q = q + 1", "TDL301"),
    ],
)
def test_what_runs_only_outside_of_training(test: str, other: str, expected: str) -> None:
    assert codes(TRAINING.format(test=test, other=other), "TDL3") == expected
