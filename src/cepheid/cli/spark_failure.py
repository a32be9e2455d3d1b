"""What went wrong on Spark, without the traces of two languages around it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from cepheid import errors
from cepheid.errors import CepheidError, MissingExtraError

RAISED = re.compile(
    r"cepheid\.errors\.(?P<name>\w+): (?P<message>.*?)"
    r"(?=\n\n|\n\s*at |\n\s*SQLSTATE|\n(?:Driver|JVM) stacktrace|\Z)",
    re.DOTALL,
)


@contextmanager
def telling_spark_failures() -> Iterator[None]:
    """Spark's errors become Cepheid's: the one that a worker raised, or Spark's first line."""
    try:
        from pyspark.errors import PySparkException
    except ImportError:
        raise MissingExtraError("Spark", "spark") from None
    try:
        yield
    except PySparkException as error:
        raise told(str(error)) from None
    except Exception as error:
        if type(error).__module__.startswith(("py4j.", "grpc.")):
            raise told(str(error)) from None
        raise


def told(text: str) -> CepheidError:
    """The error that a worker raised, found in Spark's account of it."""
    found = RAISED.search(text)
    if found is None:
        return CepheidError(f"Spark failed: {_first_line(text)}")
    kind = getattr(errors, found["name"], CepheidError)
    known = isinstance(kind, type) and issubclass(kind, CepheidError) and kind is not MissingExtraError
    return kind(found["message"].strip()) if known else CepheidError(found["message"].strip())


def _first_line(text: str) -> str:
    """The line that says most: the last cause in Python, or Spark's own first line."""
    details = re.search(r'details = "(.+)"', text)  # of a call to a Connect server
    if details is not None:
        return details[1]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception): ", line)]
    return (raised or lines or ["it gave no reason"])[-1 if raised else 0]
