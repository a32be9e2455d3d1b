"""Messages by apprise: mail, chat and many others. It is optional, and imported only where it is used.

Its logs name addresses with their secrets, so they are not written.
"""

from __future__ import annotations

import logging
from typing import Any

for _name in ("apprise", "requests", "urllib3"):
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False

LONGEST = 4_000  # characters of a message


def opened_channel(url: str) -> Any:
    """What apprise makes of an address; None if it does not know it."""
    from apprise import Apprise

    try:
        return Apprise.instantiate(url, suppress_exceptions=True)
    except Exception:  # whatever a plugin does with an odd address
        return None


def sent_note(url: str, title: str, text: str) -> bool:
    """Send a message, and wait; whether it was taken."""
    channel = opened_channel(url)
    if channel is None:
        return False
    return bool(channel.notify(title=title, body=text[:LONGEST]))
