"""A picture as PNG, drawn by vl-convert from its SVG."""

from __future__ import annotations

from cepheid.errors import MissingExtraError


def png_of(svg: str, scale: float = 2.0) -> bytes:
    """The bytes of a PNG file; the SVG is in plain colours and says its size."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("a picture as PNG", "plot") from None
    drawn: bytes = vl_convert.svg_to_png(svg, scale=scale)
    return drawn
