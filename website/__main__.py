"""Build the site: `python -m website [FOLDER]`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from website.stage import ROOT, stage

STAGED = ROOT / "build" / "website"


def main(out: Path) -> int:
    """Stage, build, and put the site where it is asked for."""
    stage(STAGED)
    build = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(build, cwd=STAGED, env=os.environ | {"NO_COLOR": "1"}, check=False)
    if done.returncode:
        return done.returncode
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(STAGED / "site", out)
    print(f"the site is in {out}: open {out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/docs").resolve()))
