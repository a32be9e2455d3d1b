"""Runs what a test describes, whole and in batches, and fails where it finds anything else."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.errors import CepheidError
from cepheid.profiles import Profile, profile
from cepheid.query import Query
from cepheid.testing.comparisons import (
    Difference,
    Row,
    compare_aggregates,
    compare_matches,
    compare_rows,
    labels,
    rows_of,
)
from cepheid.testing.scenarios import Scenario, binding_of
from cepheid.testing.tables import cells


def assert_matches(query: str, events: pa.Table, expected: str | Sequence[str], **binding: Any) -> None:
    """Run the query over the events, and fail unless it finds the expected matches in this order.

    Events are labelled by their column `id`, or else numbered from 1. Matches are lines such as
    `1 2 3; 6`, the variables in the order of the text.
    """
    if "id" not in events.column_names:
        events = events.add_column(0, "id", pa.array(range(1, len(events) + 1)))
    binding = {**binding_of({}, events.column_names), **binding}
    lines = expected.splitlines() if isinstance(expected, str) else expected
    result = cepheid.query(query).run(events, **binding)
    compare_matches(labels(result.table), [line.strip() for line in lines if line.strip()])


def assert_scenario(scenario: Scenario) -> None:
    """Run a scenario as the table that it is and, where it speaks of batches, as a session too."""
    if scenario.errors:
        _assert_error(scenario)
        return
    if not scenario.late and not (scenario.profile is not None and scenario.advances):
        with _said_where("as a table"):
            _assert_run(scenario)
    if scenario.is_session:
        with _said_where("in batches"):
            _assert_session(scenario)


@contextmanager
def _said_where(where: str) -> Iterator[None]:
    """A difference says in which run it was found."""
    try:
        yield
    except Difference as difference:
        difference.where = difference.where or where
        raise


def _assert_error(scenario: Scenario) -> None:
    try:
        _subject(scenario).run(scenario.events, **scenario.binding)
    except CepheidError as error:
        missing = [part for part in scenario.errors if part not in str(error)]
        if missing:
            raise AssertionError(f"expected an error with {missing}, but it says:\n{error}") from error
        return
    raise AssertionError(f"expected an error with {list(scenario.errors)}, but the query ran")


def _assert_run(scenario: Scenario) -> None:
    result = _subject(scenario).run(scenario.events, **scenario.binding)
    in_order = scenario.rows is not None or not scenario.is_session
    _compare_all(scenario, _read(scenario, result.table), ordered=in_order)
    _compare_labels("bad", result.bad, scenario.bad)


def _assert_session(scenario: Scenario) -> None:
    query = _subject(scenario)
    options = {} if scenario.lateness is None else {"lateness": scenario.lateness}
    session = query.session(scenario.events.schema, **scenario.binding, **options)
    found: list[dict[str, Any]] = []
    reported = 0
    for step in scenario.steps:
        if step.kind == "push":
            found += _read(scenario, session.push(scenario.events.slice(step.start, step.stop - step.start)))
        elif step.kind == "watermark":
            found += _read(scenario, session.advance(step.watermark))
        elif step.kind == "crash":
            session = cepheid.resume(query, session.snapshot())
        else:
            with _said_where(f"in batches, at EMITS {' | '.join(step.matches)}".rstrip()):
                _compare_since(scenario, found[reported:], step.matches)
            reported = len(found)
    found += _read(scenario, session.close())
    _compare_all(scenario, found, ordered=False)
    _compare_labels("late", session.late, scenario.late)
    _compare_labels("bad", session.bad, scenario.bad)


def _subject(scenario: Scenario) -> Query | Profile:
    """What is run: a query, or a profile if the scenario has parameters of one."""
    if scenario.profile is None:
        return cepheid.query(scenario.query)
    return profile(scenario.query, **scenario.profile)


def _read(scenario: Scenario, table: pa.Table) -> list[dict[str, Any]]:
    """What a scenario speaks of: rows where it gives rows, else the labels of each match."""
    if scenario.is_counted:  # digits, decimals and integers are one number
        return [{**row, "count": int(row["count"])} for row in rows_of(table)]
    if scenario.is_compressed:
        table = cepheid.expand(table).table
    return labels(table) if scenario.rows is None and not scenario.is_aggregate else rows_of(table)


def _compare_all(scenario: Scenario, found: list[dict[str, Any]], *, ordered: bool) -> None:
    """Rows of AGG come in the order of the stream, however it is cut."""
    if scenario.is_aggregate:
        compare_aggregates(found, scenario.rows or ())
    elif scenario.rows is None:
        compare_matches(found, scenario.matches or (), ordered=ordered)
    elif ordered:
        compare_rows(found, scenario.rows)
    else:
        compare_rows(sorted(found, key=repr), sorted(scenario.rows, key=repr))


def _compare_since(scenario: Scenario, found: list[dict[str, Any]], expected: Sequence[str]) -> None:
    """What has become certain since the last EMITS: matches, or rows in the columns of RETURNS."""
    if scenario.rows is None:
        compare_matches(found, expected)
        return
    names = list(scenario.rows[0]) if scenario.rows else []
    wanted: list[Row] = [dict(zip(names, cells(line), strict=True)) for line in expected]
    (compare_aggregates if scenario.is_aggregate else compare_rows)(found, wanted)


def _compare_labels(what: str, table: pa.Table, expected: Sequence[str]) -> None:
    got = [str(label) for label in table.column("id").to_pylist()] if len(table) else []
    if sorted(got) != sorted(expected):
        raise Difference(got, expected, f"{what} event")
