"""What each byte may be in XML."""

import numpy as np

from cepheid.matchers.twig.scan import layout as at


def byte_classes() -> np.ndarray:
    """The classes of all bytes. Those of other than ASCII characters may stand in names; they are looked at
    again, as characters."""
    classes = np.zeros(256, np.uint8)
    for byte in range(256):
        letter = chr(byte)
        if letter in " \t\r\n":
            classes[byte] |= at.SPACE
        if byte >= 128 or letter.isalpha() or letter in "_:":
            classes[byte] |= at.NAME | at.NAME_START
        if letter in "0123456789-.":
            classes[byte] |= at.NAME
        if byte < 128 and (byte >= 32 or letter in "\t\n") and letter not in "<&]":
            classes[byte] |= at.PLAIN
    return classes


CLASSES = byte_classes()
