"""Where webhooks may go: not to the machine itself, nor to its neighbours, unless the operator allows it.

A name is resolved once for each connection, every address is checked, and the connection goes to an address
that was checked. So a name that changes its address in between gains nothing.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence

import anyio.to_thread
import httpcore2
import httpx2

from cepheid.service.settings import Network
from cepheid.service.whole_requests import WholeRequests

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
LOCAL_NAMES = ("localhost", "local", "internal", "localdomain", "home.arpa")
LONGEST_URL = 2000
LAST_PORT = 65_535
HOST_NAME = re.compile(rb"[A-Za-z0-9._-]+")  # no %31%30: whoever decodes it reads another host than we check


class AddressRefused(ValueError):
    """Why a webhook may not go there."""


class AddressGuard:
    """Knows which networks the operator allows beyond the public internet."""

    def __init__(self, allowed: Sequence[Network]) -> None:
        self._allowed = tuple(allowed)

    def check_url(self, text: str) -> None:
        """Refuse, when a profile is made, what could never be delivered."""
        try:
            url = httpx2.URL(text)
        except (httpx2.InvalidURL, ValueError):
            raise AddressRefused("the webhook is not an address: write https://…") from None
        if len(text) > LONGEST_URL or url.scheme not in ("https", "http") or not url.host:
            raise AddressRefused("the webhook is not an address: write https://…")
        if url.port is not None and not 0 < url.port <= LAST_PORT:
            raise AddressRefused(f"the webhook is not an address: a port is from 1 to {LAST_PORT:,}")
        if url.userinfo:
            raise AddressRefused("a webhook's address holds no user or password")
        literal = literal_address(url.host)
        if literal is not None:
            self.check_address(literal, url.scheme == "https")
        elif not HOST_NAME.fullmatch(url.raw_host):
            raise AddressRefused("the webhook is not an address: its host is no name")
        elif url.scheme == "http" and not self._allowed:
            raise AddressRefused("webhooks go over https; http only where --allow-network has the address")
        elif _is_local_name(url.host) and not self._allowed:
            raise AddressRefused(
                f"'{url.host}' is a local name: the operator can allow it by --allow-network"
            )

    def check_address(self, address: Address, secure: bool) -> None:
        """Refuse an address that is neither allowed nor public, and http to all that is not allowed."""
        inner = unwrapped(address)
        for network in self._allowed:
            if any(each.version == network.version and each in network for each in (address, inner)):
                return
        if not _is_public(inner):
            raise AddressRefused(f"{address} is not a public address: --allow-network can allow it")
        if not secure:
            raise AddressRefused("webhooks go over https; http only where --allow-network has the address")

    async def resolve(self, host: str, port: int, secure: bool) -> str:
        """An address of a host that was checked, as all others of it were."""
        literal = literal_address(host)
        found = [literal] if literal is not None else await _looked_up(host, port)
        for address in found:
            self.check_address(address, secure)
        return str(found[0])


async def _looked_up(host: str, port: int) -> list[Address]:
    def look_up() -> list[Address]:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [ipaddress.ip_address(str(row[4][0]).partition("%")[0]) for row in rows]

    try:
        found = await anyio.to_thread.run_sync(look_up, abandon_on_cancel=True)
    except (OSError, UnicodeError):
        raise httpcore2.ConnectError(f"the host {host} is not known") from None
    if not found:
        raise httpcore2.ConnectError(f"the host {host} has no address")
    return found


def _is_public(address: Address) -> bool:
    """Whether an address is on the public internet, and one machine's."""
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:  # deprecated, and still private
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 address that only carries one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo[1] if address.teredo is not None else None
    compatible = ipaddress.IPv4Address(int(address)) if 1 < int(address) < 2**32 else None
    return address.ipv4_mapped or address.sixtofour or teredo or compatible or address


def literal_address(host: str) -> Address | None:
    """The address that a host spells out, in any spelling: 127.1, 0x7f000001, 2130706433, [::1]."""
    plain = host.strip("[]").partition("%")[0].rstrip(".")
    try:
        return ipaddress.ip_address(plain)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(plain))
    except (OSError, UnicodeError, ValueError):
        return None


def _is_local_name(host: str) -> bool:
    plain = host.lower().rstrip(".")
    return "." not in plain or plain.endswith(tuple(f".{name}" for name in LOCAL_NAMES))


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """The network as webhooks see it: a connection is made only to an address that was checked."""

    def __init__(self, guard: AddressGuard, secure: bool) -> None:
        self._guard, self._secure = guard, secure
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve, check all, and connect to what was checked."""
        try:
            address = await self._guard.resolve(host, port, self._secure)
        except AddressRefused as refused:
            raise httpcore2.ConnectError(str(refused)) from None
        stream = await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
        return WholeRequests(stream)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Never."""
        raise httpcore2.ConnectError("webhooks go to no sockets of this machine")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._network.sleep(seconds)
