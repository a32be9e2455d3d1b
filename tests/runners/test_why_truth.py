"""What a why says is true, by the oracle, on random queries."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given

import cepheid
from cepheid.language.sase.parse import parse
from cepheid.pattern.durations import parse_duration
from cepheid.runners.embedded.why.loose import AskedProfile, why_in_loose
from cepheid.runners.stream.loose import LooseBinding, loose_events
from tests.cases import Case, and_cases, cases
from tests.cases.loose import random_loose_case
from tests.cases.profiles import random_profile_case
from tests.laws.why import check_why
from tests.oracle import profile_rows

TIME_AND_TYPE = {"time": "time", "type": "type"}


@given(cases())
def test_all_that_is_said_is_true(case: Case) -> None:
    check_why(case)


@given(and_cases())
def test_so_it_is_with_and(case: Case) -> None:
    check_why(case)


def test_profiles_tell_what_a_why_says_they_tell() -> None:
    for number in range(40):
        case = random_profile_case(random.Random(number))
        expected = told_by_oracle(case.query_text, case.events, case.parameters, case.binding)
        answer = cepheid.profile(case.query_text, **case.parameters).why(case.table, **case.binding)
        assert answer.told == expected, case.query_text
        assert answer.matches >= answer.told
        held_back = [miss for miss in answer.near if miss.kind == "not told"]
        assert len(held_back) <= answer.matches - answer.told


def test_so_they_do_without_a_schema() -> None:
    binding = LooseBinding.of("time", "type")
    for number in range(12):
        case = random_loose_case(random.Random(number))
        events = loose_events(case.events, binding)
        stream = events.stream()
        assert stream is not None
        for each in case.profiles.values():
            made = cepheid.profile(each.text, **each.parameters)
            asked = AskedProfile(each.text, made.query.tree, made.terms)
            answer = why_in_loose(asked, stream, events)
            assert answer.told == told_by_oracle(each.text, case.events, each.parameters, TIME_AND_TYPE)


def told_by_oracle(text: str, events: Any, parameters: dict[str, Any], binding: dict[str, Any]) -> int:
    once = parameters["once"]
    terms = parameters | {"once": once if once in (None, "ever") else parse_duration(once)}
    return len(profile_rows(parse(text), events, **terms, **binding))
