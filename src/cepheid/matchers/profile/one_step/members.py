"""What kernels read of profiles, of their references and of the primitives of these. `jit` says what the
letters mean; `ref` is a reference, which is a part of a profile."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined
from cepheid.matchers.profile.one_step import layout as at


@inlined
def template_of(m, profile):
    """The template of a profile."""
    return np.int64(m.profiles[profile, at.TEMPLATE])


@inlined
def first_part_of(m, profile):
    """The reference that is the first part of a profile; the others follow."""
    return np.int64(m.profiles[profile, at.FIRST_REFERENCE])


@inlined
def is_alive(m, profile):
    """Whether a profile takes part."""
    return m.profiles[profile, at.STANDING] == at.ALIVE


@inlined
def profile_of(m, ref):
    """The profile of a reference."""
    return np.int64(m.references[ref, at.OWNER])


@inlined
def primitive_of(m, ref):
    """The primitive that a reference waits for."""
    return np.int64(m.references[ref, at.PRIMITIVE])


@inlined
def first_of(m, primitive):
    """The first reference that is attached to a primitive."""
    return np.int64(m.primitives[primitive, at.FIRST])


@inlined
def next_of(m, ref):
    """The next one that is attached to the same primitive."""
    return np.int64(m.references[ref, at.FOLLOWING])
