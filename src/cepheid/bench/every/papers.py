"""The five papers, each with the benchmark that repeats it."""

from cepheid.bench.aseq.claims import PAPER as ASEQ
from cepheid.bench.claims import Paper
from cepheid.bench.compas.judged import PAPER as COMPAS
from cepheid.bench.condensed.claims import PAPER as CONDENSED
from cepheid.bench.sase.claims import PAPER as SASE
from cepheid.bench.xml.claims import PAPER as XML

PAPERS: tuple[Paper, ...] = (SASE, ASEQ, CONDENSED, COMPAS, XML)
