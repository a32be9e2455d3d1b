"""What is sold in XMark documents: items, and the auctions that are open or closed."""

from math import gcd
from random import Random

from cepheid.sources.generate.decks import by_shares, dealt, spread, yes
from cepheid.sources.generate.xmark_counts import AuctionCounts
from cepheid.sources.generate.xmark_people import People
from cepheid.sources.generate.xmark_text import Prose

PAYMENT = ("Money order", "Creditcard", "Personal Check", "Cash")
SHIPPING = (
    "Will ship only within country",
    "Will ship internationally",
    "Buyer pays fixed shipping charges",
    "See description for charges",
)
TYPES = {"Regular": 0.48, "Featured": 0.48, "Regular, Dutch": 0.02, "Featured, Dutch": 0.02}


class Sales:
    """Makes items and auctions; each item is sold in one auction."""

    def __init__(self, chance: Random, counts: AuctionCounts, people: People, prose: Prose) -> None:
        self._chance = chance
        self._counts = counts
        self._people = people
        self._prose = prose
        self._stride = _stride(counts.items)
        self._is_abroad = dealt(chance, yes(0.25))
        self._is_featured = dealt(chance, yes(0.1))
        self._quantity = dealt(chance, by_shares({1: 0.923, 2: 0.072, 3: 0.005}))
        self._categories = dealt(chance, spread(2.95, least=1, most=10))
        self._mails = dealt(chance, spread(1.02))
        self._has_reserve = dealt(chance, yes(0.506))
        self._has_privacy = dealt(chance, yes(0.469))
        self._bidders = dealt(chance, spread(5.17))
        self._type = dealt(chance, by_shares(TYPES))

    def item(self, number: int) -> str:
        """One element of a continent."""
        featured = ' featured="yes"' if self._is_featured() else ""
        categories = "".join(
            f'<incategory category="{self._people.category()}"/>\n' for _ in range(self._categories())
        )
        mails = "".join(self._mail() for _ in range(self._mails()))
        return (
            f'<item id="item{number}"{featured}>\n'
            f"<location>{self._people.country(self._is_abroad())}</location>\n"
            f"<quantity>{self._quantity()}</quantity>\n<name>{self._name()}</name>\n"
            f"<payment>{self._some(PAYMENT)}</payment>\n{self._prose.description()}"
            f"<shipping>{self._some(SHIPPING)}</shipping>\n{categories}<mailbox>\n{mails}</mailbox>\n</item>\n"
        )

    def category(self, number: int) -> str:
        """One element of `categories`."""
        name, description = self._name(), self._prose.description()
        return f'<category id="category{number}">\n<name>{name}</name>\n{description}</category>\n'

    def edge(self) -> str:
        """One element of `catgraph`."""
        return f'<edge from="{self._people.category()}" to="{self._people.category()}"/>\n'

    def open_auction(self, number: int) -> str:
        """One element of `open_auctions`."""
        initial = self._amount()
        raises = [1.5 * (1 + int(self._chance.expovariate(0.2))) for _ in range(self._bidders())]
        reserve = f"<reserve>{initial * 1.5:.2f}</reserve>\n" if self._has_reserve() else ""
        privacy = f"<privacy>{self._chance.choice(('Yes', 'No'))}</privacy>\n" if self._has_privacy() else ""
        return (
            f'<open_auction id="open_auction{number}">\n<initial>{initial:.2f}</initial>\n{reserve}'
            f"{''.join(map(self._bidder, raises))}<current>{initial + sum(raises):.2f}</current>\n{privacy}"
            f'{self._item_of(number)}<seller person="{self._people.someone()}"/>\n{self._annotation()}'
            f"{self._terms()}<interval>\n<start>{self._date()}</start>\n<end>{self._date()}</end>\n</interval>\n"
            f"</open_auction>\n"
        )

    def closed_auction(self, number: int) -> str:
        """One element of `closed_auctions`."""
        seller, buyer = self._people.someone(), self._people.someone()
        return (
            f'<closed_auction>\n<seller person="{seller}"/>\n<buyer person="{buyer}"/>\n'
            f"{self._item_of(self._counts.open_auctions + number)}<price>{self._amount():.2f}</price>\n"
            f"<date>{self._date()}</date>\n{self._terms()}{self._annotation()}</closed_auction>\n"
        )

    def _mail(self) -> str:
        sender, receiver = (" ".join(self._people.named()) for _ in range(2))
        return (
            f"<mail>\n<from>{sender}</from>\n<to>{receiver}</to>\n<date>{self._date()}</date>\n"
            f"{self._prose.text()}</mail>\n"
        )

    def _bidder(self, increase: float) -> str:
        second = int(self._chance.random() * 86_400)
        return (
            f"<bidder>\n<date>{self._date()}</date>\n"
            f"<time>{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}</time>\n"
            f'<personref person="{self._people.someone()}"/>\n'
            f"<increase>{increase:.2f}</increase>\n</bidder>\n"
        )

    def _annotation(self) -> str:
        return (
            f'<annotation>\n<author person="{self._people.someone()}"/>\n{self._prose.description()}'
            f"<happiness>{1 + int(self._chance.random() * 10)}</happiness>\n</annotation>\n"
        )

    def _terms(self) -> str:
        return f"<quantity>{self._quantity()}</quantity>\n<type>{self._type()}</type>\n"

    def _item_of(self, auction: int) -> str:
        return f'<itemref item="item{auction * self._stride % self._counts.items}"/>\n'

    def _name(self) -> str:
        return self._prose.words(1 + int(self._chance.random() * 4))

    def _some(self, ways: tuple[str, ...]) -> str:
        return ", ".join(way for way in ways if self._chance.random() < 0.5)

    def _amount(self) -> float:
        return 1.5 + self._chance.expovariate(0.01)

    def _date(self) -> str:
        day = int(self._chance.random() * 12 * 28 * 4)
        return f"{1 + day % 12:02}/{1 + day // 12 % 28:02}/{1998 + day // 336}"


def _stride(items: int) -> int:
    """A step that visits every item once before it returns to the first."""
    return next(step for step in range(round(items * 0.618) + 1, 2 * items + 2) if gcd(step, items) == 1)
