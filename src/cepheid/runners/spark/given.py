"""What users pass to the doors of Spark, checked before it is used."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from cepheid.errors import BindingError


def spark_frame(df: Any, door: str) -> DataFrame:
    """A DataFrame of Spark, Classic or Connect; anything else is refused, with what to do instead."""
    if isinstance(df, DataFrame):
        return df
    if type(df).__module__.startswith("pyspark.pandas"):
        raise BindingError(f"{door}() takes a DataFrame of Spark, not of pandas on Spark: pass df.to_spark()")
    if isinstance(df, SparkSession) or _is_remote_session(df):
        raise BindingError(f"{door}() takes a DataFrame first, not the session; match_files() takes both")
    raise BindingError(
        f"{door}() takes a DataFrame of Spark, not {_name(df)}: spark.createDataFrame(…) makes one of a "
        "table, spark.read one of files; q.run(…) finds the matches in this process, without Spark"
    )


def spark_session(spark: Any, door: str) -> SparkSession:
    """A session of Spark, Classic or Connect; anything else is refused."""
    if isinstance(spark, SparkSession) or _is_remote_session(spark):
        session: SparkSession = spark
        return session
    hint = "match() takes a DataFrame" if isinstance(spark, DataFrame) else f"{door}(spark, …)"
    raise BindingError(f"{door}() takes a session of Spark first, not {_name(spark)}: {hint}")


def _is_remote_session(value: Any) -> bool:
    """Sessions of Connect are of a class of their own."""
    return type(value).__module__.startswith("pyspark.sql.connect") and type(value).__name__ == "SparkSession"


def _name(value: Any) -> str:
    module = type(value).__module__.split(".")[0]
    name = type(value).__name__
    return f"{module}.{name}" if module not in ("builtins", "__main__") else name
