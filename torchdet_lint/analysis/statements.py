"""Executing statements: one small function a node type, in a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis import arms as arms_of
from torchdet_lint.analysis import attributes, classes, importing, iteration, lengths, tests
from torchdet_lint.analysis.annotations import of_annotation
from torchdet_lint.analysis.contexts import STACKS, enter_context, leave_context
from torchdet_lint.analysis.decorating import decorate
from torchdet_lint.analysis.expressions import evaluate
from torchdet_lint.analysis.keeping import manages
from torchdet_lint.analysis.machine import Frame, Machine
from torchdet_lint.analysis.measuring import is_measured
from torchdet_lint.analysis.naming import labels, makes_name, names_something
from torchdet_lint.analysis.overwriting import record_overwritten
from torchdet_lint.analysis.trace import Branch, Event, Leave, Node, Repeat, Within, caught
from torchdet_lint.analysis.values import (
    NONE,
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Known,
    Made,
    Option,
    Truth,
    Value,
    computed,
    join,
    truth,
)
from torchdet_lint.project.modules import External
from torchdet_lint.project.names import flat, target_names


def execute_unit(m: Machine, f: Frame, unit: int, *, whole: bool = False) -> None:
    """Runs one top-level unit of the frame's module.

    Imports, and plain functions and classes, need no lowering; with `whole` a class statement is run all the same.
    """
    kept, f.unit = f.unit, unit
    source = m.project.modules[f.path].source
    header = source.units[unit]
    if header.kind in ("import", "from") and ";" not in source.unit_text(header):
        for record in m.project.modules[f.path].records.get(unit, ()):
            importing.run_import(m, f, record.module, record.level, record.names, (0, header.end - header.start))
    elif header.kind == "def" and len(header.names) == 1 and not source.unit_text(header).startswith("@"):
        _plain_function(m, f, unit, header.names[0])
    elif header.kind == "class" and not whole and len(header.names) == 1 and is_inert_class(source.unit_text(header)):
        f.env[header.names[0]] = ClassValue(f.path, unit, header.names[0], (0, 0), 0)
    else:
        run(m, f, m.project.body(f.path, unit))
    f.unit = kept


BODY_INDENT = re.compile(r"^([ \t]+)(?=\S)", re.MULTILINE)


def is_inert_class(text: str) -> bool:
    """Whether running a class statement calls nothing: no decorators, no calls in its header, among its own statements, or as
    defaults of its methods. Such a class is looked into when somebody uses it.
    """
    indent = BODY_INDENT.search(text)
    if text.startswith("@") or indent is None:
        return False
    header = text[: text.find("\n")]
    if header.count("(") > 1 or not header.rstrip().endswith(":"):
        return False
    own = re.compile(
        rf"^{indent[1]}(?![ \t#)\]}}]|@?property\b|@staticmethod|@classmethod|def |async def |\"|'|return\b)\S[^\n#]*\(",
        re.MULTILINE,
    )
    default = re.compile(
        rf"^{indent[1]}(?:async )?def [^\n]*=[ ]*[\w.]+\("
        rf"|^[ \t]+\w+(?:[ ]*:[^=\n]+)?[ ]*=[ ]*[\w.]+\([^\n]*\),?\n(?:[^\n]*\n)*?{indent[1]}\)",
        re.MULTILINE,
    )
    return own.search(text) is None and default.search(text) is None


def _plain_function(m: Machine, f: Frame, unit: int, name: str) -> None:
    """Binds an undecorated function; it is lowered only for defaults that call something."""
    function = FunctionValue(f.path, unit, name, (0, 0), 0)
    f.env[name] = function
    source = m.project.modules[f.path].source
    text = source.unit_text(source.units[unit])
    header = text.split(":\n", 1)[0]
    if header.count("(") > 1 and "=" in header:
        code = m.function_code(function)
        if code is not None:
            _defaults(m, f, code.params)


def run(m: Machine, f: Frame, body: Iterable[ir.Stmt]) -> None:
    """Executes statements until the path ends."""
    for statement in body:
        if f.ended:
            return
        m.steps += 1
        _TABLE[type(statement)](m, f, statement)


def block(m: Machine, f: Frame, body: ir.Body) -> tuple[Node, ...]:
    """Executes statements in the same frame and gives their trace apart."""
    kept, f.trace = f.trace, []
    run(m, f, body)
    trace, f.trace = f.trace, kept
    return tuple(trace)


def _do(m: Machine, f: Frame, s: ir.Do) -> None:
    value = evaluate(m, f, s.value)
    if value == External("!exit"):
        leave(f, "exit")


def leave(f: Frame, kind: str) -> None:
    f.trace.append(Leave(kind))
    f.ended = kind


def _assign(m: Machine, f: Frame, s: ir.Assign) -> None:
    if s.value is None:
        return
    label = tests.path_text(s.targets[0]) if len(s.targets) == 1 else ""
    if label == "_":
        _apart(m, f, s.value)
        return
    f.naming = len(s.targets) == 1 and (
        labels(m, f, label, s.targets[0], s.value) or names_something(m, f, s.targets[0], s.value)
    )
    value = _apart(m, f, s.value) if is_measured(m, f, s) else evaluate(m, f, s.value)
    f.naming = False
    if s.annotation is not None and (value == UNKNOWN or (isinstance(value, Made) and m.api(value.cls) is None)):
        named = of_annotation(m, f, f, s.annotation, s.span)
        value = named if named != UNKNOWN else value
    for target in s.targets:
        attributes.assign(m, f, target, value, s.span)


def _apart(m: Machine, f: Frame, value: ir.Expr) -> Value:
    """A value of which what it draws reaches nothing: `_ = value`, a network that is only measured."""
    kept, f.trace = f.trace, []
    found = evaluate(m, f, value)
    trace, f.trace = tuple(f.trace), kept
    if trace:
        f.trace.append(Within(f.site(value.span), "init-empty", UNKNOWN, trace))
    return found


def _augment(m: Machine, f: Frame, s: ir.Augment) -> None:
    old = evaluate(m, f, s.target)
    added = evaluate(m, f, s.value)
    if s.op == "@":
        f.trace.append(Event("matmul", f.site(s.span), "@="))
    if attributes.extend_list(m, f, old, added, s.op):
        return
    if isinstance(s.target, ir.Name | ir.Attr):
        attributes.assign(m, f, s.target, computed(old, added), s.span)


def _return(m: Machine, f: Frame, s: ir.Return) -> None:
    f.naming = s.value is not None and makes_name(f.function, s.value)
    f.returns.append(evaluate(m, f, s.value) if s.value is not None else NONE)
    f.naming = False
    leave(f, "return")


def _raise(m: Machine, f: Frame, s: ir.Raise) -> None:
    if s.value is not None:
        evaluate(m, f, s.value)
    leave(f, "raise")


def _jump(m: Machine, f: Frame, s: ir.Jump) -> None:
    leave(f, s.kind)


def _delete(m: Machine, f: Frame, s: ir.Delete) -> None:
    for target in s.targets:
        if isinstance(target, ir.Item):
            value, key = evaluate(m, f, target.value), evaluate(m, f, target.key)
            attributes.delete_key(m, value, key)


def _assert(m: Machine, f: Frame, s: ir.Assert) -> None:
    evaluate(m, f, s.test)
    f.narrowed.update(tests.narrowing(m, f, s.test, holds=True))


def _scope(m: Machine, f: Frame, s: ir.Scope) -> None:
    """`global x` in a function: writes go to the module."""
    if s.kind == "global" and f.outer is not None:
        f.globals = f.globals | frozenset(s.names)


def _if(m: Machine, f: Frame, s: ir.If) -> None:
    value = evaluate(m, f, s.test)
    found = truth(value)
    if _is_main(s.test):
        _main_guard(m, f, s, found)
        return
    if found is Truth.NO and isinstance(value, Known) and value.kind == "int" and tests.names_seed(s.test):
        # `if seed:` with 0: the seed is mistaken for none (TDL011 says so); whoever passes another one is seeded.
        found, value = Truth.UNLIKELY, Option(value, tests.path_text(s.test))
    yes, no = tests.narrowing(m, f, s.test, holds=True), tests.narrowing(m, f, s.test, holds=False)
    if found in (Truth.YES, Truth.NO):
        f.narrowed.update(yes if found is Truth.YES else no)
        run(m, f, s.body if found is Truth.YES else s.orelse)
        return
    label = value.label if isinstance(value, Option) else ""
    fork(m, f, s.span, found, label, ((s.body, yes), (s.orelse, no)))
    arms_of.note_inference(f, s)
    _filled_in(m, f, s)


def _filled_in(m: Machine, f: Frame, s: ir.If) -> None:
    """`if args.seed is None: args.seed = 0`: from here on the attribute is not None."""
    test = s.test
    if not isinstance(test, ir.Compare) or test.ops not in (("is",), ("==",)) or s.orelse or f.ended:
        return
    text, right = tests.path_text(test.left), test.values[0]
    if "." not in text or not isinstance(right, ir.Const) or right.value is not None:
        return
    if any(isinstance(each, ir.Assign) and text in map(tests.path_text, each.targets) for each in s.body):
        kept, f.trace = f.trace, []
        f.narrowed = {**f.narrowed, text: tests.without(evaluate(m, f, test.left), none=True)}
        f.trace = kept


def _is_main(test: ir.Expr) -> bool:
    return (
        isinstance(test, ir.Compare)
        and any(isinstance(side, ir.Name) and side.id == "__name__" for side in (test.left, *test.values))
    )  # fmt: skip


def _main_guard(m: Machine, f: Frame, s: ir.If, found: Truth) -> None:
    if found in (Truth.YES, Truth.OPEN):
        body = block(m, f, s.body)
        f.trace.append(Within(f.site(s.span), "main", UNKNOWN, body))
    else:
        run(m, f, s.orelse)


Arm = tuple[ir.Body, dict[str, Value]]


def fork(m: Machine, f: Frame, span: ir.Span, found: Truth, label: str, arms: tuple[Arm, Arm]) -> None:
    """Both arms of a test, each from the same start; afterwards names hold what either left behind."""
    env, names = f.env, f.narrowed
    outcomes = []
    depth, inner = m.heap.depth, False
    for body, narrowed in arms:
        f.env, f.narrowed, f.ended = dict(env), {**names, **narrowed}, ""
        m.heap.depth = depth + 1
        trace = block(m, f, body)
        inner = inner or m.heap.depth > depth + 1
        outcomes.append((trace, f.env, f.narrowed, f.ended))
    (then, env1, names1, end1), (other, env2, names2, end2) = outcomes
    # What follows an arm that left, or a part of one, does not run on all paths either, until the function or the loop is over.
    left = (inner or {end1, end2} & {"return", "break", "continue"}) and not (end1 and end2)
    m.heap.depth = depth + 1 if left else depth
    likely = Option if found in (Truth.LIKELY, Truth.UNLIKELY) and label else None
    f.ended = ""
    if end1 and end2:
        f.env, f.narrowed, f.ended = env, names, end1 if end1 == end2 else "return"
    elif end1:
        f.env, f.narrowed = env2, names2
    elif end2:
        f.env, f.narrowed = env1, names1
    else:
        for mine, narrowed, other_env in ((env1, arms[0][1], env2), (env2, arms[1][1], env1)):
            arms_of.refine(mine, narrowed, env, other_env)
        f.env = arms_of.merge(m, env1, env2, label if likely else "", found)
        f.narrowed = {text: value for text, value in names1.items() if names2.get(text) == value and text in names}
    if then or other:
        f.trace.append(Branch(f.site(span), found, label, then, other))


def _loop(m: Machine, f: Frame, span: ir.Span, kind: str, body: ir.Body, orelse: ir.Body, target: Any = None) -> None:
    """One pass over the body stands for all; names that change by themselves (`i += 1`) are unknown in it."""
    env = dict(f.env)
    for statement in flat(body):
        if isinstance(statement, ir.Augment):
            for name in target_names(statement.target):
                if isinstance(f.env.get(name), Known):
                    f.env[name] = UNKNOWN
    if target is not None:
        attributes.assign(m, f, target[0], target[1], span)
    names, f.narrowed = f.narrowed, dict(f.narrowed)
    depth, m.heap.depth = m.heap.depth, m.heap.depth + 1
    trace = block(m, f, body)
    m.heap.depth = depth
    once = f.ended == "break"  # no way leads to a second turn
    left = f.ended
    f.ended = ""
    f.narrowed = names
    merged = {
        name: join(value, env[name]) if name in env and env[name] != value else value for name, value in f.env.items()
    }
    f.env.clear()
    f.env.update(merged)
    if trace and once:
        f.trace += [node for node in trace if not (isinstance(node, Leave) and node.kind == "break")]
    elif trace:
        f.trace.append(Repeat(f.site(span), kind, trace))
    if left in ("return", "exit") and kind == "forever":
        f.ended = left
    run(m, f, orelse)


def _for(m: Machine, f: Frame, s: ir.For) -> None:
    value = evaluate(m, f, s.iter)
    element = iteration.iterate(m, f, value, s.span)
    cases = isinstance(s.iter, ir.Sequence) or iteration.are_cases(m, value) or iteration.are_sets(s.target)
    kind = "cases" if cases else "for"
    grown = lengths.growing(m, f, s)
    _loop(m, f, s.span, kind, s.body, s.orelse, (s.target, element))
    for identity, count in grown.items():
        m.heap.cell(identity).length = count
    record_overwritten(m, f, s)


def _while(m: Machine, f: Frame, s: ir.While) -> None:
    found = truth(evaluate(m, f, s.test))
    if found is Truth.NO:
        run(m, f, s.orelse)
        return
    _loop(m, f, s.span, "forever" if found is Truth.YES else "while", s.body, s.orelse)


def _with(m: Machine, f: Frame, s: ir.With) -> None:
    _enter_next(m, f, s, s.items)


def _enter_next(m: Machine, f: Frame, s: ir.With, items: tuple[tuple[ir.Expr, ir.Expr | None], ...]) -> None:
    """Enters the contexts of a `with` statement from the left; the body, and the contexts behind, run inside of each."""
    if not items:
        run(m, f, s.body)
        return
    context, target = items[0]
    value = evaluate(m, f, context)
    kept, f.trace = f.trace, []
    yields, open_before = len(f.yields or ()), len(f.opens)
    entered, kinds = enter_context(m, f, value, context.span)
    f.opens += kinds
    if target is not None:
        attributes.assign(m, f, target, entered, s.span)
    _enter_next(m, f, s, items[1:])
    leave_context(m, f, value, context.span)
    opened = f.opens[open_before:] if isinstance(value, Made) and value.cls in STACKS else kinds
    del f.opens[open_before : open_before + len(opened)]
    trace, f.trace = tuple(f.trace), kept
    # Where this is a context manager that yields here, the body of its caller runs inside as well.
    if len(f.yields or ()) == yields or not manages(f.function):
        for kind, made in reversed(opened):
            trace = (Within(f.site(s.span), kind, made, trace),)
    f.trace += trace


def _try(m: Machine, f: Frame, s: ir.Try) -> None:
    """The body runs; handlers may run. A body that returns does so although a handler may go on: that path is kept."""
    env, before = dict(f.env), len(f.trace)
    run(m, f, s.body)
    if not f.ended:
        run(m, f, s.orelse)
    ended, f.ended = f.ended, ""
    done = f.env
    arms = []
    depth, m.heap.depth = m.heap.depth, m.heap.depth + 1
    survivors = [] if ended else [dict(done)]
    for handler in s.handlers:
        f.env, f.ended = {**done, **{k: join(v, done.get(k, v)) for k, v in env.items()}}, ""
        if handler.name:
            f.env[handler.name] = UNKNOWN
        arms.append(block(m, f, handler.body))
        if not f.ended:
            survivors.append(f.env)
    m.heap.depth = depth
    if ended == "raise" and survivors:
        f.trace[before:] = caught(tuple(f.trace[before:]))
    f.ended = "" if survivors else ended or f.ended
    merged: dict[str, Value] = survivors[0] if survivors else done
    for other in survivors[1:]:
        merged = arms_of.merge(m, merged, other, "", Truth.OPEN)
    f.env = merged
    for trace in arms:
        if trace:
            f.trace.append(Branch(f.site(s.span), Truth.OPEN, "except", trace, ()))
    kept, f.ended = f.ended, ""
    run(m, f, s.final)
    f.ended = f.ended or kept


def _match(m: Machine, f: Frame, s: ir.Match) -> None:
    subject = evaluate(m, f, s.subject)
    rest: list[ir.Case] = list(s.cases)
    _match_rest(m, f, s, subject, rest)


def _match_rest(m: Machine, f: Frame, s: ir.Match, subject: Value, cases: list[ir.Case]) -> None:
    if not cases:
        return
    case = cases[0]
    found = Truth.OPEN
    if case.irrefutable and case.guard is None:
        found = Truth.YES
    elif case.values and case.guard is None:
        each = [tests.compare(m, "==", subject, evaluate(m, f, value)) for value in case.values]
        found = Truth.YES if Truth.YES in each else Truth.NO if all(e is Truth.NO for e in each) else Truth.OPEN
        if Truth.LIKELY in each:
            found = Truth.LIKELY
        elif found is Truth.OPEN and all(e in (Truth.NO, Truth.UNLIKELY) for e in each):
            found = Truth.UNLIKELY
    for name in case.names:
        f.env[name] = UNKNOWN
    if found is Truth.YES:
        run(m, f, case.body)
        return
    if found is Truth.NO:
        _match_rest(m, f, s, subject, cases[1:])
        return
    label = subject.label if isinstance(subject, Option) else ""
    rest = (ir.Match(s.subject, tuple(cases[1:]), s.span),) if cases[1:] else ()
    fork(m, f, s.span, found, label, ((case.body, {}), (rest, {})))


def _function(m: Machine, f: Frame, s: ir.Function) -> None:
    value = define(m, f, s)
    f.env[s.name] = decorate(m, f, s.decorators, value)


def define(m: Machine, f: Frame, s: ir.Function) -> FunctionValue:
    """The function as a value; its defaults are evaluated here, as Python does. A method does not see its class's names."""
    qualname = f"{f.qualname}.{s.name}" if f.qualname else s.name
    around = f.outer if f.defines is not None and f.outer is not None else f
    span = (0, 0) if f.outer is None else s.span
    value = FunctionValue(f.path, f.unit, qualname, span, m.keep(around), f.qualname if f.defines is not None else "")
    m.code[f.path, f.unit, value.span] = s
    _defaults(m, f, s.params)
    return value


def _defaults(m: Machine, f: Frame, params: tuple[ir.Param, ...]) -> None:
    for param in params:
        if param.default is not None and not isinstance(param.default, ir.Const):
            evaluate(m, f, param.default)


def _class(m: Machine, f: Frame, s: ir.Class) -> None:
    f.env[s.name] = decorate(m, f, s.decorators, classes.define(m, f, s))


_TABLE: dict[type, Callable[[Machine, Frame, Any], None]] = {
    ir.Do: _do, ir.Assign: _assign, ir.Augment: _augment, ir.Return: _return, ir.Raise: _raise, ir.Jump: _jump,
    ir.Delete: _delete, ir.Assert: _assert, ir.Scope: _scope, ir.If: _if, ir.For: _for, ir.While: _while, ir.With: _with,
    ir.Try: _try, ir.Match: _match, ir.Function: _function, ir.Class: _class, ir.Import: importing.import_modules,
    ir.ImportFrom: importing.import_names,
}  # fmt: skip
