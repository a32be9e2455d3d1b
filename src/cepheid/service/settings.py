"""What the service is told by its environment (`CEPHEID_…`) and by the flags of `cepheid serve`."""

from __future__ import annotations

import ipaddress
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from cepheid.errors import BindingError, CepheidError
from cepheid.pattern.durations import parse_duration

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LONGEST = timedelta(days=36_500)
LEAST_TOKEN = 32  # characters of a token that is given


def as_duration(value: Any) -> timedelta:
    """`5 min`, `1.5 s`, a timedelta, or a plain 0."""
    if isinstance(value, timedelta):
        return value
    try:
        found = parse_duration(value)
    except CepheidError as error:
        raise ValueError(f"{error}: write a number and a unit, as in '5 min'") from None
    if found.unit is None and found.amount != 0:
        raise ValueError(f"{value!r} has no unit: write '{value} s' or '{value} min'")
    seconds = found.amount if found.unit is None else found.nanoseconds() / 10**9
    if seconds > LONGEST.total_seconds():
        raise ValueError(f"{value!r} is too long")
    return timedelta(microseconds=int(seconds * 10**6))


def _listed(value: Any) -> Any:
    """Several values in one text, with commas between them."""
    return [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else value


Period = Annotated[timedelta, BeforeValidator(as_duration)]
Periods = Annotated[tuple[Period, ...], NoDecode, BeforeValidator(_listed)]
Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_listed)]


class Settings(BaseSettings):
    """Everything that can be set. A flag wins over the environment, and both over what is written here."""

    model_config = SettingsConfigDict(env_prefix="CEPHEID_", frozen=True, hide_input_in_errors=True)

    db: str = "sqlite:///cepheid.db"
    host: str = "127.0.0.1"
    port: int = Field(8080, ge=0, le=65535)
    admin_token: SecretStr | None = None
    log_level: str = "info"

    # -- the clock
    lateness: Period = timedelta(0)
    idle: Period = timedelta(minutes=1)
    ahead: Period = timedelta(days=1)

    # -- what is kept
    keep_events: Period = timedelta(days=30)
    keep_notifications: Period = timedelta(days=90)
    keep_answers: Period = timedelta(hours=24)
    forget_every: Period = timedelta(minutes=1)
    snapshot_every: Period = timedelta(minutes=1)
    snapshot_events: int = Field(200_000, ge=1)

    # -- the writer
    gather: Period = timedelta(milliseconds=10)
    group: int = Field(500, ge=1)
    max_waiting: int = Field(50_000, ge=1)
    max_waiting_bytes: int = Field(64 * 2**20, ge=1)

    # -- limits
    max_body: int = Field(8 * 2**20, ge=1)
    max_query: int = Field(20_000, ge=1)
    max_profiles: int = Field(100_000, ge=1)
    max_requests: str = "20000/second"
    max_refusals: str = "600/minute"
    max_preview_events: int = Field(200_000, ge=1)

    # -- webhooks
    allow_network: Networks = ()
    webhook_timeout: Period = timedelta(seconds=15)
    webhook_schedule: Periods = tuple(
        timedelta(seconds=s) for s in (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
    )

    # -- events from a broker
    mqtt: SecretStr | None = None
    mqtt_client: str = Field("cepheid", min_length=1, max_length=100)

    @field_validator("admin_token")
    @classmethod
    def _is_long(cls, token: SecretStr | None) -> SecretStr | None:
        text = None if token is None else token.get_secret_value().strip()
        if text is not None and len(text) < LEAST_TOKEN:
            raise ValueError(f"an admin token has {LEAST_TOKEN} or more characters")
        return None if text is None else SecretStr(text)

    @field_validator("log_level")
    @classmethod
    def _is_level(cls, level: str) -> str:
        if level.lower() not in ("debug", "info", "warning", "error"):
            raise ValueError("is one of debug, info, warning and error")
        return level.lower()


def settings_from(**given: Any) -> Settings:
    """The settings, where flags that were not given are None."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        why = first["msg"].removeprefix("Value error, ")
        raise BindingError(f"--{name.replace('_', '-')} (CEPHEID_{name.upper()}): {why}") from None


def microseconds(period: timedelta) -> int:
    """A period as the clock of events counts."""
    return period // timedelta(microseconds=1)
