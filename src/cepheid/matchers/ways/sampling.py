"""Matches drawn at random, each as likely as any other, without listing them."""

from collections.abc import Sequence
from random import Random

import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.counting import ways_to
from cepheid.matchers.ways.listing import to_bindings
from cepheid.matchers.ways.shared import SharedWays


def draw(ways: SharedWays, variables: int, groups: Sequence[int], random: Random) -> Bindings:
    """A match of each of these groups, with replacement."""
    walks = Walks(ways)
    drawn = [walks.draw(group, random) for group in groups]
    lengths = np.zeros((variables, len(drawn)), np.int64)
    sums = np.zeros((len(drawn), 2), np.uint64)
    for m, way in enumerate(drawn):
        np.add.at(lengths[:, m], ways.rows[way, at.POSITION], 1)
        sums[m] = ways.rows[way, at.IDENTITY : at.IDENTITY + 2].view(np.uint64).sum(axis=0, dtype=np.uint64)
    events = ways.rows[np.concatenate(drawn), at.ROW] if drawn else np.zeros(0, np.int64)
    return to_bindings(events, lengths, sums.view(np.int64))


class Walks:
    """How many ways lead to each row, and to all of the chain from it on."""

    def __init__(self, ways: SharedWays) -> None:
        self.ways = ways
        self.to, self.chain = ways_to(ways.rows, 0)
        self.previous, self.sibling = (ways.rows[:, link].tolist() for link in (at.PREVIOUS, at.SIBLING))

    def draw(self, group: int, random: Random) -> np.ndarray:
        """A way from a root of a group back to its first event, each as likely as any other."""
        roots = self.ways.roots[self.ways.roots_of[group] : self.ways.roots_of[group + 1]].tolist()
        chosen = random.randrange(sum(self.to[root] for root in roots))
        node = next(root for root in roots if (chosen := chosen - self.to[root]) < 0)
        way = [node]
        while self.previous[node] != at.NONE:
            node = self.previous[node]
            chosen = random.randrange(self.chain[node])
            while chosen >= self.to[node]:
                chosen -= self.to[node]
                node = self.sibling[node]
            way.append(node)
        return np.array(way[::-1], np.int64)
