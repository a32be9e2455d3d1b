"""The service on a real PostgreSQL, in a cluster of its own; says what is missing where there is none.

python -m tests.service.postgres
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.service.serving import RunningService

OWNER = "postgres"  # PostgreSQL does not run as root


def missing() -> str | None:
    """What a run needs and does not have."""
    for name in ("fastapi", "psycopg"):
        if importlib.util.find_spec(name) is None:
            return f"the package {name}: pip install 'cepheid[service,postgres]'"
    if programs() is None:
        return "PostgreSQL's initdb and postgres: apt-get install postgresql"
    if os.getuid() == 0 and OWNER not in (each.pw_name for each in pwd.getpwall()):
        return f"a user {OWNER} to run PostgreSQL as, since it does not run as root"
    return None


def programs() -> Path | None:
    """The folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """A cluster that is gone in the end; the address of a database in it."""
    bin_folder = programs()
    assert bin_folder is not None
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "data").mkdir()
        if os.getuid() == 0:
            for each in (folder, folder / "data"):
                shutil.chown(each, OWNER, OWNER)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        data = str(folder / "data")
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
        _run(bin_folder / "initdb", "-D", data, "-A", "trust", "-U", "cepheid")
        _run(bin_folder / "pg_ctl", "-D", data, "-w", "-o", options, "-l", f"{folder}/log", "start")
        try:
            yield f"postgresql+psycopg://cepheid@127.0.0.1:{port}/postgres"
        finally:
            _run(bin_folder / "pg_ctl", "-D", data, "-m", "immediate", "stop")


def _run(*command: object) -> None:
    as_owner = ["runuser", "-u", OWNER, "--"] if os.getuid() == 0 else []
    done = subprocess.run([*as_owner, *map(str, command)], capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr


def look_at_pages(service: RunningService, since: datetime) -> None:
    """The pages whose questions to the database are their own."""
    from tests.service.pages import browser, made
    from tests.service.serving import event

    client = browser(service)
    profile = made(client, "PATTERN Door d WITHIN 1 s RETURN d.n AS n", feed="yes", name="doors")
    service.send(event("Door", since, 1, n=1))
    (told,) = service.told(profile)
    found = client.get("/page/profiles?search=doors").text
    assert found.count('class="bar"') == 1
    for path in (f"profiles/{profile}", "feed", "deliveries", "profiles/new?shape=then", "tokens"):
        assert client.get(f"/page/{path}").status_code == 200, path
    assert 'class="matched"' in client.get(f"/page/notifications/{told['id']}/picture").text


def main() -> None:
    lacking = missing()
    if lacking is not None:
        print(f"PostgreSQL is not tested here, for want of {lacking}")
        sys.exit(0)
    from tests.service.chaos import check
    from tests.service.serving import Hours, serving
    from tests.service.truth import check_case

    with cluster() as address, tempfile.TemporaryDirectory() as folder:
        hours = Hours()
        with serving(Path(folder), "--idle", "1 day", db=address) as service:
            told = sum(check_case(service, seed, hours.fresh()) for seed in range(10))
            look_at_pages(service, hours.fresh())
        print(f"10 random cases, {told} matches: as the oracle tells them")
    with cluster() as address:
        print(check(3, 1, address))


if __name__ == "__main__":
    main()
