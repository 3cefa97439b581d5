"""Tables of pandas and polars: rows in the order of the collection that they were made from, until they are sorted."""

from __future__ import annotations

from torchdet_lint import ir
from torchdet_lint.analysis.ordering.frame import Frame, key_of, shown
from torchdet_lint.analysis.ordering.iteration import walk_through
from torchdet_lint.analysis.ordering.tables import sorts
from torchdet_lint.analysis.ordering.values import NUMBER, PLAIN, UNKNOWN, Value

BUILDERS = frozenset(
    "pandas.DataFrame pandas.Series pandas.concat pandas.DataFrame.from_records polars.DataFrame polars.concat".split()
)
SAME_ROWS = frozenset(
    "reset_index drop rename copy fillna dropna assign astype set_index drop_duplicates replace query filter with_columns"
    " select apply map round explode".split()
)
"""Methods whose result has the rows of the table, or some of them, in its order."""

WITHOUT_ORDER = frozenset(
    "groupby group_by mean sum min max median std var count nunique value_counts describe info isna isnull any all memory_usage"
    " pivot pivot_table unique to_dict".split()
)
"""Methods that say the same whatever the order of the rows, or that sort what they give."""

ABOUT = frozenset("shape size ndim columns dtypes empty index name".split())


def table(frame: Frame, expr: ir.Call) -> Value | None:
    """The table that the call builds; None when there is no arbitrary order in it."""
    if not expr.args:
        return None
    rows = frame.eval(expr.args[0].value)
    origins = frame.visible(rows) | walk_through(frame, rows, expr.span, expr.args[0].value.span)
    for arg in expr.args[1:]:
        frame.eval(arg.value)
    return frame.make("table", expr.span, UNKNOWN, origins) if origins else None


def table_method(frame: Frame, expr: ir.Call, name: str, receiver: Value) -> Value:
    """`table.name(...)`"""
    for arg in expr.args:
        frame.eval(arg.value)
    if sorts(name) or name == "merge":
        if any(arg.name == "inplace" for arg in expr.args):
            frame.settle(receiver)
        return PLAIN
    if name in SAME_ROWS:
        return receiver
    if name not in WITHOUT_ORDER:
        owner = key_of(expr.func.value) if isinstance(expr.func, ir.Attr) else None
        frame.use(receiver, f"reaches `{owner or 'a table'}.{name}(...)`", "medium")
    return PLAIN


def table_attribute(frame: Frame, expr: ir.Attr, base: Value) -> Value:
    """`table.shape`, `table.values`, `table.column`"""
    if expr.name in ABOUT:
        return NUMBER
    if expr.name in ("iloc", "iat"):
        frame.use(base, f"is indexed with `{shown(expr)}`")
        return PLAIN
    return base


__all__ = ["BUILDERS", "table", "table_attribute", "table_method"]
