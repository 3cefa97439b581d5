"""Running the statements of a body over the state of the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchdet_lint import ir
from torchdet_lint.analysis.memory.allocation import is_meta
from torchdet_lint.analysis.memory.coverage import Running
from torchdet_lint.analysis.memory.expressions import captured, opened, tested
from torchdet_lint.analysis.memory.frame import Frame, escape, read, taint, uses_in, write
from torchdet_lint.analysis.memory.networks import emptied_inside
from torchdet_lint.analysis.memory.targets import assign, forget, rebind
from torchdet_lint.analysis.memory.values import DONE, NOTHING, State, Value, bare, elements, join, union
from torchdet_lint.project.names import target_names


def execute(frame: Frame, state: State, body: ir.Body) -> State | None:
    """The state after the body, or None when its end is not reached. `state` is used up."""
    current: State | None = state
    for statement in body:
        frame.analysis.step()
        handler = HANDLERS.get(type(statement))
        current = current if handler is None else handler(frame, current, statement)
        if current is None:
            return None
    return current


def _do(frame: Frame, state: State, statement: ir.Do) -> State:
    frame.dropping = statement.value
    frame.evaluate(state, statement.value)
    return state


def _assign(frame: Frame, state: State, statement: ir.Assign) -> State:
    if statement.value is None:
        return state
    _grown(frame, state, statement)
    value = frame.evaluate(state, statement.value)
    for target in statement.targets:
        if not (isinstance(target, ir.Name) and target.id == "_"):
            assign(frame, state, target, value)
    return state


CONCATENATIONS = frozenset(("cat", "concat", "concatenate"))


def _grown(frame: Frame, state: State, statement: ir.Assign) -> None:
    """`self.x = torch.cat([self.x, y])`: what is made like another tensor and then grows has started without elements, as the
    other one had none; nobody keeps a first piece of garbage.
    """
    call = statement.value
    if not (isinstance(call, ir.Call) and call.args and isinstance(statement.targets[0], ir.Attr)):
        return
    last = ir.last_name(call.func)
    parts, target = call.args[0].value, statement.targets[0]
    if last in CONCATENATIONS and isinstance(parts, ir.Sequence) and bare(target) in map(bare, parts.items):
        refs = frame.evaluate(state, target).refs
        write(frame, state, [ref for ref in refs if ref.buffer.api.endswith("empty_like")])


def _augment(frame: Frame, state: State, statement: ir.Augment) -> State:
    value = frame.evaluate(state, statement.value)
    target = frame.evaluate(state, statement.target)
    if target.refs or value.refs:
        both = Value(refs=(*target.refs, *value.refs), maybe=target.maybe or value.maybe)
        result = read(frame, state, both, statement.span, f"is changed in place by `{statement.op}=`")
        if target.refs:
            taint(state, target, uses_in(state, result))
        else:
            assign(frame, state, statement.target, result)
    elif target.entries is not None or target.each is not None:
        rebind(frame, state, statement.target, Value(each=union(elements(target), elements(value))))
    return state


def _return(frame: Frame, state: State, statement: ir.Return) -> None:
    if statement.value is not None:
        frame.results.append(frame.evaluate(state, statement.value))
    frame.exits.append(state)


def _raise(frame: Frame, state: State, statement: ir.Raise) -> None:
    return None


def _jump(frame: Frame, state: State, statement: ir.Jump) -> None:
    frame.jumps.append(state)


def _delete(frame: Frame, state: State, statement: ir.Delete) -> State:
    for target in statement.targets:
        forget(state, target)
    return state


def _assert(frame: Frame, state: State, statement: ir.Assert) -> State:
    tested(frame, state, frame.evaluate(state, statement.test))
    return state


def _scope(frame: Frame, state: State, statement: ir.Scope) -> State:
    names, before = frozenset(statement.names), frame.shared
    frame.shared = lambda name: name in names or before(name)
    return state


def _branches(frame: Frame, state: State, bodies: list[ir.Body], exhaustive: bool) -> State | None:
    """Runs each body from the same state; what is read inside is conditional in the loops around."""
    outer, frame.conditional = frame.conditional, frame.loops_now
    ends = [execute(frame, state.copy(), body) for body in bodies]
    frame.conditional = outer
    return join([end for end in ends if end is not None] + ([] if exhaustive else [state]))


def _if(frame: Frame, state: State, statement: ir.If) -> State | None:
    tested(frame, state, frame.evaluate(state, statement.test))
    if _is_empty(statement.test) and statement.body and isinstance(statement.body[-1], ir.Return):
        return _branches(frame, state, [statement.orelse], exhaustive=True)
    asked, holds = _asked(statement.test)
    return _ways(frame, state, asked, ((statement.body, holds), (statement.orelse, not holds)))


def _ways(frame: Frame, state: State, asked: object, ways: Iterable[tuple[ir.Body, bool]]) -> State | None:
    """The two ways of a condition. What was allocated where it did not hold is not there where the same condition holds later."""
    outer, frame.conditional = frame.conditional, frame.loops_now
    ends = []
    for body, holds in ways:
        start = _without(frame, state.copy(), asked, not holds)
        end = execute(frame, start, body)
        if end is not None:
            frame.made_under.update((buffer, (asked, holds)) for buffer in end.heap.keys() - state.heap.keys())
            ends.append((end, holds))
    frame.conditional = outer
    if len(ends) == 1:
        return _without(frame, ends[0][0], asked, not ends[0][1])
    return join([end for end, _ in ends])


def _without(frame: Frame, state: State, asked: object, holds: bool) -> State:
    """The state without the memory that was allocated where the condition was answered the other way."""
    for buffer in [each for each in state.heap if frame.made_under.get(each) == (asked, holds)]:
        state.heap[buffer] = DONE
    return state


SAME_ANSWER = ("len", "isinstance", "hasattr", "callable", "is_available", "dim", "size")


def _asked(test: ir.Expr) -> tuple[object, bool]:
    """What a condition asks, and whether it wants it to hold: `not x` asks for x. A call may answer otherwise next time."""
    called = (node.func for node in ir.nested(test) if isinstance(node, ir.Call))
    if any(getattr(func, "id", getattr(func, "name", "")) not in SAME_ANSWER for func in called):
        return object(), True
    if isinstance(test, ir.Unary) and test.op == "not":
        asked, holds = _asked(test.value)
        return asked, not holds
    if isinstance(test, ir.Compare) and test.ops == ("is not",):
        return ("is", bare(test.left), bare(test.values)), False
    if isinstance(test, ir.Compare) and test.ops == ("is",):
        return ("is", bare(test.left), bare(test.values)), True
    return bare(test), True


def _is_empty(test: ir.Expr) -> bool:
    """`0 in shape`, `x.numel() == 0`: what is allocated where that holds has no elements."""
    if not isinstance(test, ir.Compare) or len(test.ops) != 1:
        return False
    sides = (test.left, test.values[0])
    if test.ops[0] == "in":
        return isinstance(sides[0], ir.Const) and sides[0].value == 0
    counts = any(
        isinstance(side, ir.Call) and isinstance(side.func, ir.Attr) and side.func.name == "numel" for side in sides
    )
    return test.ops[0] == "==" and counts and any(isinstance(side, ir.Const) and side.value == 0 for side in sides)


def _match(frame: Frame, state: State, statement: ir.Match) -> State | None:
    escape(frame, state, frame.evaluate(state, statement.subject))
    exhaustive = any(case.irrefutable and case.guard is None for case in statement.cases)
    return _branches(frame, state, [case.body for case in statement.cases], exhaustive)


def _for(frame: Frame, state: State, statement: ir.For) -> State | None:
    source = opened(frame, state, frame.evaluate(state, statement.iter))
    loop = _running(frame, statement)
    return _loop(frame, state, loop, statement, lambda start: assign(frame, start, statement.target, elements(source)))


def _while(frame: Frame, state: State, statement: ir.While) -> State | None:
    def enter(start: State) -> None:
        tested(frame, start, frame.evaluate(start, statement.test))

    return _loop(frame, state, Running(frozenset(), False, frame.root), statement, enter)


def _loop(
    frame: Frame, state: State, loop: Running, statement: ir.For | ir.While, enter: Callable[[State], None]
) -> State | None:
    """One turn stands for all. A read that is conditional in the loop may wait for what a turn before it has written."""
    before, jumps, created = dict(state.heap), frame.jumps, len(frame.analysis.created)
    frame.jumps, frame.loops = [], (*frame.loops, loop)
    inside = state.copy()
    enter(inside)
    end = execute(frame, inside, statement.body)
    ends = [*frame.jumps, *([end] if end is not None else [])]
    frame.jumps, frame.loops = jumps, frame.loops[:-1]
    after = join([*ends, state])
    if after is None:
        return None
    settle(frame, loop, created, before, after.heap)
    return execute(frame, after, statement.orelse)


def settle(frame: Frame, loop: object, created: int, before: dict[Any, Any], after: dict[Any, Any]) -> None:
    """Drops the conditional reads since `created` of memory that the loop writes as well."""
    for use in frame.analysis.created[created:]:
        if loop in use.loops and use.buffer in before and after.get(use.buffer, DONE) != before[use.buffer]:
            frame.analysis.dropped.add(use)


def _running(frame: Frame, statement: ir.For) -> Running:
    """Which names count the turns, and whether the loop runs over an argument of this function."""
    source, target = statement.iter, statement.target
    if not isinstance(source, ir.Call) or not source.args:
        return Running(frozenset(), False, frame.root)
    dotted, over = frame.names.dotted(source.func), source.args[0].value
    counters: frozenset[str] = frozenset()
    if isinstance(target, ir.Name):
        counters = frozenset({target.id})
    elif isinstance(target, ir.Sequence) and isinstance(target.items[0], ir.Name):
        counters = frozenset({target.items[0].id})
    if dotted == "builtins.range":
        sized = isinstance(over, ir.Call) and frame.names.dotted(over.func) == "builtins.len" and len(over.args) == 1
        over = over.args[0].value if sized and isinstance(over, ir.Call) else source
    elif dotted != "builtins.enumerate":
        return Running(counters, False, frame.root)
    drawn = frozenset(target_names(target)) - counters if dotted == "builtins.enumerate" else frozenset()
    return Running(counters, isinstance(over, ir.Name) and over.id in frame.parameters, frame.root, drawn)


def _with(frame: Frame, state: State, statement: ir.With) -> State | None:
    outer, emptying = frame.meta, frame.emptying
    for context, target in statement.items:
        value = frame.evaluate(state, context)
        frame.emptying = emptied_inside(frame, state, context) or frame.emptying
        if isinstance(context, ir.Call | ir.Name) and is_meta(context, frame.names):
            frame.meta = True
        if target is not None:
            assign(frame, state, target, NOTHING if value.module is not None else value)
    end = execute(frame, state, statement.body)
    frame.meta, frame.emptying = outer, emptying
    return end


def _try(frame: Frame, state: State, statement: ir.Try) -> State | None:
    start = state.copy()
    end = execute(frame, state, statement.body)
    middle = join([start, *([end] if end is not None else [])])
    ends = [execute(frame, end, statement.orelse)] if end is not None else []
    outer, frame.conditional = frame.conditional, frame.loops_now
    for handler in statement.handlers:
        if middle is not None:
            caught = middle.copy()
            caught.env.pop(handler.name, None)
            ends.append(execute(frame, caught, handler.body))
    frame.conditional = outer
    after = join([one for one in ends if one is not None])
    if after is None:
        if statement.final and middle is not None:
            execute(frame, middle, statement.final)
        return None
    return execute(frame, after, statement.final)


def _nested(frame: Frame, state: State, statement: ir.Function | ir.Class) -> State:
    captured(frame, state, statement)
    state.env[statement.name] = NOTHING
    return state


def _import(frame: Frame, state: State, statement: ir.Import | ir.ImportFrom) -> State:
    for name, bound in statement.names:
        state.env.pop(bound or name.split(".", 1)[0], None)
    return state


HANDLERS: dict[type, Callable[[Frame, Any, Any], State | None]] = {
    ir.Do: _do,
    ir.Assign: _assign,
    ir.Augment: _augment,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Jump: _jump,
    ir.Delete: _delete,
    ir.Assert: _assert,
    ir.Scope: _scope,
    ir.If: _if,
    ir.Match: _match,
    ir.For: _for,
    ir.While: _while,
    ir.With: _with,
    ir.Try: _try,
    ir.Function: _nested,
    ir.Class: _nested,
    ir.Import: _import,
    ir.ImportFrom: _import,
}
