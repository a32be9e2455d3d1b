"""Where the command line begins and ends: every failure becomes one message and an exit status."""

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import NoReturn

from cepheid.cli.say import say
from cepheid.errors import BindingError, CepheidError, QueryError, UnusedWarning

DONE, FAILED, BAD_USAGE = 0, 1, 2
INTERRUPTED = 130  # by Ctrl-C: 128 and the number of the signal
LITTLE_GARBAGE = 100_000  # objects, between two looks for garbage: imports make as many, and all of them stay
WITHOUT_PANDAS = ("run", "explain", "generate", "demo", "xml", "warm-up", "kernels", "serve", "test")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    gc.set_threshold(LITTLE_GARBAGE)
    if given and given[0] in WITHOUT_PANDAS and "--spark" not in given:
        _leave_pandas_out()
    warnings.showwarning = lambda message, *place: say(str(message))
    warnings.simplefilter("ignore", UnusedWarning)  # a live run tells them one by one
    sys.exit(status_of(given))


def _leave_pandas_out() -> None:
    """Arrow imports pandas wherever it is installed, which takes half a second that no command needs."""
    sys.meta_path.insert(0, _NoPandas())


class _NoPandas(MetaPathFinder):
    """Says of pandas, and of nothing else, that it is not there."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Refuse pandas; leave the others to the next finder."""
        if name == "pandas":
            raise ModuleNotFoundError("pandas is left out", name="pandas")


def status_of(arguments: Sequence[str]) -> int:
    """Run one command and say what went wrong, if anything did."""
    from cepheid.cli.app import app

    try:
        app(args=list(arguments), prog_name="cepheid")
    except SystemExit as leaving:
        return _leaving_status(leaving)
    except KeyboardInterrupt:
        return _interrupted()
    except (QueryError, BindingError) as error:
        say(f"error: {error}")
        return BAD_USAGE
    except CepheidError as error:
        return _failed(f"error: {error}")
    except MemoryError:
        return _failed("error: not enough memory; a shorter WITHIN, --max-matches or fewer columns need less")
    except OSError as error:
        return _failed(f"error: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except Exception as error:
        return _unexpected(error)
    return DONE


def _leaving_status(leaving: SystemExit) -> int:
    if leaving.code == INTERRUPTED:
        return _interrupted()
    return leaving.code if isinstance(leaving.code, int) else DONE


def _interrupted() -> int:
    say("interrupted")
    return INTERRUPTED


def _failed(message: str) -> int:
    say(message)
    return FAILED


def _unexpected(error: Exception) -> int:
    """A mistake of ours: short by default, whole where it is asked for."""
    if os.environ.get("CEPHEID_TRACEBACK"):
        raise error
    return _failed(
        f"internal error: {type(error).__name__}: {error}\n"
        "this is a mistake in cepheid; CEPHEID_TRACEBACK=1 shows where it happened"
    )
