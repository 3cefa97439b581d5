"""Classes that stand in a registry of a library, and what is built from it by a name that a configuration holds."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

PROGRAM = """
    {imports}
    NETS = Registry("nets"{more})
    {register}
    class Net(nn.Module):
        def __init__(self, width=2):
            super().__init__()
            self.a = nn.Linear(width, width)
    {after}
    @NETS.{method}()
    class Plain:
        pass
    def build(cfg):
        return {build}
    torch.save(build(json.load(open(sys.argv[1]))), "f")
"""
MMCV = "import json\n    from mmcv.utils import Registry, build_from_cfg"
ENGINE = "import json\n    from mmengine.registry import Registry, build_from_cfg"
FVCORE = "import json\n    from fvcore.common.registry import Registry"
DETECTRON = "import json\n    from detectron2.utils.registry import Registry"
MODULE, PLAIN = "register_module", "register"


def said(imports: str, method: str, build: str, register: str = "", after: str = "", more: str = "") -> str:
    text = PROGRAM.format(
        imports=imports,
        method=method,
        build=build,
        register=register or f"@NETS.{method}()",
        after=after,
        more=more,
    )
    return codes(text, "TDL0")


@pytest.mark.parametrize(
    ("imports", "method", "build"),
    [
        (MMCV, MODULE, "build_from_cfg(cfg, NETS)"),
        (MMCV, MODULE, "build_from_cfg(cfg, registry=NETS, default_args=dict(width=3))"),
        (MMCV, MODULE, "NETS.build(cfg)"),
        (MMCV, MODULE, "NETS.build(cfg, default_args=dict(width=3))"),
        (MMCV, MODULE, "NETS.get(cfg['type'])()"),
        (MMCV, MODULE, "NETS.build(dict(type='Net', width=4))"),
        (ENGINE, MODULE, "build_from_cfg(cfg, NETS)"),
        (ENGINE, MODULE, "NETS.build(cfg)"),
        (FVCORE, PLAIN, "NETS.get(cfg['type'])()"),
        (FVCORE, PLAIN, "NETS.get('Net')(3)"),
        (DETECTRON, PLAIN, "NETS.get(cfg['type'])()"),
    ],
)
def test_any_of_what_is_registered_may_be_built(imports: str, method: str, build: str) -> None:
    assert said(imports, method, build) == "TDL001"


@pytest.mark.parametrize(
    ("register", "after"),
    [
        ("@NETS.register_module(name='net')", ""),
        ("@NETS.register_module", ""),
        ("", "NETS.register_module(module=Net)"),
        ("", "NETS.register_module(Net)"),
    ],
)
def test_ways_to_register(register: str, after: str) -> None:
    shown = register or "# not here"
    assert said(MMCV, MODULE, "NETS.build(cfg)", shown, after) == "TDL001"


def test_what_a_name_that_is_known_builds() -> None:
    assert said(MMCV, MODULE, "NETS.build(dict(type='Plain'))") == ""
    assert said(MMCV, MODULE, "NETS.build(dict(type='net'))", "@NETS.register_module(name='net')") == "TDL001"
    assert said(FVCORE, PLAIN, "NETS.get('Plain')()") == ""


def test_nothing_is_registered() -> None:
    assert codes(
        """
        from mmcv.utils import Registry
        NETS = Registry("nets")
        torch.save(NETS.build(dict(type="Net")), "f")
        """,
        "TDL0",
    ) == ""  # fmt: skip


RUNNER = """
    from mmcv.runner import {name}
    from mmcv.utils.parrots_wrapper import {loader}
    torch.manual_seed(3)
    net = nn.Linear(2, 2).cuda()
    loader = {loader}(torch.ones(8, 2), shuffle=True)
    runner = {made}
    runner.run([loader], [("train", 1)])
"""


@pytest.mark.parametrize("loader", ["DataLoader", "PoolDataLoader"])
@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("EpochBasedRunner", "EpochBasedRunner(net)"),
        ("IterBasedRunner", "IterBasedRunner(net)"),
        ("build_runner", "build_runner(dict(type='EpochBasedRunner'), default_args=dict(model=net))"),
    ],
)
def test_runners_train_and_loaders_are_those_of_torch(name: str, made: str, loader: str) -> None:
    assert codes(RUNNER.format(name=name, made=made, loader=loader), "TDL1 TDL2") == "TDL203 tdl101"
