"""A plan in words: the state functions by the paper's rules, and the sibling automata."""

from collections.abc import Iterator

from cepheid.pattern.twig.render import render_twig
from cepheid.plan.explanation import Edge, Explanation, OutlineNode, section
from cepheid.plan.twig.plan import ElementTest, Reach, SiblingFA, StateFunction, TestKind, TwigPlan


def explain_twig_plan(plan: TwigPlan) -> Explanation:
    """The explanation of a plan; the diagram is of the automata."""
    parts = [
        section("pattern", [render_twig(plan.pattern)]),
        section("returned", [", ".join(plan.variables)]),
        *(section(_title(plan, step), _equations(step)) for step in plan.steps[1:]),
        *(section(f"SiblingFA{fa.number + 1} = T3-1 ⟦{fa.text}⟧", _moves(plan, fa)) for fa in plan.automata),
    ]
    edges = tuple(edge for fa in plan.automata for edge in _edges(plan, fa))
    outline = tuple(_outline(plan))
    ends = tuple(
        _state(plan, fa, item) for fa in plan.automata for item, is_end in enumerate(fa.accepting) if is_end
    )
    return Explanation("\n".join(parts), edges, outline, ends=ends)


def _outline(plan: TwigPlan) -> Iterator[OutlineNode]:
    """The state functions as a tree: each below the one that asks it."""
    for step in plan.steps[1:]:
        asked = [f"{_asked(step, test)}" for test in step.tests]
        by = "" if step.automaton < 0 else f", in SiblingFA{step.automaton + 1}"
        returned = [] if step.variable < 0 else [f"returns {plan.variables[step.variable]}"]
        asks = [f"asks {' '.join(asked)}"] if asked else []
        yield OutlineNode(f"q{step.number}", step.above - 1, (f"{step.text}{by}", *asks, *returned))


def _title(plan: TwigPlan, step: StateFunction) -> str:
    source = f"q{step.above}" if step.automaton < 0 else f"SiblingFA{step.automaton + 1}"
    return f"q{step.number} = {step.rule} ⟦{step.text}⟧, asked by {source}"


def _equations(step: StateFunction) -> Iterator[str]:
    """What a state function does at its tag, at another one, and where nothing is left."""
    name, tag = f"q{step.number}", step.tag or "*"
    asked = " ".join(_asked(step, test) for test in step.tests)
    does = f"addNode({tag}, {asked or 'ε'})" if step.variable >= 0 else f"setMark({asked or 'true'})"
    deeper = "" if step.reach is Reach.CHILDREN else f" {name}(x1)"
    yield f"{name}({tag}(x1)x2) = {does}{deeper} {name}(x2)"
    if step.tag is not None:
        yield f"{name}(%t(x1)x2) ={deeper} {name}(x2)"
    yield f"{name}(ε) = ε"


def _asked(step: StateFunction, test: ElementTest) -> str:
    compared = "" if test.against is None else f" {test.against.operator} {test.against.constant!r}"
    match test.kind:
        case TestKind.BRANCH:
            return f"q{test.target}(x1)"
        case TestKind.SIBLINGS:
            return f"SiblingFA{test.target + 1}(x1)"
        case TestKind.ATTRIBUTE:
            return f"@{test.name or '*'}{compared}"
        case TestKind.VALUE:
            return f"value{compared}"
        case TestKind.NTH:
            return f"position = {test.target}"
        case TestKind.LAST:
            return "position = last"


def _moves(plan: TwigPlan, fa: SiblingFA) -> Iterator[str]:
    yield from map(str, _edges(plan, fa))
    ends = ", ".join(_state(plan, fa, item) for item, is_end in enumerate(fa.accepting) if is_end)
    yield f"a run may end after {ends}; of several ways the one that stands first here is taken"


def _edges(plan: TwigPlan, fa: SiblingFA) -> Iterator[Edge]:
    """In the order of preference."""
    begin = f"SiblingFA{fa.number + 1}"
    for item in fa.start:
        yield Edge(begin, _state(plan, fa, item), plan.steps[fa.steps[item]].text)
    for item, following in enumerate(fa.follow):
        for other in following:
            text = plan.steps[fa.steps[other]].text
            yield Edge(_state(plan, fa, item), _state(plan, fa, other), text)


def _state(plan: TwigPlan, fa: SiblingFA, item: int) -> str:
    return f"q{fa.steps[item]}"
