"""Arguments of calls: added, replaced and removed with the layout that the call has."""

from __future__ import annotations

import re

from torchdet_lint import ir
from torchdet_lint.finding import Edit
from torchdet_lint.fixes.code import Code

_BLANK = " \t\f\r\n\\"


def add(code: Code, start: int, end: int, argument: str) -> Edit | None:
    """A further argument at the end of the call with this span: on a line of its own where the closing bracket stands on
    one. None for what is no call, and for a call whose only argument is a bare generator expression.
    """
    close = end - 1
    last = _last_code(code, close)
    argument = _spaced(code, start, end, argument)
    if code.mask[close] != ")" or last < start or _is_bare_generator(code, start, end):
        return None
    if code.mask[last] == "(":
        return code.edit(last + 1, last + 1, argument)
    comma = code.mask[last] == ","
    if "\n" not in code.mask[last + 1 : close]:
        return _inline(code, last, close, argument, comma)
    line_end = code.line_end(last)
    indent = code.indent(last)
    tail = "," if comma else ""
    added = f"{code.newline}{indent}{argument}{tail}"
    if comma:
        return code.edit(line_end, line_end, added)
    between = code.text[last + 1 : line_end]
    return code.edit(last + 1, line_end, f",{between}{added}")


def _spaced(code: Code, start: int, end: int, argument: str) -> str:
    """A keyword argument with blanks around its equals sign where the call's others have them."""
    found = code.call(start, end)
    for arg in found[0].args if found is not None else ():
        if arg.star == "=" and found is not None and code.mask.endswith(" = ", 0, found[1] + arg.value.span[0]):
            return re.sub(r"^(\w+)=", r"\1 = ", argument)
    return argument


def _inline(code: Code, last: int, close: int, argument: str, comma: bool) -> Edit:
    """After the last argument, on its line, or on a further one where that would become too long."""
    lead = " " if comma else ", "
    begin = code.line_start(last)
    length = code.line_end(last) - begin + len(lead) + len(argument)
    first = begin + len(code.indent(last))
    spread = code.mask[begin : last + 1]
    if spread.count("(") <= spread.count(")") and length > code.width:
        lead = ("" if comma else ",") + code.newline + code.text[begin:first]
    return code.edit(last + 1, last + 1, lead + argument)


def fits(code: Code, end: int, argument: str) -> bool:
    """Whether the line that a call ends on has room for a further argument, or the call is spread over lines anyway."""
    last = _last_code(code, end - 1)
    begin = code.line_start(end)
    spread = "\n" in code.mask[last + 1 : end] or code.mask[begin:end].count(")") > code.mask[begin:end].count("(")
    return spread or code.line_end(end) - begin + len(argument) + 2 <= code.width


def _last_code(code: Code, before: int) -> int:
    """The offset of the last character of code before an offset."""
    at = before
    while at > 0 and code.mask[at - 1] in _BLANK:
        at -= 1
    return at - 1


def _is_bare_generator(code: Code, start: int, end: int) -> bool:
    found = code.call(start, end)
    if found is None:
        return True
    call, _ = found
    return len(call.args) == 1 and isinstance(call.args[0].value, ir.Comprehension) and _bare(code, found)


def _bare(code: Code, found: tuple[ir.Call, int]) -> bool:
    call, base = found
    value = call.args[0].value
    kind = value.kind if isinstance(value, ir.Comprehension) else ""
    return kind == "generator" and code.mask[base + value.span[0]] != "("


def value_span(base: int, value: ir.Expr) -> tuple[int, int]:
    return base + value.span[0], base + value.span[1]


def replace(code: Code, base: int, value: ir.Expr, text: str) -> Edit:
    """Another expression in the place of one."""
    return code.edit(*value_span(base, value), text)


def argument(call: ir.Call, name: str, position: int | None = None) -> ir.Arg | None:
    """The argument with this name, or at this position."""
    for arg in call.args:
        if arg.star == "=" and arg.name == name:
            return arg
    plain = [arg for arg in call.args if arg.star == ""]
    starred = any(arg.star == "*" for arg in call.args)
    return plain[position] if position is not None and position < len(plain) and not starred else None


def set_argument(code: Code, start: int, end: int, name: str, text: str, position: int | None = None) -> Edit | None:
    """The argument with another value, or added with its name."""
    found = code.call(start, end)
    if found is None:
        return None
    call, base = found
    given = argument(call, name, position)
    return add(code, start, end, f"{name}={text}") if given is None else replace(code, base, given.value, text)


def remove(code: Code, base: int, arg: ir.Arg) -> Edit | None:
    """The call without a keyword argument that is not its only one."""
    value, value_end = value_span(base, arg.value)
    begin = _keyword_start(code, value, arg.name)
    before = _last_code(code, begin)
    if code.mask[before] == ",":
        return code.edit(before, value_end, "")
    after = re.compile(r"\s*,\s*").match(code.mask, value_end)
    return code.edit(begin, after.end(), "") if after is not None else None


def _keyword_start(code: Code, value: int, name: str) -> int:
    equals = code.mask.rindex("=", 0, value)
    return code.mask.rindex(name, 0, equals)
