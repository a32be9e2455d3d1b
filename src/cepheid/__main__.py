"""`python -m cepheid` is `cepheid`."""

from __future__ import annotations

from cepheid.cli import main

if __name__ == "__main__":
    main()
