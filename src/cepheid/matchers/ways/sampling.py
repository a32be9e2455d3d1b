"""Matches drawn at random, each as likely as any other, without listing them."""

from bisect import bisect_right
from itertools import accumulate
from random import Random

import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.counting import counts, ways_to
from cepheid.matchers.ways.listing import to_bindings
from cepheid.matchers.ways.ways import Ways


def draw(ways: Ways, variables: int, number: int, random: Random) -> Bindings:
    """So many matches of all groups, with replacement."""
    totals = list(accumulate(counts(ways)))
    known: dict[int, Group] = {}
    drawn = []
    for _ in range(number):
        group = bisect_right(totals, random.randrange(totals[-1]))
        if group not in known:
            known[group] = Group(ways, group)
        drawn.append(known[group].draw(random))
    lengths = np.zeros((variables, number), np.int64)
    sums = np.zeros((number, 2), np.uint64)
    for m, way in enumerate(drawn):
        np.add.at(lengths[:, m], ways.rows[way, at.POSITION], 1)
        sums[m] = ways.rows[way, at.IDENTITY : at.IDENTITY + 2].view(np.uint64).sum(axis=0, dtype=np.uint64)
    events = ways.rows[np.concatenate(drawn), at.ROW] if drawn else np.zeros(0, np.int64)
    return to_bindings(events, lengths, sums.view(np.int64))


class Group:
    """One group of matches: how many ways lead to each row, and to all of the chain from it on."""

    def __init__(self, ways: Ways, number: int) -> None:
        self.begin, end = ways.groups[number : number + 2].tolist()
        rows = ways.rows[self.begin : end]
        self.to = ways_to(rows, self.begin)
        self.roots = np.flatnonzero(rows[:, at.ROOT]).tolist()
        self.previous, self.sibling = (
            np.where(rows[:, link] == at.NONE, at.NONE, rows[:, link] - self.begin).tolist()
            for link in (at.PREVIOUS, at.SIBLING)
        )
        self.chain: list[int] = []
        for ways_here, older in zip(self.to, self.sibling, strict=True):
            self.chain.append(ways_here + (self.chain[older] if older != at.NONE else 0))

    def draw(self, random: Random) -> np.ndarray:
        """A way from a root back to its first event, each as likely as any other."""
        chosen = random.randrange(sum(self.to[root] for root in self.roots))
        node = next(root for root in self.roots if (chosen := chosen - self.to[root]) < 0)
        way = [node]
        while self.previous[node] != at.NONE:
            node = self.previous[node]
            chosen = random.randrange(self.chain[node])
            while chosen >= self.to[node]:
                chosen -= self.to[node]
                node = self.sibling[node]
            way.append(node)
        found: np.ndarray = self.begin + np.array(way[::-1], np.int64)
        return found
