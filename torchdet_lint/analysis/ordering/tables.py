"""What is known of callables that take an ordered or unordered collection, by name."""

from __future__ import annotations

import re

SETS = frozenset({"builtins.set", "builtins.frozenset"})

SEQUENCES = frozenset(
    "builtins.list builtins.tuple builtins.iter builtins.reversed itertools.cycle itertools.combinations"
    " itertools.permutations itertools.product itertools.groupby itertools.accumulate itertools.takewhile"
    " itertools.dropwhile collections.deque numpy.array numpy.asarray pandas.Series"
    " tqdm.tqdm tqdm.auto.tqdm tqdm.autonotebook.tqdm tqdm.notebook.tqdm tqdm.rich.tqdm tqdm.std.tqdm rich.progress.track"
    " progressbar.progressbar alive_progress.alive_it click.progressbar fastprogress.progress_bar fastprogress.master_bar"
    " fastprogress.fastprogress.progress_bar fastprogress.fastprogress.master_bar mmcv.track_iter_progress"
    " mmengine.track_iter_progress itertools.chain itertools.chain.from_iterable".split()
)
"""Give the elements of their arguments in the order of the arguments."""

SEQUENCE_NAMES = frozenset({"tqdm", "track", "progress_bar", "imap", "map", "starmap", "process_map", "thread_map"})
"""The same, by the last part of a name that cannot be resolved."""

DICTS = frozenset({"builtins.dict", "collections.OrderedDict", "collections.defaultdict"})

COUNTS = frozenset(
    "builtins.len builtins.any builtins.all builtins.min builtins.max builtins.sum builtins.bool builtins.isinstance"
    " builtins.issubclass builtins.hash collections.Counter math.fsum math.prod statistics.mean statistics.median".split()
)
"""Say the same whatever the order."""

PRINTS = frozenset({"builtins.print", "pprint.pprint", "sys.exit", "builtins.exit", "builtins.quit"})
LOG_METHODS = frozenset(
    "info warning warn error debug exception critical log fail success set_description set_postfix set_postfix_str"
    " update_description echo secho".split()
)

HARMLESS_PREFIXES = (
    "logging.", "warnings.", "subprocess.", "torch.utils.cpp_extension.",  # each source makes an object of its own
    "re.", "typing.", "argparse.", "shutil.rmtree", "setuptools.", "distutils.",
)  # fmt: skip
HARMLESS_WORDS = frozenset(
    "sort sorted len print pprint log logger logging set isin count counter counts remove delete unlink exists exist check"
    " assert verify valid validate warn warning debug info error exception unique rmtree clean cleanup contains startswith"
    " endswith issubset issuperset isdisjoint union intersection difference discard drop exclude ignore mean average"
    " avg median std var min max sum any all size total length mkdir makedirs chmod touch help skip nunique duplicates"
    " duplicated subprocess bool str repr type hash display show report notify get update pop has eq ne equals argument"
    " rm chown upload zip tar archive".split()
)
"""A callable out of sight with one of these words in the last part of its name is taken not to mind the order."""

HARMLESS_KEYWORDS = frozenset(
    "choices exclude ignore skip allowed valid help message msg ignored excluded remove drop dropna subset missing"
    " target_modules modules_to_save".split()  # `peft` makes sets of these, and goes through the model's modules
)

ENCODERS = frozenset(
    f"sklearn.preprocessing.{name}"
    for name in ("LabelEncoder", "LabelBinarizer", "MultiLabelBinarizer", "OneHotEncoder", "OrdinalEncoder")
)
"""Classes whose `fit` sorts the categories that it finds (sklearn/utils/_encode.py@1.7.2, `_unique`)."""

UNORDERED_RESULTS = frozenset({"union", "intersection", "difference", "symmetric_difference"})
SET_CHANGES = frozenset(
    "add update discard remove clear difference_update intersection_update symmetric_difference_update".split()
)
SET_ANNOTATIONS = frozenset(
    "set frozenset typing.Set typing.FrozenSet typing.AbstractSet typing.MutableSet collections.abc.Set"
    " collections.abc.MutableSet builtins.set builtins.frozenset".split()
)

GROWS = frozenset({"append", "extend", "insert", "appendleft", "extendleft"})
QUEUES = frozenset({"put", "put_nowait", "push", "enqueue"})
WRITES = frozenset({"write", "writelines", "writerow", "writerows"})
BUILDS = frozenset(
    "add_module register_module register_parameter register_buffer add_param_group add_token add_tokens"
    " add_special_tokens".split()
)
DRAWS = frozenset({"plot", "scatter", "bar", "barh", "add_trace", "semilogy", "loglog", "errorbar", "fill_between"})
TRAINS = frozenset({"backward", "partial_fit", "train_on_batch"})
FOLDS = frozenset({"replace", "sub", "merge", "append", "concat", "concatenate", "join"})
UNFOLDED = frozenset("max min maximum minimum add gcd lcm set frozenset dict isinstance deepcopy".split())

ROUNDED = frozenset("torch.load numpy.load numpy.loadtxt numpy.genfromtxt builtins.float imageio.imread".split())
"""Give floating-point values (or arrays of them), whose sum depends on the order."""

RANDOM_PREFIXES = ("random.", "numpy.random.", "torch.rand", "torch.normal", "torch.multinomial", "torch.bernoulli")
SEEDERS = (
    "seed",
    "manual_seed",
    "get_state",
    "set_state",
    "getstate",
    "setstate",
    "default_rng",
    "RandomState",
    "Random",
)

PATHS = frozenset(
    "pathlib.Path pathlib.PosixPath pathlib.WindowsPath pathlib.PurePath pathlib.Path.cwd pathlib.Path.home".split()
)
PATH_METHODS = frozenset(
    "resolve absolute expanduser joinpath with_suffix with_name with_stem relative_to rename replace".split()
)
PATH_LISTS = frozenset({"glob", "rglob", "iterdir"})
PATH_TEXT = frozenset({"name", "stem", "suffix", "as_posix", "__name__", "__qualname__", "key"})

NUMBERS = frozenset(
    "builtins.int builtins.float builtins.len builtins.ord builtins.abs builtins.round builtins.bool builtins.hash"
    " builtins.sum builtins.divmod builtins.pow".split()
)
INDICES = re.compile(r"(?:^|_)(?:idx|idxs|idxes|inds|indices|indexes)(?:$|_of_|_for_)")
"""Names of collections of positions."""

TEXTS = frozenset("builtins.repr builtins.chr builtins.format builtins.input builtins.hex builtins.bin".split())
TEXT_METHODS = frozenset(
    "lower upper strip lstrip rstrip title capitalize casefold format read decode encode hexdigest zfill removeprefix"
    " removesuffix as_posix readline".split()
)
CONVERTS = frozenset({"format", "encode", "decode", "replace"})
"""Methods whose result shows the order of their arguments."""

TEXT_LISTS = frozenset({"split", "rsplit", "splitlines", "readlines", "listdir", "getnames", "namelist"})
NUMERIC = re.compile(r"(?:builtins\.|numpy\.|[<>=|])?(?:bool|u?int|float|[biuf])(?:\d+|_|p|c)?")
"""Types of array elements that are numbers: dotted names, and the strings that NumPy takes for them."""

INDEX_METHODS = frozenset("nonzero argsort argwhere argpartition searchsorted flatnonzero".split())
"""Methods of arrays and matrices that give the places of elements."""

INDEX_FUNCTIONS = frozenset(f"numpy.{name}" for name in (*INDEX_METHODS, "digitize"))

NUMBER_METHODS = frozenset({"item", "numel", "size", "dim", "nelement", "bit_length", "find", "rfind", "count"})
NUMBER_ATTRIBUTES = frozenset({"ndim", "itemsize", "shape"})
PARAMETERS = frozenset({"parameters", "modules", "children", "buffers"})
NAMED = frozenset({"named_parameters", "named_modules", "named_children", "named_buffers"})


def harmless(name: str) -> bool:
    """Whether a callable of this name, which is out of sight, is taken not to mind the order of what it gets."""
    last = name.rpartition(".")[2]
    if name.startswith(HARMLESS_PREFIXES) or last == "Choice":
        return True  # `click.Choice(names)` is a check; `rng.choice(names)` takes one
    if last.lower().endswith("extension"):
        return True  # one of those of torch, of which a name holds the one that is wanted
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", last)
    return any(word.lower() in HARMLESS_WORDS for word in words)


def random_draw(dotted: str) -> bool:
    """Whether the call takes numbers from a global random stream."""
    return dotted.startswith(RANDOM_PREFIXES) and not dotted.rsplit(".", 1)[-1].startswith(SEEDERS)


def sorts(name: str) -> bool:
    """Whether a callable of this name gives its argument in a defined order."""
    last = name.rsplit(".", 1)[-1].lower()
    return "sort" in last and last != "argsort" or name == "numpy.unique"
