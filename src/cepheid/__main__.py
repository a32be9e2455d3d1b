"""`python -m cepheid` is `cepheid`."""

from cepheid.cli import main

if __name__ == "__main__":
    main()
