"""The people of XMark documents: addresses, profiles, and the auctions that they watch."""

from random import Random

from cepheid.sources.generate.decks import by_shares, dealt, spread, yes
from cepheid.sources.generate.words import CITIES, COUNTRIES, FIRST_NAMES, LAST_NAMES, PROVINCES, WORDS
from cepheid.sources.generate.xmark_counts import AuctionCounts

HOME = "United States"
EDUCATION = {"College": 0.3, "Graduate School": 0.24, "Other": 0.24, "High School": 0.22}


class People:
    """Makes persons; all that is optional has the share that it has in the original."""

    def __init__(self, chance: Random, counts: AuctionCounts) -> None:
        self._chance = chance
        self._counts = counts
        self._has_phone = dealt(chance, yes(0.495))
        self._has_address = dealt(chance, yes(0.493))
        self._has_homepage = dealt(chance, yes(0.489))
        self._has_creditcard = dealt(chance, yes(0.509))
        self._has_profile = dealt(chance, yes(0.496))
        self._has_watches = dealt(chance, yes(0.494))
        self._is_abroad = dealt(chance, yes(0.25))
        self._has_province = dealt(chance, yes(0.486))
        self._zipcode = dealt(chance, range(1, 40))
        self._interests = dealt(chance, spread(3.03))
        self._has_education = dealt(chance, yes(0.477))
        self._education = dealt(chance, by_shares(EDUCATION))
        self._gender = dealt(chance, yes(0.514))
        self._has_age = dealt(chance, yes(0.498))
        self._watches = dealt(chance, spread(3.83))

    def named(self) -> tuple[str, str]:
        """A full name, and a mail address."""
        last = self._chance.choice(LAST_NAMES)
        name = f"{self._chance.choice(FIRST_NAMES)} {last}"
        return name, f"mailto:{last}@{self._chance.choice(WORDS)}.example"

    def someone(self) -> str:
        """The identifier of a person."""
        return f"person{int(self._chance.random() * self._counts.people)}"

    def category(self) -> str:
        """The identifier of a category."""
        return f"category{int(self._chance.random() * self._counts.categories)}"

    def person(self, number: int) -> str:
        """One element of `people`."""
        name, mail = self.named()
        parts = [f'<person id="person{number}">\n<name>{name}</name>\n<emailaddress>{mail}</emailaddress>\n']
        if self._has_phone():
            parts.append(f"<phone>+{self._number(2)} ({self._number(3)}) {self._number(8)}</phone>\n")
        if self._has_address():
            parts.append(self._address())
        if self._has_homepage():
            parts.append(f"<homepage>http://www.{mail.partition('@')[2]}/~{number}</homepage>\n")
        if self._has_creditcard():
            digits = " ".join(self._number(4) for _ in range(4))
            parts.append(f"<creditcard>{digits}</creditcard>\n")
        if self._has_profile():
            parts.append(self._profile())
        if self._has_watches():
            parts.append(self._watching())
        parts.append("</person>\n")
        return "".join(parts)

    def country(self, is_abroad: bool) -> str:
        """The country of a person or an item."""
        return self._chance.choice(COUNTRIES) if is_abroad else HOME

    def _number(self, digits: int) -> str:
        least = 10 ** (digits - 1)
        return str(least + int(self._chance.random() * 9 * least))

    def _address(self) -> str:
        choice = self._chance.choice
        province = f"<province>{choice(PROVINCES)}</province>\n" if self._has_province() else ""
        return (
            f"<address>\n<street>{self._number(2)} {choice(LAST_NAMES)} St</street>\n"
            f"<city>{choice(CITIES)}</city>\n<country>{self.country(self._is_abroad())}</country>\n"
            f"{province}<zipcode>{self._zipcode()}</zipcode>\n</address>\n"
        )

    def _profile(self) -> str:
        income = 9_876 + self._chance.expovariate(1 / 30_000)
        parts = [f'<profile income="{income:.2f}">\n']
        parts += (f'<interest category="{self.category()}"/>\n' for _ in range(self._interests()))
        if self._has_education():
            parts.append(f"<education>{self._education()}</education>\n")
        if self._gender():
            parts.append(f"<gender>{self._chance.choice(('male', 'female'))}</gender>\n")
        parts.append(f"<business>{self._chance.choice(('Yes', 'No'))}</business>\n")
        if self._has_age():
            parts.append(f"<age>{18 + int(self._chance.random() * 40)}</age>\n")
        parts.append("</profile>\n")
        return "".join(parts)

    def _watching(self) -> str:
        auctions = self._counts.open_auctions
        watched = "".join(
            f'<watch open_auction="open_auction{int(self._chance.random() * auctions)}"/>\n'
            for _ in range(self._watches())
        )
        return f"<watches>\n{watched}</watches>\n"
