"""Whatever the OpenAPI document allows, and more, is answered without a server error.

python -m tests.service.schema --cases 50
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.service.serving import ADMIN, serving

ENDLESS = "/feed"  # a stream that never ends is not asked for at random


def check(cases: int) -> dict[str, Any]:
    """Ask all routes; which answers there were."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings

    answers: Counter[int] = Counter()
    headers = {"Authorization": f"Bearer {ADMIN}"}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "--idle", "1 day") as service:
        address = str(service.client.base_url)
        schema = schemathesis.openapi.from_url(f"{address}/openapi.json", headers=headers)
        found = [each.ok() for each in schema.get_all_operations()]
        operations = [each for each in found if each.path != ENDLESS]
        for operation in operations:

            @given(case=operation.as_strategy())
            @settings(
                max_examples=cases,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.explicit, Phase.generate],
            )
            def ask(case: Any) -> None:
                answer = case.call(base_url=address, headers=headers)
                answers[answer.status_code] += 1
                busy = answer.status_code == 503 and "Retry-After" in answer.headers
                assert answer.status_code < 500 or busy, f"{case.as_curl_command()}\n{answer.text}"

            ask()
        log = (Path(folder) / "log").read_text()
        assert "Traceback" not in log, log[-4000:]
    return {"routes": len(operations), "answers": dict(sorted(answers.items()))}


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--cases", type=int, default=50)
    try:
        import schemathesis  # noqa: F401
    except ModuleNotFoundError:
        print("the OpenAPI document is not tested here, for want of schemathesis: pip install schemathesis")
        sys.exit(0)
    print(json.dumps(check(asked.parse_args().cases)))


if __name__ == "__main__":
    main()
