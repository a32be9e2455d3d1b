"""Tree patterns on Spark: the rows of each document are those of one process."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import BindingError, CepheidError, SourceError
from cepheid.runners.spark.xml import DocumentTask, as_bytes
from cepheid.spark import match_xml, match_xml_files
from cepheid.xml import XmlPattern

PATTERN = "//person(/name->N:/mail->M+)"
DOCUMENTS = [
    "<all><person><name>Ann</name><mail>a@b</mail><mail>c@d</mail></person></all>",
    '<?xml version="1.0" encoding="ISO-8859-1"?><person><name>Åsa</name><mail k="1">x</mail></person>',
    "<all/>",
    "<person><name>Bo</name></person>",
]


@pytest.fixture(scope="module")
def x() -> XmlPattern:
    return cepheid.xml(PATTERN)


def alone(x: XmlPattern, document: str) -> list[dict[str, object]]:
    return x.run(as_bytes(document)).table.to_pylist()


def test_a_column_of_documents(spark: SparkSession, x: XmlPattern) -> None:
    rows = [(number, None if number == 9 else DOCUMENTS[number % 4]) for number in range(10)]
    found = match_xml(spark.createDataFrame(rows, "id int, doc string"), x, column="doc", key="id").collect()
    expected = [{"id": number, **row} for number, doc in rows if doc is not None for row in alone(x, doc)]
    told = sorted((row.asDict() for row in found), key=lambda row: (row["id"], row["start"]))
    assert [row | {"attributes": dict(row["attributes"])} for row in expected] == told
    assert len(told) > 10


def test_files(spark: SparkSession, x: XmlPattern, tmp_path: Path) -> None:
    for number, document in enumerate(DOCUMENTS):
        (tmp_path / f"{number}.xml").write_bytes(as_bytes(document))
    found = match_xml_files(spark, tmp_path, PATTERN).collect()
    told = sorted((Path(row["path"]).name, row["start"], row["text"]) for row in found)
    assert told == sorted(
        (f"{number}.xml", row["start"], row["text"])
        for number, document in enumerate(DOCUMENTS)
        for row in alone(x, document)
    )
    assert match_xml_files(spark, str(tmp_path / "[01].xml"), x).count() == len(
        [row for document in DOCUMENTS[:2] for row in alone(x, document)]
    )


def test_bad_input_is_refused_by_name(spark: SparkSession, x: XmlPattern, tmp_path: Path) -> None:
    df = spark.createDataFrame([(1, "<a/>", 2)], "id int, doc string, text int")
    with pytest.raises(BindingError, match="no column 'docs'; the columns are id, doc, text"):
        match_xml(df, x, column="docs")
    with pytest.raises(BindingError, match="the column 'id' is int"):
        match_xml(df, x, column="id")
    with pytest.raises(BindingError, match="a column 'text' of their own"):
        match_xml(df, x, column="doc", key="text")
    with pytest.raises(CepheidError, match="a tree pattern is a text"):
        match_xml(df, 3, column="doc")  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="there is no file"):
        match_xml_files(spark, tmp_path / "none.xml", x)


def test_a_document_that_is_not_well_formed_is_told_by_its_key(x: XmlPattern) -> None:
    batch = pa.record_batch({"id": [7], "path": ["<a><b></a>"]})
    with pytest.raises(SourceError, match=r"in the document of id 7: byte 6, line 1"):
        list(DocumentTask(x.rows, "path", ("id",))([batch]))
    with pytest.raises(SourceError, match="says it is in ISO-8859-1"):
        as_bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a>€</a>')
