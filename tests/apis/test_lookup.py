"""Names, aliases, patterns and versions: what `load_apis` answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdet_lint.catalog.apis import Apis, Callee, load_apis
from torchdet_lint.catalog.errors import CatalogError
from torchdet_lint.catalog.versions import parse_interval, series


@pytest.fixture(scope="module")
def apis() -> Apis:
    return load_apis()


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("torch.nn.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.Linear", "torch.nn.Linear"),
        ("torch.random.manual_seed", "torch.manual_seed"),
        ("torch.default_generator.manual_seed", "torch.manual_seed"),
        ("torch.random.fork_rng", "torch.random.fork_rng"),
        ("torch.cuda.random.manual_seed_all", "torch.cuda.manual_seed_all"),
        ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.utils.data.sampler.RandomSampler", "torch.utils.data.RandomSampler"),
        ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"),
        ("torch.utils.data.dataset.random_split", "torch.utils.data.random_split"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.distributions.normal.Normal.sample", "torch.distributions.Normal.sample"),
        ("numpy.random.mtrand.RandomState", "numpy.random.RandomState"),
        ("pytorch_lightning.Trainer", "lightning.pytorch.Trainer"),
        ("pytorch_lightning.utilities.seed.seed_everything", "lightning.pytorch.seed_everything"),
        ("lightning.Trainer", "lightning.pytorch.Trainer"),
        ("lightning.fabric.utilities.seed.seed_everything", "lightning.pytorch.seed_everything"),
        ("lightning_fabric.Fabric", "lightning.fabric.Fabric"),
        ("transformers.trainer_utils.set_seed", "transformers.set_seed"),
        ("transformers.models.bert.modeling_bert.BertModel", "transformers.BertModel"),
        ("torchvision.models.resnet.resnet50", "torchvision.models.resnet50"),
        (
            "torchvision.models.detection.faster_rcnn.fasterrcnn_resnet50_fpn",
            "torchvision.models.detection.fasterrcnn_resnet50_fpn",
        ),
        ("torchvision.transforms.transforms.RandomCrop", "torchvision.transforms.RandomCrop"),
        ("torch_geometric.data.DataLoader", "torch_geometric.loader.DataLoader"),
        ("timm.models.layers.DropPath", "timm.layers.DropPath"),
        ("gym.make", "gymnasium.make"),
        ("torch.multiprocessing.Process", "multiprocessing.Process"),
        ("torch.multiprocessing.spawn", "torch.multiprocessing.spawn"),
        ("flash_attn.flash_attn_interface.flash_attn_func", "flash_attn.flash_attn_func"),
        ("mine.torch.nn.modules.linear.Linear", "mine.torch.nn.modules.linear.Linear"),
        ("", ""),
    ],
)
def test_one_spelling(apis: Apis, spelling: str, canonical: str) -> None:
    assert apis.canonical(spelling) == canonical
    assert apis.canonical(canonical) == canonical


def test_unknown_names_are_unknown(apis: Apis) -> None:
    assert apis.get("torch.no_such_function") is None
    assert apis.get("mypackage.seed_everything") is None


def test_a_layer_a_dropout_and_a_loader(apis: Apis) -> None:
    linear, dropout, loader = (
        apis.get(f"torch.{name}") for name in ("nn.Linear", "nn.Dropout", "utils.data.DataLoader")
    )
    assert linear
    assert dropout
    assert loader
    assert (linear.role, linear.draws, linear.calls) == ("layer", ("torch",), ())
    assert (dropout.draws, dropout.calls, dropout.training) == ((), ("torch",), True)
    assert (loader.role, loader.unless) == ("loader", ("generator@12",))
    assert loader.params[12] == "generator"


def test_rows_of_one_name_add_up(apis: Apis) -> None:
    transformer = apis.get("torch.nn.Transformer")
    assert transformer is not None
    assert (transformer.role, transformer.draws, transformer.calls) == ("attention", ("torch",), ("torch",))
    assert transformer.params[:2] == ("d_model", "nhead")


@pytest.mark.parametrize(
    ("name", "seeds", "missing"),
    [
        ("torch.manual_seed", ("torch",), ""),
        ("torch.cuda.manual_seed_all", ("cuda-only",), ""),
        ("torch.seed", ("torch",), "entropy"),
        ("numpy.random.seed", ("numpy",), "entropy"),
        ("random.seed", ("python",), "entropy"),
        ("pytorch_lightning.seed_everything", ("torch", "numpy", "python"), "default"),
        ("detectron2.utils.env.seed_all_rng", ("torch", "numpy", "python"), "entropy"),
        ("timm.utils.random_seed", ("torch", "numpy", "python"), "default"),
        ("imgaug.seed", ("imgaug",), ""),
    ],
)
def test_seeders_and_what_no_seed_means(apis: Apis, name: str, seeds: tuple[str, ...], missing: str) -> None:
    api = apis.get(name)
    assert api is not None
    assert (api.role, api.seeds, api.missing) == ("seeder", seeds, missing)
    assert api.name in apis.seeders()


def test_patterns_take_the_most_specific_row(apis: Apis) -> None:
    plain = apis.get("transformers.AutoModelForCausalLM.from_pretrained")
    head = apis.get("transformers.models.bert.modeling_bert.BertForTokenClassification.from_pretrained")
    built = apis.get("transformers.LlamaForCausalLM")
    auto = apis.get("transformers.AutoModelForCausalLM")
    tokens = apis.get("transformers.AutoTokenizer.from_pretrained")
    assert plain
    assert head
    assert built
    assert auto
    assert tokens
    assert (plain.role, plain.draws, plain.name) == (
        "pretrained",
        (),
        "transformers.AutoModelForCausalLM.from_pretrained",
    )
    assert (head.role, head.draws) == ("pretrained", ("torch",))
    assert (built.role, built.draws) == ("layer", ("torch",))
    assert (auto.role, auto.draws) == ("", ())
    assert tokens.role == ""


def test_a_pattern_stays_within_one_identifier(apis: Apis) -> None:
    assert apis.get("torch.distributions.Normal.sample") is not None
    assert apis.get("torch.distributions.Normal.more.sample") is None


def test_conditions_follow_the_version(apis: Apis) -> None:
    def calls(version: str) -> tuple[str, ...]:
        api = apis.get("albumentations.HorizontalFlip", {"albumentations": series(version)})
        assert api is not None
        return api.calls

    assert calls("1.4.20") == ("python",)
    assert calls("1.4.21") == ("albumentations",)
    newest = apis.get("albumentations.Compose")
    assert newest is not None
    assert newest.when == "albumentations>=1.4.21"
    assert newest.missing == "entropy"


def test_a_range_of_versions_counts_as_its_newest(apis: Apis) -> None:
    old = apis.get("torchvision.transforms.RandomCrop", {"torchvision": parse_interval(">=0.5,<0.8")})
    open_ended = apis.get("torchvision.transforms.RandomCrop", {"torchvision": parse_interval(">=0.5")})
    assert old
    assert open_ended
    assert (old.calls, open_ended.calls) == (("python",), ("torch",))


def test_a_name_with_conditions_only_can_be_unknown(apis: Apis) -> None:
    assert apis.get("torch.set_deterministic") is None
    assert apis.get("torch.set_deterministic", {"torch": series("1.8.1")}) is not None


def test_what_a_call_returns(apis: Apis) -> None:
    def result(name: str) -> str:
        api = apis.get(name)
        assert api is not None
        return api.result

    assert result("numpy.random.default_rng") == "numpy.random.Generator"
    assert result("torch.Generator") == "torch.Generator"
    assert result("torch.Generator.manual_seed") == "self"
    assert result("os.getpid") == ""


@pytest.mark.parametrize(
    ("name", "callee"),
    [
        ("torch.multiprocessing.spawn", Callee("fn@0", lead=1, args="args@1")),
        ("multiprocessing.Process", Callee("target@1", args="args@3", kwargs="kwargs@4")),
        ("concurrent.futures.ProcessPoolExecutor.submit", Callee("fn@0", rest=True)),
        ("map", Callee("function@0", each=("iterable@1",))),
        ("torch.distributed.rpc.rpc_sync", Callee("func@1", args="args@2", kwargs="kwargs@3")),
        ("hydra.main", None),
        ("torch.manual_seed", None),
    ],
)
def test_who_is_called(apis: Apis, name: str, callee: Callee | None) -> None:
    api = apis.get(name)
    assert api is not None
    assert api.callee == callee


def test_keyword_only_parameters_have_no_position() -> None:
    apis = load_apis(inline={"api": [{"names": "acme.run", "params": "first * work! options**", "role": "calls"}]})
    api = apis.get("acme.run")
    assert api is not None
    assert api.callee == Callee("work", kwargs="options")


def test_triggers_are_last_identifiers(apis: Apis) -> None:
    listing = apis.triggers(["listing"])
    assert {"listdir", "walk", "rglob", "iterdir", "glob"} <= listing
    assert "Linear" not in listing
    everything = apis.triggers()
    assert {"Linear", "manual_seed", "default_rng", "DataLoader"} <= everything
    assert not any("*" in word or "." in word for word in everything)


def test_families(apis: Apis) -> None:
    assert {"torch", "numpy", "python", "cuda-only", "cupy", "imgaug", "gym", "gym-space"} <= apis.families()


def test_a_project_adds_its_own_seeder_and_loader(tmp_path: Path) -> None:
    file = tmp_path / "acme.toml"
    file.write_text(
        """
        [aliases]
        "acme.core.*" = "acme"
        [[api]]
        under = ["acme", "acme.legacy"]
        names = ["fix_all"]
        role = "seeder"
        seeds = ["torch", "acme-rng"]
        seed = "seed@0"
        """
    )
    inline = {"api": [{"names": "acme.Loader", "role": "loader", "calls": "torch"}]}
    apis = load_apis([file], inline)
    seeder, legacy, loader = (
        apis.get(name) for name in ("acme.core.seeds.fix_all", "acme.legacy.fix_all", "acme.Loader")
    )
    assert seeder
    assert legacy
    assert loader
    assert seeder.seeds == ("torch", "acme-rng")
    assert legacy.role == "seeder"
    assert loader.calls == ("torch",)
    assert "acme-rng" in apis.families()
    assert apis.get("torch.nn.Linear") is not None


def test_a_project_overrides_what_the_house_says() -> None:
    apis = load_apis(inline={"api": [{"names": "timm.create_model", "draws": []}]})
    api = apis.get("timm.create_model")
    assert api is not None
    assert (api.draws, api.role) == ((), "layer")


def row(**keys: object) -> dict[str, object]:
    return {"api": [{"names": "acme.f", **keys}]}


@pytest.mark.parametrize(
    ("inline", "message"),
    [
        (row(rol="seeder"), 'rol` is not known in a row (did you mean "role"?)'),
        (row(role="seedr"), '(did you mean "seeder"?)'),
        (row(missing="entropi"), '(did you mean "entropy"?)'),
        (row(draws=["Torch!"]), '`draws` has "Torch!", which is not a family'),
        (row(unless="generator@x"), '`unless` has "generator@x"'),
        (row(sets="stric=mode@0"), '(did you mean "strict"?)'),
        (row(params="fn!! args*"), '`params` has "fn!!"'),
        (row(training="yes"), "`training` must be true or false"),
        (row(when=">=1.9"), "must name a library and its versions"),
        (row(when="torch>=new"), "`when` is no version condition"),
        (row(seed=0), "`seed` must be a string"),
        (row(under="torch nn!"), "`under` must be a dotted prefix"),
        ({"api": [{"names": "not a-name"}]}, "`names` must be dotted names"),
        ({"api": [{"names": []}]}, "`names` must be dotted names"),
        ({"api": [{"names": "*.seed"}]}, "starts with `*`"),
        ({"api": [{"role": "seeder"}]}, "missing key `names`"),
        ({"aliases": {"a-b": "c"}}, "`aliases.a-b` must be a dotted prefix"),
        ({"apis": []}, 'unknown key `apis` (did you mean "api"?)'),
    ],
)
def test_mistakes_are_named(inline: dict[str, object], message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_apis(inline=inline)
    assert message in str(caught.value)
    assert "[tool.torchdet-lint.apis]" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "broken.toml"
    file.write_text("[[api]\n")
    with pytest.raises(CatalogError, match=r"broken\.toml: not valid TOML"):
        load_apis([file])


def test_a_result_may_depend_on_an_argument() -> None:
    apis = load_apis(inline={"api": [{"names": "acme.open", "returns": "acme.Table acme.Stream?streaming@1"}]})
    api = apis.get("acme.open")
    assert api is not None
    assert (api.returns, api.variants, api.result) == ("acme.Table", ("acme.Stream?streaming@1",), "acme.Table")
    plain = load_apis(inline={"api": [{"names": "datasets.load_dataset", "returns": "acme.Table"}]})
    replaced = plain.get("datasets.load_dataset")
    assert replaced is not None
    assert (replaced.returns, replaced.variants) == ("acme.Table", ())


def test_families_under_a_condition_are_families() -> None:
    row = {"names": "acme.Feeder", "role": "loader", "calls": ["acme?mix=True"], "workers": "acme-too?own"}
    assert {"acme", "acme-too"} <= load_apis(inline={"api": [row]}).families()


def test_what_has_a_role_in_some_version(apis: Apis) -> None:
    assert {"os.listdir", "blobfile.glob"} <= apis.having(["listing"])
    assert "torch.set_deterministic" in apis.having(["strict"])


@pytest.mark.parametrize("aliases", [{"own": "own.core"}, {"own": "mine", "mine": "own"}, {"own.*": "own.core.deep"}])
def test_aliases_that_lead_nowhere_end(aliases: dict[str, str]) -> None:
    found = load_apis(inline={"aliases": aliases, "api": [{"names": "other.draw", "role": "draw", "draws": "python"}]})
    assert found.get("own.thing.draw") is None
    assert found.get("other.draw") is not None
