"""Where programs get their options from: argparse, click, typer, configuration classes."""

from __future__ import annotations

from collections.abc import Callable

from torchdet_lint import ir
from torchdet_lint.analysis import classes
from torchdet_lint.analysis.iteration import known_items
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.trace import Event
from torchdet_lint.analysis.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Box,
    ClassValue,
    Instance,
    Items,
    Known,
    Made,
    Option,
    Value,
    alternatives,
    known,
)
from torchdet_lint.project.modules import External

Handler = Callable[[Machine, Frame, Made, ir.Span], Value | None]


def _parser(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """An argument parser; its options live under its identity."""
    m.heap.cell(made.identity).depth = m.heap.depth
    for parent in known_items(m, made.get("parents") or UNKNOWN) or ():
        if isinstance(parent, Made):
            for name, value in m.heap.cell(parent.identity).entries.items():
                m.heap.write(made.identity, name, value)
    return Made("argparse.ArgumentParser", (), (), made.identity)


def parser_method(m: Machine, f: Frame, parser: Made, name: str, given: Made, span: ir.Span) -> Value | None:
    """A method of an argument parser or of one of its groups; None when it is none that matters."""
    if name == "add_argument":
        return _add_argument(m, f, parser, given, span)
    if name in ("add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"):
        return parser
    if name in ("parse_args", "parse_intermixed_args", "parse_args_into_namespace"):
        return Box("namespace", parser.identity)
    if name in ("parse_known_args", "parse_known_intermixed_args"):
        return Items((Box("namespace", parser.identity), UNKNOWN))
    if name == "set_defaults":
        for key, value in given.named:
            m.heap.write(parser.identity, key, Option(value, f"`{key}`"), replace=True)
        return NONE
    return None


def _add_argument(m: Machine, f: Frame, parser: Made, given: Made, span: ir.Span) -> Value:
    flags = [arg.value for arg in given.args if isinstance(arg, Known) and isinstance(arg.value, str)]
    dest = given.get("dest")
    if isinstance(dest, Known) and isinstance(dest.value, str):
        name = dest.value
    elif flags:
        long = [flag for flag in flags if flag.startswith("--")] or flags
        name = long[0].lstrip("-").replace("-", "_")
    else:
        return UNKNOWN
    label = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else name)
    value = _option_default(given, positional=bool(flags) and not flags[0].startswith("-"))
    m.heap.write(parser.identity, name, value if value == UNKNOWN else Option(value, f"`{label}`"), replace=True)
    f.trace.append(Event("option", f.site(span), name, value=value, made=given))
    return UNKNOWN


def _option_default(given: Made, *, positional: bool) -> Value:
    default = given.get("default")
    if default is not None:
        return default
    action = given.get("action")
    if action == known("store_true"):
        return FALSE
    if action == known("store_false"):
        return TRUE
    if given.get("required") == TRUE or (positional and given.get("nargs") not in (known("?"), known("*"))):
        return UNKNOWN
    return NONE


def _dataclass_parser(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`HfArgumentParser((A, B))`: keeps the classes."""
    return Made("transformers.HfArgumentParser", made.args, made.named, made.identity)


def parse_dataclasses(m: Machine, f: Frame, parser: Made, name: str, span: ir.Span) -> Value | None:
    """`parser.parse_args_into_dataclasses()`: one object a class, every field of which is an option."""
    if not name.startswith("parse_"):
        return None
    first = parser.args[0] if parser.args else parser.get("dataclass_types") or UNKNOWN
    kinds = [first] if isinstance(first, ClassValue) else list(known_items(m, first) or ())
    made = [_options_of(m, f, kind, index, span) for index, kind in enumerate(kinds)]
    return Items(tuple(made)) if made else UNKNOWN


def _options_of(m: Machine, f: Frame, kind: Value, index: int, span: ir.Span) -> Value:
    at = (span[0] + index, span[1])
    if isinstance(kind, ClassValue):
        return classes.options_object(m, f, kind, at, "--")
    return Made(m.apis.canonical(getattr(kind, "path", "?")), (), (("**", UNKNOWN),), f.identity(at))


def _cli_of_class(m: Machine, f: Frame, made: Made, span: ir.Span) -> Value | None:
    """`tyro.cli(Config)`, `simple_parsing.parse(Config)`, `draccus.parse(Config)`."""
    for option in alternatives(made.args[0] if made.args else made.get("config_class")):
        if isinstance(option, ClassValue):
            return classes.options_object(m, f, option, span, "--")
    return None


def command_option(
    m: Machine, f: Frame, code: ir.Function | ir.Lambda, given: dict[str, Value], positional: bool
) -> None:
    """Parameters of a click, typer or hydra command that is called without them are options."""
    if not isinstance(code, ir.Function) or not code.decorators:
        return
    rest = next((f.env[param.name] for param in code.params if param.kind == "**"), None)
    for decorator in code.decorators:
        if not isinstance(decorator, ir.Call):
            continue
        name = ir.last_name(decorator.func)
        if name == "main" and not given and not positional:
            _hydra_config(m, f, decorator, code)
        if name in ("option", "argument"):
            _click_option(m, f, decorator, given, rest)
        elif name == "command":
            for param in code.params:
                if param.name not in given and not positional and param.default is not None:
                    f.env[param.name] = _typer_default(m, f, param)


def _hydra_config(m: Machine, f: Frame, decorator: ir.Call, code: ir.Function) -> None:
    """`@hydra.main(…)` over `def main(cfg: Config)`: the fields of a structured configuration are options.

    https://hydra.cc/docs/tutorials/structured_config/config_store/
    """
    from torchdet_lint.analysis.expressions import evaluate

    param = code.params[0] if code.params else None
    if param is None or param.annotation is None or f.outer is None:
        return
    scope = f.outer
    kept, scope.trace = scope.trace, []
    main, kind = evaluate(m, scope, decorator.func), evaluate(m, scope, param.annotation)
    scope.trace = kept
    if isinstance(main, External) and m.apis.canonical(main.path) == "hydra.main" and isinstance(kind, ClassValue):
        f.env[param.name] = classes.options_object(m, f, kind, param.span, f"{param.name}.")


def _click_option(m: Machine, f: Frame, decorator: ir.Call, given: dict[str, Value], rest: Value | None) -> None:
    """Binds an option to the parameter of its name, else to an entry of `rest`, which is `**options`."""
    names = [a.value.value for a in decorator.args if a.star == "" and isinstance(a.value, ir.Const)]
    names = [name for name in names if isinstance(name, str)]
    plain = [name for name in names if not name.startswith("-")]
    long = [name for name in names if name.startswith("--")]
    if not (plain or long):
        return
    name = plain[0] if plain else long[0].split("/", 1)[0].lstrip("-").replace("-", "_")
    if name in given or (name not in f.env and not isinstance(rest, Box)):
        return
    settings = {a.name: a.value for a in decorator.args if a.star == "="}
    default: Value = NONE
    written = settings.get("default")
    if isinstance(written, ir.Const):
        default = known(written.value)
    elif "default" in settings or "required" in settings:
        default = UNKNOWN
    elif "is_flag" in settings or (long and "/" in long[0]):
        default = FALSE
    value = default if default == UNKNOWN else Option(default, f"`{long[0] if long else name}`")
    if name in f.env:
        f.env[name] = value
    elif isinstance(rest, Box):
        m.heap.write(rest.identity, name, value, replace=True)


def typer_default(made: Made, param: ir.Param) -> Value:
    """The value of a parameter whose default is `typer.Option(...)` or `typer.Argument(...)`: no argument, and `...`, make the
    user give one (https://typer.tiangolo.com/tutorial/options/required/).
    """
    default = made.args[0] if made.args else made.get("default")
    if default is None or default == known(Ellipsis):
        return UNKNOWN
    return Option(default, f"`--{param.name.replace('_', '-')}`")


def _typer_default(m: Machine, f: Frame, param: ir.Param) -> Value:
    default = param.default
    if isinstance(default, ir.Call) and default.args and default.args[0].star == "":
        default = default.args[0].value
    if isinstance(default, ir.Const) and default.value is not Ellipsis:
        return Option(known(default.value), f"`--{param.name.replace('_', '-')}`")
    return UNKNOWN


HANDLERS: dict[str, Handler] = {
    "argparse.ArgumentParser": _parser,
    "configargparse.ArgumentParser": _parser,
    "configargparse.ArgParser": _parser,
    "tap.Tap": _parser,
    "transformers.HfArgumentParser": _dataclass_parser,
    "trl.TrlParser": _dataclass_parser,
    "tyro.cli": _cli_of_class,
    "simple_parsing.parse": _cli_of_class,
    "draccus.parse": _cli_of_class,
    "pyrallis.parse": _cli_of_class,
}

__all__ = ["HANDLERS", "Instance", "command_option", "parse_dataclasses", "parser_method"]
