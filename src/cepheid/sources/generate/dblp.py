"""Records of publications, as in the bibliography DBLP: articles, conference papers, books and theses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from random import Random

from cepheid.sources.generate.blocks import PROLOGUE, blocks_of, check_document, pieces_up_to
from cepheid.sources.generate.decks import by_shares, dealt, spread, yes
from cepheid.sources.generate.words import CITIES, FIRST_NAMES, LAST_NAMES, WORDS

MOST = 1_000_000  # megabytes

KINDS = {
    "inproceedings": 0.63,
    "article": 0.335,
    "proceedings": 0.0125,
    "incollection": 0.0075,
    "book": 0.0075,
    "phdthesis": 0.005,
    "www": 0.0025,
}
FIELDS = {
    "inproceedings": ("author", "title", "pages", "year", "crossref", "booktitle", "url", "ee", "cite"),
    "article": ("author", "title", "pages", "year", "volume", "journal", "number", "url", "ee", "cite"),
    "proceedings": ("editor", "title", "publisher", "year", "isbn", "booktitle", "url"),
    "incollection": ("author", "title", "pages", "year", "booktitle", "url"),
    "book": ("author", "title", "publisher", "year", "isbn"),
    "phdthesis": ("author", "title", "year", "school"),
    "www": ("author", "title", "year", "url"),
}
"""What a record of each kind has, in this order."""

SHELF = {"inproceedings": "conf", "article": "journals", "proceedings": "conf", "phdthesis": "phd"}
SERIES = 300
"""How many journals and conferences there are."""


@dataclass(frozen=True, slots=True)
class Work:
    """What several fields of a record tell of."""

    kind: str
    series: str
    year: int
    name: str

    @property
    def key(self) -> str:
        """By which others cite it."""
        return f"{SHELF.get(self.kind, 'books')}/{self.series}/{self.name}"


def dblp_blocks(megabytes: float, seed: int) -> Iterator[bytes]:
    """A document of publications, in blocks of about a megabyte."""
    check_document(megabytes, seed, MOST, "megabytes")
    records = Records(Random(seed))
    return blocks_of(pieces_up_to(megabytes, f"{PROLOGUE}<dblp>\n", iter(records), "</dblp>\n"))


class Records:
    """Makes one record after the other, without end."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._kind = dealt(chance, by_shares(KINDS))
        self._authors = dealt(chance, by_shares({1: 0.36, 2: 0.32, 3: 0.19, 4: 0.08, 5: 0.05}))
        self._title_words = dealt(chance, spread(5, least=3, most=14))
        self._is_marked = dealt(chance, yes(0.02))
        self._cites = dealt(chance, [10] + [0] * 19)
        self._has = {
            "pages": dealt(chance, yes(0.93)),
            "number": dealt(chance, yes(0.85)),
            "crossref": dealt(chance, yes(0.85)),
            "ee": dealt(chance, yes(0.45)),
        }
        self._series = chance.sample(WORDS, SERIES)
        self._texts: dict[str, Callable[[Work], str]] = {
            "title": self._title,
            "pages": self._pages,
            "year": lambda work: str(work.year),
            "volume": lambda work: str(work.year - 1960),
            "number": lambda work: str(1 + self._below(12)),
            "journal": lambda work: f"{work.series.title()} Journal",
            "booktitle": lambda work: f"{work.series.title()} {work.year}",
            "crossref": lambda work: f"conf/{work.series}/{work.year}",
            "url": lambda work: f"db/{work.key}.html",
            "ee": lambda work: f"https://doi.example/10.{1000 + self._below(9000)}/{work.key}",
            "publisher": lambda work: f"{chance.choice(CITIES)} Press",
            "isbn": lambda work: (
                f"0-{100 + self._below(900)}-{10_000 + self._below(90_000)}-{self._below(10)}"
            ),
            "school": lambda work: f"University of {chance.choice(CITIES)}",
        }

    def __iter__(self) -> Iterator[str]:
        for number in count(1):
            kind = self._kind()
            work = self._work(kind, number)
            fields = "".join(self._field(name, work) for name in FIELDS[kind])
            yield f'<{kind} mdate="{self._changed()}" key="{work.key}">\n{fields}</{kind}>\n'

    def _work(self, kind: str, number: int) -> Work:
        year = 2002 - min(int(self._chance.expovariate(0.12)), 40)
        name = f"{self._chance.choice(LAST_NAMES)}{year % 100:02}-{number}"
        return Work(kind, self._chance.choice(self._series), year, name)

    def _field(self, name: str, work: Work) -> str:
        if name in ("author", "editor"):
            return "".join(f"<{name}>{self._person()}</{name}>\n" for _ in range(self._authors()))
        if name == "cite":
            return "".join(f"<cite>{self._cited()}</cite>\n" for _ in range(self._cites()))
        if name in self._has and not self._has[name]():
            return ""
        return f"<{name}>{self._texts[name](work)}</{name}>\n"

    def _cited(self) -> str:
        return self._work("inproceedings", 1 + self._below(100_000)).key

    def _person(self) -> str:
        return f"{self._chance.choice(FIRST_NAMES)} {self._chance.choice(LAST_NAMES)}"

    def _title(self, work: Work) -> str:
        words = self._chance.choices(WORDS, k=self._title_words())
        words[0] = words[0].capitalize()
        if self._is_marked():
            mark = self._chance.choice(("i", "sub", "sup"))
            words[-1] = f"<{mark}>{words[-1]}</{mark}>"
        return f"{' '.join(words)}."

    def _pages(self, work: Work) -> str:
        first = 1 + self._below(900)
        return f"{first}-{first + 1 + self._below(30)}"

    def _changed(self) -> str:
        return f"{2002 + self._below(3)}-{1 + self._below(12):02}-{1 + self._below(28):02}"

    def _below(self, end: int) -> int:
        return int(self._chance.random() * end)
