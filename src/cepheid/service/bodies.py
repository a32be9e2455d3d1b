"""The bodies of requests, as pydantic checks them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from cepheid.errors import CepheidError
from cepheid.profiles import profile
from cepheid.service.addresses import AddressGuard, AddressRefused
from cepheid.service.auth import SCOPES
from cepheid.service.channels import ALERTMANAGER, APPRISE, ChannelDraft, checked_channel
from cepheid.service.moments import NoMoment, ticks_of
from cepheid.service.problems import Problem, of_query
from cepheid.service.settings import Settings
from cepheid.service.subscriptions import DEFAULTS, ProfileDraft

NO_NUL = r"^[^\x00]*$"  # PostgreSQL has no such texts
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL)]
ChannelName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
Choice = StrictInt | StrictStr
MOST_WEBHOOKS = 10


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Deliver(_Body):
    """One way to be told: `{"webhook": url}`, `{"feed": true}` or `{"channel": name}`."""

    webhook: Annotated[str, Field(pattern=NO_NUL)] | None = None
    feed: StrictBool | None = None
    channel: ChannelName | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Deliver:
        if sum(each is not None for each in (self.webhook, self.feed, self.channel)) != 1:
            raise ValueError('is one of {"webhook": url}, {"feed": true} and {"channel": name}')
        return self


class ProfileBody(_Body):
    """A profile. Only its name and its query are required."""

    name: Name
    query: Annotated[str, Field(pattern=NO_NUL)]
    deliver: Annotated[list[Deliver], Field(max_length=MOST_WEBHOOKS + 1)] = []
    select: Choice | dict[str, Choice] = "all"
    consume: StrictStr = "all"
    once: StrictStr | None = None
    timezone: Annotated[StrictStr, Field(max_length=100)] = "UTC"

    def draft(self, settings: Settings, guard: AddressGuard) -> ProfileDraft:
        """The checked profile; what is wrong with it is a problem."""
        if len(self.query) > settings.max_query:
            raise Problem(422, f"the query has more than {settings.max_query:,} characters")
        terms = {name: getattr(self, name) for name in DEFAULTS}
        terms = {name: value for name, value in terms.items() if value != DEFAULTS[name]}
        webhooks = [each.webhook for each in self.deliver if each.webhook is not None]
        channels = [each.channel for each in self.deliver if each.channel is not None]
        try:
            profile(self.query, **terms)
            for url in webhooks:
                guard.check_url(url)
        except AddressRefused as refused:
            raise Problem(422, str(refused)) from None
        except CepheidError as error:
            raise of_query(error) from None
        return ProfileDraft(
            self.name, self.query, terms, any(d.feed for d in self.deliver), webhooks, channels
        )


class SilenceBody(_Body):
    """Until when a profile is silent, and why."""

    until: str | float | int
    reason: Annotated[str, Field(max_length=1000, pattern=NO_NUL)] = ""


class ProfileChange(_Body):
    """What may be changed of a profile."""

    name: Name | None = None
    paused: StrictBool | None = None
    silence: SilenceBody | None = None

    def changes(self) -> dict[str, Any]:
        """The columns that change."""
        found: dict[str, Any] = {}
        for name in ("name", "paused"):
            if name in self.model_fields_set:
                if getattr(self, name) is None:
                    raise Problem(422, f"'{name}' cannot be null")
                found[name] = getattr(self, name)
        if "silence" in self.model_fields_set:
            found |= self._silenced()
        return found

    def _silenced(self) -> dict[str, Any]:
        if self.silence is None:
            return {"silence_until": None, "silence_reason": None}
        try:
            until = ticks_of(self.silence.until)
        except NoMoment as error:
            raise Problem(422, f"silence: {error}") from None
        return {"silence_until": until, "silence_reason": self.silence.reason}


class TokenBody(_Body):
    """A token that is to be made."""

    name: Name
    scopes: Annotated[list[Literal[SCOPES]], Field(min_length=1)]  # type: ignore[valid-type]


class ChannelBody(_Body):
    """A channel: an address of apprise, or of an Alertmanager with the labels that its alerts have."""

    apprise: Annotated[str, Field(min_length=1, max_length=4000, pattern=NO_NUL)] | None = None
    alertmanager: Annotated[str, Field(min_length=1, max_length=2000, pattern=NO_NUL)] | None = None
    labels: Annotated[dict[str, Annotated[str, Field(max_length=500)]], Field(max_length=50)] = {}

    @model_validator(mode="after")
    def _is_one(self) -> ChannelBody:
        if (self.apprise is None) == (self.alertmanager is None):
            raise ValueError('is one of {"apprise": address} and {"alertmanager": address, "labels"?: {…}}')
        return self

    def draft(self, guard: AddressGuard) -> ChannelDraft:
        """The checked channel."""
        kind = APPRISE if self.apprise is not None else ALERTMANAGER
        return checked_channel(kind, self.apprise or self.alertmanager or "", self.labels, guard)
