"""Which units can hold something that a rule judges: a look at their words, before any parse."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache, lru_cache

from torchdet_lint.analysis.memory.screen import holds_memory
from torchdet_lint.analysis.operations import holds_operation
from torchdet_lint.catalog.apis import Apis
from torchdet_lint.project.context import Context
from torchdet_lint.project.modules import Module, Project, base_words
from torchdet_lint.source import SourceFile, Unit

SITE_ROLES = frozenset(
    "loader wraps-loader sampler seeded-sampler split rng generator sdpa sdpa-context flash attention strict seeder".split()
)
"""Roles whose uses are judged where they stand, whoever reaches them."""

SITE_WORDS = frozenset(
    "benchmark deterministic allow_tf32 PYTHONHASHSEED max_autotune coordinate_descent_tuning autotune attn_implementation"
    " _attn_implementation set_attn_implementation use_flash_attention_2"
    " set_float32_matmul_precision scaled_dot_product_attention sdp_kernel sdpa_kernel MultiheadAttention need_weights warn_only"
    " set_deterministic set_deterministic_debug_mode flags cudnn_benchmark uuid4 urandom SystemRandom secrets"
    " allow_fp16_bf16_reduction_math_sdp compile fill_uninitialized_memory".split()
)
SEED_WORD = re.compile(r"(?:^|[_.])(?:seed|random_state)$|[a-z]Seed$")
"""A name for a seed: `seed`, `rng_seed`, `random_state`, `manualSeed`."""


@lru_cache(maxsize=8)
def site_words(apis: Apis) -> frozenset[str]:
    """The words that make a unit worth evaluating although no program reaches it."""
    return apis.triggers(SITE_ROLES) | SITE_WORDS


def classes_of_sites(project: Project, apis: Apis) -> frozenset[str]:
    """The names of the project's classes below one whose uses are judged: its own loaders, samplers, attention layers."""
    return project.once((classes_of_sites, apis), lambda: _classes_of_sites(project, apis))


def _classes_of_sites(project: Project, apis: Apis) -> frozenset[str]:
    words, found = apis.triggers(SITE_ROLES), set[str]()
    below = [
        (unit.names[0], bases)
        for module in project.modules.values()
        for unit in module.source.units
        if unit.names and (bases := base_words(module.source, unit))
    ]
    while new := {name for name, bases in below if name not in found and not (words | found).isdisjoint(bases)}:
        found |= new
    return frozenset(found)


@lru_cache(maxsize=8)
def order_words(apis: Apis) -> dict[str, frozenset[str]]:
    """The last names of what lists files or returns a set in libraries, with the names of these libraries."""
    found: dict[str, set[str]] = {}
    for name in apis.having(("listing", "returns-set")):
        library, _, rest = name.partition(".")
        if rest and library not in PYTHON:
            found.setdefault(rest.rpartition(".")[2], set()).add(library)
    return {word: frozenset(libraries) for word, libraries in found.items()}


PYTHON = frozenset(("os", "glob", "pathlib", "set", "frozenset", "importlib"))
"""What has listings and sets that are looked for by words of their own."""


def renamed(module: Module, words: frozenset[str]) -> frozenset[str]:
    """The names under which a module imports things that are called one of these words."""
    return frozenset(
        name
        for name, (dotted, _, member) in module.imports.items()
        if (member or dotted.rpartition(".")[2]) in words and name != (member or dotted.rpartition(".")[2])
    )


def holds_site(source: SourceFile, unit: Unit, apis: Apis) -> bool:
    """Whether the unit can hold an event that a site rule judges."""
    return not site_words(apis).isdisjoint(unit.words) or holds_operation(source, unit)


def holds_seed_name(unit: Unit) -> bool:
    return any(map(_means_seed, unit.words))


@cache  # the same few thousand words stand in every file
def _means_seed(word: str) -> bool:
    return SEED_WORD.search(word) is not None


PLAIN_PYTHON = sys.stdlib_module_names - {"random"}
"""Modules of Python of which what matters is found by its words."""


@lru_cache(maxsize=8)
def libraries(apis: Apis) -> frozenset[str]:
    """The libraries that the tables know, those that the project adds itself among them."""
    return frozenset(name.partition(".")[0] for name in apis.spellings()) - PLAIN_PYTHON


def can_matter(project: Project, path: str, apis: Apis) -> bool:
    """Whether a file can have something to judge in it, or do something that is judged elsewhere: it uses a library, or holds
    a word that is looked for.
    """
    from torchdet_lint.analysis.ordering.screen import ALIASED_WORDS

    module = project.modules[path]
    if any(_is_library(project, path, record.module, apis) for record in module.source.imports if not record.level):
        return True
    if renamed(module, ALIASED_WORDS):
        return True
    return any(needed(module.source, unit, apis) for unit in module.source.units)


def worth_judging(context: Context, paths: Iterable[str]) -> bool:
    """Whether some rule may have something to say of some of these files; those that a project adds may speak of any."""
    if any(rule.match is not None for rule in context.catalog.rules):
        return True
    return any(can_matter(context.project, path, context.apis) for path in paths)


def _is_library(project: Project, path: str, dotted: str, apis: Apis) -> bool:
    top = dotted.partition(".")[0]
    if top in libraries(apis):
        return True
    inside = project.layout.find(path, top) is not None or project.layout.has_folder(path, top)
    return top not in PLAIN_PYTHON and not inside


def needed(source: SourceFile, unit: Unit, apis: Apis) -> bool:
    """Whether some rule certainly wants the unit lowered."""
    from torchdet_lint.analysis.ordering import makes_order

    return (
        holds_site(source, unit, apis)
        or makes_order(source, unit, order_words(apis))
        or holds_memory(source, unit)
        or holds_seed_name(unit)
    )
