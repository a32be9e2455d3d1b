"""What one would write by hand for profiles that are equalities: a binary search an event, and the hits."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel


@kernel
def find_by_hand(constants, owners, values, hits):
    """Write the event and the profile of each hit; `constants` are in order. How many there are."""
    n = 0
    for e in range(values.size):
        low, high = 0, constants.size
        while low < high:
            middle = (low + high) >> 1
            if constants[middle] < values[e]:
                low = middle + 1
            else:
                high = middle
        while low < constants.size and constants[low] == values[e]:
            hits[0, n], hits[1, n] = e, owners[low]
            n += 1
            low += 1
    return n
