"""`cepheid warm-up` and `cepheid kernels`: kernels before they are needed, here and on workers of Spark."""

from pathlib import Path

from cepheid.cli.say import say
from cepheid.cli.show import counted


def make_ready(jobs: int | None) -> None:
    """Go through the warm-up list, and say what it took."""
    from cepheid.matchers.jit import CACHE, STAMP
    from cepheid.matchers.ready.lookup import why_not
    from cepheid.warm_up.run import warm_up

    doubt = why_not(STAMP)
    if doubt is not None:
        say(doubt)
    warmed = warm_up(jobs, say)
    if not warmed.compiled:
        say(f"all kernels are ready: nothing was compiled, {warmed.seconds:.1f} s")
    elif CACHE is None:
        say("kernels were compiled, but no folder can keep them: set CEPHEID_CACHE_DIR to one")
    else:
        functions = counted(warmed.compiled, "function")
        say(f"all kernels are ready: {functions} compiled in {warmed.seconds:.0f} s, kept in {CACHE}")


def write_kernels(out: Path) -> None:
    """Write the zip, and say what it is for."""
    from cepheid.warm_up.pack import pack_kernels

    number = pack_kernels(out, say)
    megabytes = out.stat().st_size / 1e6
    say(f"{counted(number, 'kernel')} written to {out}, {megabytes:.1f} MB")
    say(f"for the workers of a Spark session: spark.addArtifacts({str(out)!r}, pyfile=True)")
