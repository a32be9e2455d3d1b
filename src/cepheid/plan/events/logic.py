"""AND and OR without what says nothing."""

from collections.abc import Iterable

from cepheid import expressions as ex

TRUE, FALSE = ex.Literal(True), ex.Literal(False)


def all_of(conditions: Iterable[ex.Expression]) -> ex.Expression:
    """The conjunction, flat, each operand once; `x != 1 AND x != 2` is one NOT IN."""
    return _joined(conditions, ex.And, TRUE, FALSE)


def any_of(conditions: Iterable[ex.Expression]) -> ex.Expression:
    """The disjunction, flat, each operand once; `x = 1 OR x = 2` is one IN."""
    return _joined(conditions, ex.Or, FALSE, TRUE)


def _joined(
    conditions: Iterable[ex.Expression],
    join: type[ex.And] | type[ex.Or],
    neutral: ex.Literal,
    ruling: ex.Literal,
) -> ex.Expression:
    flat: list[ex.Expression] = []
    for condition in conditions:
        flat += condition.operands if isinstance(condition, join) else (condition,)
    if ruling in flat:
        return ruling
    kept = _merged([item for item in dict.fromkeys(flat) if item != neutral], negated=join is ex.And)
    return join(tuple(kept)) if len(kept) > 1 else kept[0] if kept else neutral


def _merged(operands: list[ex.Expression], negated: bool) -> list[ex.Expression]:
    """Tests of one column against several values as one, where the first of them stood."""
    values: dict[ex.Expression, list[ex.Expression]] = {}
    places: list[tuple[ex.Expression, bool]] = []
    for operand in operands:
        match operand:
            case ex.Comparison(operator=sign, left=ex.Element() as column, right=ex.Literal() as value) if (
                sign == ("!=" if negated else "=")
            ):
                found: tuple[ex.Expression, ...] = (value,)
            case ex.In(operand=ex.Element() as column, choices=choices, negated=n) if n is negated:
                found = choices
            case _:
                places.append((operand, False))
                continue
        if column not in values:
            places.append((column, True))
        values.setdefault(column, []).extend(found)
    return [_choice(item, values[item], negated) if merged else item for item, merged in places]


def _choice(column: ex.Expression, values: list[ex.Expression], negated: bool) -> ex.Expression:
    distinct = tuple(dict.fromkeys(values))
    if len(distinct) == 1:
        return ex.Comparison("!=" if negated else "=", column, distinct[0])
    return ex.In(column, distinct, negated)
