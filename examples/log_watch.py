"""Brute force and password spraying, found in the lines of a log while they are written.

The lines go through a pipe, as with `tail -f auth.log`; the queries take addresses and names out of the raw
text by regular expressions, and each match is printed the moment it is certain.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

QUERIES = r"""
-- name: brute force
PATTERN SEQ(ANY{4,} f[], ANY s)
WHERE   skip_till_next_match {
            regexp_like(f[i].line, 'Failed password')
            AND regexp_extract(f[i].line, 'from (\S+)', 1) = regexp_extract(f[i-1].line, 'from (\S+)', 1)
            AND regexp_like(s.line, 'Accepted password')
            AND regexp_extract(s.line, 'from (\S+)', 1) = regexp_extract(f[1].line, 'from (\S+)', 1) }
WITHIN  60
RETURN  regexp_extract(s.line, 'for (\S+)', 1) AS name, regexp_extract(s.line, 'from (\S+)', 1) AS address,
        f.len AS failures
EMIT    LONGEST;

-- name: spraying
PATTERN ANY{3,} f[]
WHERE   skip_till_next_match {
            regexp_like(f[i].line, 'Failed password')
            AND regexp_extract(f[i].line, 'from (\S+)', 1) = regexp_extract(f[i-1].line, 'from (\S+)', 1)
            AND count(DISTINCT regexp_extract(f.line, 'for (\S+)', 1)) >= 3 }
WITHIN  60
RETURN  regexp_extract(f[1].line, 'from (\S+)', 1) AS address, f.len AS failures
EMIT    NON OVERLAPPING;
"""

LINES = """\
1 sshd[41]: Failed password for root from 203.0.113.9 port 4022 ssh2
2 sshd[42]: Accepted password for ann from 192.0.2.17 port 5113 ssh2
3 sshd[43]: Failed password for root from 203.0.113.9 port 4023 ssh2
5 sshd[44]: Failed password for root from 203.0.113.9 port 4024 ssh2
6 sshd[45]: Failed password for ann from 198.51.100.3 port 6001 ssh2
7 sshd[46]: Failed password for root from 203.0.113.9 port 4025 ssh2
8 sshd[47]: Failed password for bob from 198.51.100.3 port 6002 ssh2
9 sshd[48]: Accepted password for root from 203.0.113.9 port 4026 ssh2
12 sshd[49]: Failed password for eve from 198.51.100.3 port 6003 ssh2
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        queries = Path(folder) / "logins.sase"
        queries.write_text(QUERIES)
        watching = subprocess.Popen(
            [sys.executable, "-m", "cepheid", "run", str(queries), "--events", "-", "--time", "time"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert watching.stdin is not None and watching.stdout is not None
        for line in LINES.splitlines():  # the log is being written
            time, _, text = line.partition(" ")
            watching.stdin.write(json.dumps({"time": int(time), "line": text}) + "\n")
            watching.stdin.flush()
        for _ in range(2):  # told while the log is still open
            found = json.loads(watching.stdout.readline())
            about = {
                name: value for name, value in found.items() if name not in ("query", "match_id") and value
            }
            print(found["query"], "–", ", ".join(f"{name}: {value}" for name, value in about.items()))
        watching.stdin.close()
        assert watching.wait() == 0


if __name__ == "__main__":
    main()
