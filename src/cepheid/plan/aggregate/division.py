"""How the stream of a query with AGG may be divided between workers."""

from cepheid.errors import UnsupportedError
from cepheid.pattern.query import EmitMode
from cepheid.plan.events.division import By, Division
from cepheid.plan.plan import QueryPlan


def divided_groups(plan: QueryPlan, by: str | None) -> Division:
    """A row is about all matches of its group, so a group stays together; without one, everything does."""
    assert plan.query.aggregation is not None
    groups = {plan.schema.column_of(name) for name in plan.query.aggregation.group_by}
    keys = tuple(key for key in plan.query.keys if plan.schema.column_of(key) in groups)
    if by == "time":
        raise UnsupportedError("AGG cannot be divided by time: a row is about all matches of its window")
    if plan.query.emit.mode is EmitMode.EVERY:
        return Division(By.NOTHING, "EMIT EVERY follows the clock of the whole stream: one shard runs it")
    if keys:
        return Division(By.KEYS, f"all matches of a group agree on {', '.join(keys)}", keys)
    why = "a row of AGG is about the matches of all partitions"
    if by == "keys":
        raise UnsupportedError(f"this query cannot be divided by keys: {why}", hint="GROUP BY the keys")
    return Division(By.NOTHING, f"{why}, unless GROUP BY names an equivalence key: one shard runs it")
