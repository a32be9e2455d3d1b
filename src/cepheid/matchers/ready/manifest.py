"""The manifest of ready kernels: what they were built from and for, and the hash of each file.

It is plain JSON. A kernel's file is a pickle, as in Numba's own cache, so it is read only if its hash is the
one in the manifest: what is damaged, cut off or from elsewhere is never unpickled. The manifest itself is
trusted as the installed package is: whoever can rewrite that can rewrite this module too.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from cepheid.matchers.ready.levels import LEVELS
from cepheid.matchers.ready.surroundings import Surroundings

MANIFEST = "manifest.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class ReadyKernel:
    """One kernel, compiled for one signature."""

    name: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Ready kernels of one level, by the key that `key_of` gives."""

    level: str
    built: Surroundings
    kernels: dict[str, ReadyKernel]

    def text(self) -> str:
        """As it is written to a file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True) + "\n"


def read_manifest(text: str) -> Manifest:
    """The manifest that a file holds; raises ValueError with the reason if it is none of ours."""
    try:
        told: dict[str, Any] = json.loads(text)
        if told["format"] != FORMAT:
            raise ValueError(
                f"their manifest has the format {told['format']}, and this version reads {FORMAT}"
            )
        if told["level"] not in LEVELS:
            raise ValueError(f"they are for a level of processors that is not known: {told['level']}")
        kernels = {key: ReadyKernel(**kernel) for key, kernel in told["kernels"].items()}
        return Manifest(told["level"], Surroundings(**told["built"]), kernels)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"their manifest cannot be read ({type(error).__name__}: {error})") from None


def key_of(function: Any, options: str, signature: object) -> str | None:
    """What a ready kernel is known by: its name and code, how it is compiled, and the types of its arguments.

    None for a function with a closure: what that holds is not in the source.
    """
    if function.__closure__ is not None:
        return None
    code = hashlib.sha256(function.__code__.co_code).hexdigest()
    words = (name_of(function), code, options, str(signature))
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def name_of(function: Any) -> str:
    """A kernel's full name."""
    return f"{function.__module__}.{function.__qualname__}"
