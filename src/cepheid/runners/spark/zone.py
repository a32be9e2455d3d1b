"""The time zone of a Spark session, in which its TIMESTAMP columns are shown and taken apart."""

import re

from pyspark import TaskContext
from pyspark.sql import SparkSession

from cepheid.errors import BindingError, CepheidError
from cepheid.pattern.zones import known_zone

SETTING = "spark.sql.session.timeZone"

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::(\d{1,2}))?")
_SHORT = {
    "Z": "UTC",
    "UT": "UTC",
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "EST": "-05:00",
    "HST": "-10:00",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "MST": "-07:00",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
"""What Java means by names of three letters."""


def session_zone(spark: SparkSession) -> str:
    """The time zone of a session, by a name that others know too."""
    return plain_zone(str(spark.conf.get(SETTING)))


def plain_zone(name: str) -> str:
    """A zone as Spark writes it (`GMT+1`, `PST`, `+5:30`), by a name that others know too."""
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours, minutes = offset.groups()
        plain = f"{sign}{int(hours):02}:{int(minutes or 0):02}"
    else:
        plain = _SHORT.get(name, name)
    if known_zone(plain) is None:
        raise BindingError(
            f"the session's time zone '{name}' is not known here: "
            f"spark.conf.set('{SETTING}', 'Europe/Berlin') sets another"
        )
    return plain


def refuse_other_zone(zone: str) -> None:
    """Fail in a worker whose session has come to another zone than the plan's."""
    context = TaskContext.get()
    now = None if context is None else context.getLocalProperty(SETTING)
    if now is not None and plain_zone(now) != zone:
        raise CepheidError(
            f"the session's time zone is {now}, and was {zone} when the table function was made known: "
            "call cepheid.spark.register(spark) again"
        )
