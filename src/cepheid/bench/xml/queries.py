"""The sixteen queries of the paper's Table 6, and how people write them with lxml.

A loop with lxml reads one record after the other. What it asks of a record is XPath, since each of these
sibling expressions can be said by it: none repeats more than one tag.
"""

from dataclasses import dataclass

from cepheid.bench.xml.documents import DBLP, TREEBANK, XMARK

PLAIN, REGULAR = "plain", "regular"


@dataclass(frozen=True, slots=True)
class TreeQuery:
    """One query: the pattern, the document it is asked of, and the record and its XPath for a loop."""

    name: str
    kind: str
    pattern: str
    document: str
    record: str
    path: str

    @property
    def whole_path(self) -> str:
        """The same for a library that holds the whole document."""
        return f"//{self.record}/{self.path}"


_AGED = "[education][.//age]"
_NEXT = "following-sibling::*[1]"
_TITLED = f"{_NEXT}[self::title]"

QUERIES = (
    TreeQuery(
        "Q1.1", PLAIN, "//dblp/article[/author][//title][//url][//ee]//year",
        DBLP, "article", "self::*[author][.//title][.//url][.//ee]//year",
    ),
    TreeQuery(
        "Q1.2", PLAIN, "//dblp[//article[/author->A][/title][/pages][/year]]",
        DBLP, "article", "self::*[title][pages][year]/author",
    ),
    TreeQuery(
        "Q1.3", REGULAR, "//dblp[//article(/author->A:/title:/pages:/year)]",
        DBLP, "article", f"author[{_TITLED}/{_NEXT}[self::pages]/{_NEXT}[self::year]]",
    ),
    TreeQuery(
        "Q1.4", REGULAR, "//dblp[//article(/author->A:/title:(/pages|/year))]",
        DBLP, "article", f"author[{_TITLED}/{_NEXT}[self::pages or self::year]]",
    ),
    TreeQuery(
        "Q1.5", REGULAR, "//dblp[//article(/author->A:/title:(/pages*):/year)]",
        DBLP, "article", f"author[{_TITLED}/following-sibling::*[not(self::pages)][1][self::year]]",
    ),
    TreeQuery(
        "Q2.1", PLAIN, "//S/VP//PP[//NN][//NP[//CD]/VBN]/IN",
        TREEBANK, "EMPTY", "self::*//S/VP//PP[.//NN][.//NP[.//CD]/VBN]/IN",
    ),
    TreeQuery(
        "Q2.2", PLAIN, "//VP[/PP[/IN][/NP->N[/CD][/VBN]]]",
        TREEBANK, "EMPTY", "self::*//VP/PP[IN]/NP[CD][VBN]",
    ),
    TreeQuery(
        "Q2.3", REGULAR, "//VP[/PP(/IN:/NP->N[/CD][/VBN])]",
        TREEBANK, "EMPTY", "self::*//VP/PP/NP[CD][VBN][preceding-sibling::*[1][self::IN]]",
    ),
    TreeQuery(
        "Q2.4", REGULAR, "//VP[/PP(/IN|/NP->N[/CD][/VBN])]",
        TREEBANK, "EMPTY", "self::*//VP/PP/NP[CD][VBN]",
    ),
    TreeQuery(
        "Q2.5", REGULAR, "//VP[PP(/IN*|/NP->N[/CD][/VBN])]",
        TREEBANK, "EMPTY", "self::*//VP/PP/NP[CD][VBN]",
    ),
    TreeQuery(
        "Q3.1", PLAIN, "//item[/location][//mailbox/mail//emph][/description//keyword]",
        XMARK, "item", "self::*[location][.//mailbox/mail//emph][description//keyword]",
    ),
    TreeQuery(
        "Q3.2", PLAIN, "//people[//person[/address->A[/zipcode]][/profile[/education][//age]]]",
        XMARK, "person", f"self::*[profile{_AGED}]/address[zipcode]",
    ),
    TreeQuery(
        "Q3.3", REGULAR, "//people[//person(/address->A[/zipcode]:/profile[/education][//age])]",
        XMARK, "person", f"address[zipcode][{_NEXT}[self::profile]{_AGED}]",
    ),
    TreeQuery(
        "Q3.4", REGULAR, "//people[//person(/address->A[/zipcode]|/profile[/education][//age])]",
        XMARK, "person", "address[zipcode]",
    ),
    TreeQuery(
        "Q3.5", REGULAR, "//people[//person((/address->A[/zipcode])*:/profile[/education][//age])]",
        XMARK, "person", f"address[zipcode][{_NEXT}[self::profile]{_AGED}]",
    ),
    TreeQuery(
        "Q3.6", PLAIN, "//people[//person[/address->A[/zipcode=6]][/profile[/education][//age]]]",
        XMARK, "person", f"self::*[profile{_AGED}]/address[zipcode=6]",
    ),
)  # fmt: skip
"""Those of one document stand together. The second plain one is what regular ones are compared with."""


def queries_of(document: str) -> tuple[TreeQuery, ...]:
    """The queries that are asked of one document."""
    return tuple(query for query in QUERIES if query.document == document)
