"""Complex event processing: find situations that no single event shows."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cepheid import pattern
    from cepheid.errors import CepheidError, CepheidWarning
    from cepheid.expand import Expansion, expand
    from cepheid.funnel import Funnel, funnel
    from cepheid.profiles import ProfileSet, profiles
    from cepheid.query import Query, query, resume
    from cepheid.single_profile import Profile, profile
    from cepheid.workload import Workload, workload
    from cepheid.xml import XmlMatches, XmlPattern, xml

__all__ = [
    "CepheidError",
    "CepheidWarning",
    "Expansion",
    "Funnel",
    "Profile",
    "ProfileSet",
    "Query",
    "Workload",
    "XmlMatches",
    "XmlPattern",
    "expand",
    "funnel",
    "pattern",
    "profile",
    "profiles",
    "query",
    "resume",
    "workload",
    "xml",
]

_HOMES = {
    "CepheidError": "errors",
    "CepheidWarning": "errors",
    "Expansion": "expand",
    "Funnel": "funnel",
    "Profile": "single_profile",
    "ProfileSet": "profiles",
    "Query": "query",
    "Workload": "workload",
    "XmlMatches": "xml",
    "XmlPattern": "xml",
    "expand": "expand",
    "funnel": "funnel",
    "profile": "single_profile",
    "profiles": "profiles",
    "query": "query",
    "resume": "query",
    "workload": "workload",
    "xml": "xml",
}
"""The module that a public name is in: it is imported when the name is first asked for."""


def __getattr__(name: str) -> Any:
    if name == "pattern":
        return import_module("cepheid.pattern")
    if name not in _HOMES:
        raise AttributeError(f"module 'cepheid' has no attribute '{name}'")
    found = getattr(import_module(f"cepheid.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """Some modules bear the name of what they define. Python sets a package's attribute to a module that is
    imported; here it is the function, whoever imports the module."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _HOMES.get(name) == name:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
