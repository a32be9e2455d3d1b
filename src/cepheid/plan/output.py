"""What a row of matches looks like: names and Arrow types, known before data moves."""

from dataclasses import dataclass

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope
from cepheid.pattern.nodes import Absent, Atom, Kleene, atoms
from cepheid.pattern.query import PatternQuery, ReturnItem
from cepheid.pattern.types import ValueType, type_of
from cepheid.pattern.zones import zone_of

MATCH_ID = "match_id"


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of RETURN, or (expression None) the events of a variable as structs."""

    name: str
    expression: ex.Expression | None
    variable: str | None
    type: pa.DataType


def output_columns(query: PatternQuery, schema: EventSchema, unit: str) -> tuple[OutputColumn, ...]:
    """The columns of a row of matches, without its `match_id`."""
    declared = {atom.variable: atom for atom in atoms(query.pattern) if not isinstance(atom, Absent)}
    if query.returns is None:
        columns = [_variable_column(atom, schema) for atom in declared.values()]
    else:
        columns = [column for item in query.returns for column in _returned(item, declared, schema, unit)]
    _check_names(columns)
    return tuple(columns)


def output_schema(columns: tuple[OutputColumn, ...]) -> pa.Schema:
    """The Arrow schema of a table of matches."""
    return pa.schema([*((c.name, c.type) for c in columns), (MATCH_ID, pa.string())])


def needed_attributes(columns: tuple[OutputColumn, ...], schema: EventSchema) -> set[str]:
    """The stream's columns that the output is made of."""
    names: set[str] = set()
    for column in columns:
        if column.expression is None:
            struct = column.type.value_type if pa.types.is_list(column.type) else column.type
            names.update(field.name for field in struct)
            continue
        for node in ex.walk(column.expression):
            if isinstance(node, ex.Attribute | ex.Element):
                names.add(schema.column_of(node.name) or node.name)
            elif isinstance(node, ex.Call) and node.function in ("first_time", "last_time"):
                names.add(schema.time)
    return names


def name_of(node: ex.Expression) -> str:
    """The name of a returned expression that has no AS: `a.price` is a_price, `avg(a.x)` avg_a_x."""
    match node:
        case ex.Attribute(variable=variable, index=Index.ONLY, name=name, path=path):
            return "_".join((variable, name, *path))
        case ex.Attribute(variable=variable, index=index, name=name, path=path):
            place = str(index) if isinstance(index, int) else index.name.lower()
            return "_".join((variable, place, name, *path))
        case ex.Length(variable=variable):
            return f"{variable}_len"
        case ex.Aggregate(function=function, variable=variable, argument=None):
            return f"{function}_{variable}"
        case ex.Aggregate(variable=variable, argument=ex.Element(name=name, path=path), distinct=distinct):
            function = f"{node.function}_distinct" if distinct else node.function
            return "_".join((function, variable, name, *path))
        case ex.Aggregate(function=function, variable=variable):
            return f"{function}_{variable}"
        case ex.Call(function=function, arguments=arguments):
            return "_".join([function, *(name_of(argument) for argument in arguments)])
        case ex.Case():
            return "case"
        case _:
            return "value"


def _variable_column(
    atom: Atom, schema: EventSchema, name: str | None = None, columns: tuple[str, ...] = ()
) -> OutputColumn:
    struct = pa.struct([schema.columns.field(each) for each in columns or schema.columns.names])
    kind = pa.list_(struct) if isinstance(atom, Kleene) else struct
    return OutputColumn(name or atom.variable, None, atom.variable, kind)


def _returned(
    item: ReturnItem, declared: dict[str, Atom], schema: EventSchema, unit: str
) -> list[OutputColumn]:
    if item.whole is not None:
        return [_variable_column(declared[item.whole], schema, item.name, item.columns)]
    if item.star is not None:
        kleene = isinstance(declared[item.star], Kleene)
        starred: list[ex.Expression] = [
            ex.Aggregate("collect", item.star, Scope.WHOLE, ex.Element(name))
            if kleene
            else ex.Attribute(item.star, Index.ONLY, name)
            for name in schema.columns.names
        ]
        return [
            OutputColumn(f"{item.star}_{name}", node, None, arrow_type(node, schema, unit))
            for name, node in zip(schema.columns.names, starred, strict=True)
        ]
    assert item.expression is not None
    name = item.name or name_of(item.expression)
    return [OutputColumn(name, item.expression, None, arrow_type(item.expression, schema, unit))]


def arrow_type(node: ex.Expression, schema: EventSchema, unit: str) -> pa.DataType:
    """The Arrow type of a returned expression; an attribute keeps the stream's own."""
    bare = bare_column(node, schema)
    if bare is not None:
        return _own_type(bare, schema)
    if isinstance(node, ex.Aggregate) and node.function == "collect":
        assert node.argument is not None
        return pa.list_(arrow_type(node.argument, schema, unit))
    kind = type_of(node, schema)
    return pa.timestamp(unit, zone_of(node, schema)) if kind is ValueType.TIMESTAMP else _ARROW[kind](unit)


def _own_type(column: ex.Element, schema: EventSchema) -> pa.DataType:
    """The stream's own type of a column, or of a field of it."""
    kind = schema.columns.field(column.name).type
    for name in column.path:
        kind = (kind.value_type if pa.types.is_dictionary(kind) else kind).field(name).type
    return kind


def bare_column(node: ex.Expression, schema: EventSchema) -> ex.Element | None:
    """The column, or the field of one, whose values the expression passes on unchanged, if it does."""
    match node:
        case (
            ex.Attribute(name=name, path=path)
            | ex.Element(name=name, path=path)
            | ex.Aggregate(
                function="min" | "max" | "first" | "last", argument=ex.Element(name=name, path=path)
            )
        ):
            column = schema.column_of(name)
            return None if column is None else ex.Element(column, path)
        case ex.Call(function="first_time" | "last_time"):
            return ex.Element(schema.time)
        case _:
            return None


def _check_names(columns: list[OutputColumn]) -> None:
    seen: set[str] = {MATCH_ID}
    for column in columns:
        if column.name in seen:
            span = column.expression.span if column.expression is not None else None
            raise QueryCheckError(
                f"two columns of the result are named '{column.name}'",
                span=span,
                hint="give one of them another name with AS",
            )
        seen.add(column.name)


_ARROW = {
    ValueType.BOOL: lambda unit: pa.bool_(),
    ValueType.INT: lambda unit: pa.int64(),
    ValueType.FLOAT: lambda unit: pa.float64(),
    ValueType.STRING: lambda unit: pa.string(),
    ValueType.DURATION: lambda unit: pa.duration(unit),
    ValueType.TIME: lambda unit: pa.time64("us"),
    ValueType.NULL: lambda unit: pa.null(),
}
