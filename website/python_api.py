"""The page of all public names of Python, from their docstrings."""

from __future__ import annotations

HEAD = """\
# All names of Python

The public names with their signatures, from the docstrings. [Python](python.md) explains them with examples,
and [the builder](builder.md) has its own page.
"""
SPARK = (
    "match",
    "match_files",
    "match_workload",
    "match_profiles",
    "match_xml",
    "match_xml_files",
    "register",
)
"""Named here, so that the page is made without Spark."""


def python_page() -> str:
    """A section for each name."""
    import cepheid
    import cepheid.testing

    parts = [HEAD, "## cepheid\n"]
    for name in cepheid.__all__:
        if name != "pattern":
            home = getattr(cepheid, name).__module__
            parts.append(f"::: {home}.{name}\n")
    parts.append("## cepheid.matches\n\n::: cepheid.matches.Matches\n")
    parts.append("## cepheid.spark\n")
    parts.extend(f"::: cepheid.spark.{name}\n" for name in SPARK)
    parts.append("## cepheid.testing\n")
    for name in ("events", "assert_matches", "scenario", "assert_scenario"):
        parts.append(f"::: {getattr(cepheid.testing, name).__module__}.{name}\n")
    return "\n".join(parts)
