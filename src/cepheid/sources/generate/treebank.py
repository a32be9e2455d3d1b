"""Parsed sentences, nested as deeply as in the XML of the Penn Treebank.

A sentence is grown by a small grammar of phrases, in which clauses stand in clauses: elements are about 8
levels deep on average, and 36 at most. The words are meaningless letters, as in the encrypted original.
"""

from collections.abc import Iterator
from random import Random
from string import ascii_letters, digits

from cepheid.sources.generate.blocks import PROLOGUE, blocks_of, check_document, pieces_up_to
from cepheid.sources.generate.decks import by_shares, dealt

DEEPEST = 36
MOST = 1_000_000  # megabytes
TOKENS = 5_000

GRAMMAR: dict[str, dict[str, float]] = {
    "S": {
        "NP VP": 0.42,
        "NP VP _PERIOD_": 0.2,
        "NP ADVP VP": 0.05,
        "PP _COMMA_ NP VP _PERIOD_": 0.06,
        "SBAR _COMMA_ NP VP": 0.04,
        "S CC S": 0.04,
        "S _COMMA_ NP VP _PERIOD_": 0.05,
        "_NONE_ VP": 0.14,
    },
    "SINV": {"VP NP": 0.5, "S _COMMA_ VP NP _PERIOD_": 0.5},
    "SQ": {"MD NP VP": 1.0},
    "SBARQ": {"WHNP SQ _PERIOD_": 1.0},
    "FRAG": {"NP _PERIOD_": 0.6, "ADVP NP _PERIOD_": 0.4},
    "NP": {
        "NN": 0.07,
        "NNS": 0.06,
        "PRP": 0.08,
        "_NONE_": 0.08,
        "NNP": 0.05,
        "NNP NNP": 0.08,
        "DT NN": 0.13,
        "DT JJ NN": 0.07,
        "JJ NNS": 0.06,
        "PRP_DOLLAR_ NN": 0.03,
        "CD NNS": 0.03,
        "CD VBN NNS": 0.01,
        "DT CD VBN NN": 0.005,
        "_DOLLAR_ CD": 0.01,
        "QP NNS": 0.015,
        "NX POS NN": 0.015,
        "NP PP": 0.145,
        "NP SBAR": 0.035,
        "NP CC NP": 0.03,
        "NP _COMMA_ NP _COMMA_": 0.02,
        "NP PRN": 0.005,
    },
    "NX": {"NNP": 0.6, "DT NN": 0.4},
    "VP": {
        "VBD": 0.07,
        "VBD NP": 0.15,
        "VBZ NP": 0.11,
        "VB NP": 0.11,
        "VBD NP PP": 0.08,
        "VBN PP": 0.06,
        "VBG NP": 0.05,
        "VBZ ADJP": 0.06,
        "TO VP": 0.06,
        "MD VP": 0.06,
        "VBP RB VP": 0.03,
        "VBD SBAR": 0.095,
        "VBZ S": 0.05,
        "VP CC VP": 0.03,
    },
    "PP": {"IN NP": 0.92, "TO NP": 0.05, "IN S": 0.02, "ADVP IN NP": 0.01},
    "SBAR": {"WHNP S": 0.35, "IN S": 0.35, "_NONE_ S": 0.25, "WHADVP S": 0.05},
    "ADJP": {"JJ": 0.5, "RB JJ": 0.2, "JJ PP": 0.2, "JJR SBAR": 0.1},
    "ADVP": {"RB": 0.8, "RB RB": 0.1, "RB PP": 0.1},
    "WHNP": {"WDT": 0.5, "WP": 0.5},
    "WHADVP": {"WRB": 1.0},
    "QP": {"IN CD": 0.4, "CD CD": 0.4, "JJR IN CD": 0.2},
    "PRN": {"_COMMA_ S _COMMA_": 0.5, "_DASH_ NP _DASH_": 0.5},
}
"""What each phrase may be made of, and how often. All other tags hold a word."""

SHORT = {
    "S": "NP VP",
    "NP": "PRP",
    "VP": "VBD",
    "PP": "IN NP",
    "SBAR": "IN S",
    "ADJP": "JJ",
    "ADVP": "RB",
    "SQ": "MD NP VP",
    "PRN": "_DASH_ NP _DASH_",
}
"""What a phrase is made of where it must not grow deeper; no phrase then has more than four levels."""

SENTENCES = {"S": 0.93, "SINV": 0.03, "SBARQ": 0.01, "FRAG": 0.03}


def treebank_blocks(megabytes: float, seed: int) -> Iterator[bytes]:
    """A document of parsed sentences, in blocks of about a megabyte."""
    check_document(megabytes, seed, MOST, "megabytes")
    sentences = Sentences(Random(seed))
    return blocks_of(pieces_up_to(megabytes, f"{PROLOGUE}<FILE>\n", iter(sentences), "</FILE>\n"))


class Sentences:
    """Grows one sentence after the other, without end."""

    def __init__(self, chance: Random) -> None:
        letters = f"{ascii_letters}{digits}+/"
        tokens = ["".join(chance.choices(letters, k=chance.randint(22, 62))) for _ in range(TOKENS)]
        self._token = dealt(chance, tokens)
        self._sentence = dealt(chance, by_shares(SENTENCES))
        self._rules = {
            tag: dealt(chance, [children.split() for children in by_shares(rules)])
            for tag, rules in GRAMMAR.items()
        }
        self._short = {tag: children.split() for tag, children in SHORT.items()}

    def __iter__(self) -> Iterator[str]:
        while True:
            parts = ["<EMPTY>\n"]
            self._grow(self._sentence(), 3, parts)
            parts.append("</EMPTY>\n")
            yield "".join(parts)

    def _grow(self, tag: str, depth: int, parts: list[str]) -> None:
        rule = self._rules.get(tag)
        if rule is None:
            parts.append(f"<{tag}>{self._token()}</{tag}>\n")
            return
        short = self._short.get(tag) if depth > DEEPEST - 4 else None
        parts.append(f"<{tag}>\n")
        for child in short or rule():
            self._grow(child, depth + 1, parts)
        parts.append(f"</{tag}>\n")
