"""What is known of a run after it, for pictures of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The plan that ran, and how its events are taken in. The events themselves are not kept."""

    plan: Plan
    take_in: Callable[[Any], pa.Table]  # events in any form, in their order, as the run had them
