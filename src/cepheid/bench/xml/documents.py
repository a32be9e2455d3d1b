"""The documents that are read: made once in a folder of their own, which goes with the benchmark."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from cepheid.bench.terminal import say
from cepheid.bench.xml.sizes import XmlSizes
from cepheid.sources.generate import DOCUMENTS

DBLP, TREEBANK, XMARK = "dblp", "treebank", "xmark"
SEED = 1


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """Documents as files, by their kind and size, and how much is to be measured."""

    sizes: XmlSizes
    folder: Path
    _made: dict[tuple[str, float], Path] = field(default_factory=dict)

    def document(self, kind: str, times: float = 1.0) -> Path:
        """The document of a kind at the size that the paper names, or so many times as large."""
        usual: dict[str, float] = {
            DBLP: self.sizes.dblp, TREEBANK: self.sizes.treebank, XMARK: self.sizes.xmark
        }  # fmt: skip
        return self.sized(kind, usual[kind] * times)

    def sized(self, kind: str, size: float) -> Path:
        """A document of some size, made when it is first asked for."""
        if (kind, size) not in self._made:
            path = self.folder / f"{kind}-{size:g}.xml"
            say(f"    making {path.name} …")
            with path.open("wb") as file:
                file.writelines(DOCUMENTS[kind].blocks(size, SEED))
            self._made[kind, size] = path
        return self._made[kind, size]


@contextmanager
def library(sizes: XmlSizes) -> Iterator[Library]:
    """A folder for documents, while they are needed."""
    with TemporaryDirectory(prefix="cepheid-xml-") as folder:
        yield Library(sizes, Path(folder))
