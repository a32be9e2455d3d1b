"""A measurement in a process of its own: `python -m cepheid.bench.child MODULE FUNCTION JSON` prints JSON."""

import importlib
import json
import sys

import pyarrow as pa

from cepheid.bench.harness import peak_resident_bytes


def main(module: str, function: str, arguments: str) -> None:
    """Run one measurement and print what it gives, with the peak of memory."""
    pa.set_cpu_count(1)
    result = getattr(importlib.import_module(module), function)(**json.loads(arguments))
    print(json.dumps({**result, "peak_resident": peak_resident_bytes()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
