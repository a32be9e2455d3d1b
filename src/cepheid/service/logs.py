"""Logs as one JSON object a line, on standard error. Requests' headers and bodies are never logged."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from cepheid.runners.stream.compiling import announce_compiling


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": moment, "level": record.levelname.lower(), "logger": record.name}
        line["message"] = record.getMessage()
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def set_up(level: str) -> None:
    """Log from this level on; also that kernels are compiled, which would else be said in bare words."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(JsonLines())
    for name in ("cepheid.service", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], False
        logger.setLevel(level.upper() if name == "cepheid.service" else logging.WARNING)
    logging.getLogger("cepheid.service").addHandler(stream)
    logging.getLogger("uvicorn").addHandler(stream)
    logging.getLogger("uvicorn.error").propagate = True
    log = logging.getLogger("cepheid.service")
    announce_compiling(lambda line: log.info(line.removeprefix("cepheid: ")))
