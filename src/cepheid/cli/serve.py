"""`cepheid serve`: the notification service."""

from collections.abc import Sequence

from cepheid.errors import MissingExtraError


def run_service(
    db: str | None,
    host: str | None,
    port: int | None,
    lateness: str | None,
    idle: str | None,
    ahead: str | None,
    allow_network: Sequence[str] | None,
) -> None:
    """Run it until it is told to stop. What is not given comes from the environment (CEPHEID_…)."""
    try:
        from cepheid.service.run import serve
        from cepheid.service.settings import settings_from
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("cepheid"):
            raise
        raise MissingExtraError("cepheid serve", "service") from None
    settings = settings_from(
        db=db,
        host=host,
        port=port,
        lateness=lateness,
        idle=idle,
        ahead=ahead,
        allow_network=list(allow_network) if allow_network else None,
    )
    serve(settings)
