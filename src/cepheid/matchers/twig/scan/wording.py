"""What is wrong with a document, in words."""

from collections.abc import Collection, Sequence
from html.entities import name2codepoint

from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.names import LONGEST_NAME

MISTAKES = {
    at.BAD_CHARACTER: "this character may not stand in XML",
    at.BAD_UTF8: "these bytes are not UTF-8; a document in another encoding says so in its first line",
    at.BAD_NAME: f"this is not a name, of at most {LONGEST_NAME:,} bytes",
    at.BAD_TAG: "this is not a whole tag",
    at.BAD_END_TAG: "this end tag is not of the element that is open",
    at.BAD_ATTRIBUTE: 'an attribute is name="value", with quotes',
    at.TWICE: "the element has this attribute already",
    at.LESS_THAN: "'<' may not stand in an attribute; write &lt;",
    at.BAD_REFERENCE: "this is not a reference: '&' alone is written &amp;",
    at.CDATA_END: "']]>' may not stand in text; write ]]&gt;",
    at.BAD_COMMENT: "'--' may not stand in a comment",
    at.BAD_MARKUP: "no tag begins like this; '<' alone is written &lt;",
    at.OUTSIDE: "text may not stand outside of the root element",
    at.SECOND_ROOT: "the document has a second root element",
    at.BAD_INSTRUCTION: "this is not a processing instruction",
    at.LATE_DOCTYPE: "the document type comes after the first element",
    at.BAD_COLON: "a colon stands between a prefix and a name, and nowhere else",
    at.NO_SUCH_PREFIX: 'the prefix of this name is not declared here: xmlns:prefix="…" would',
    at.TWICE_MEANT: "the element has this attribute already, by another prefix for the same namespace",
    at.BAD_DECLARATION: "the prefixes xml and xmlns and their namespaces cannot be declared otherwise",
    at.UNBINDING: "a prefix cannot be bound to no namespace",
}

NO_XML = ": an XML document begins with '<'"
"""What is added where text comes first."""


def ends_too_early(opened: Sequence[str], has_root: bool) -> str:
    """What is said of a document that is not whole: the elements that are open, the outermost first."""
    what = "the document ends too early"
    if opened:
        return f"{what}: <{opened[-1][:100]}> is open"
    return what if has_root else f"{what}: it has no element"


def unknown_entity(name: str, declared: Collection[str]) -> str:
    """What is said of `&name;`."""
    if name.startswith("#"):
        return f"'&{name};' is no character that XML allows"
    way = 'entities="html" has its text' if name in name2codepoint else "give its text in entities="
    if name in declared:
        return f"the document declares the entity '&{name};', which is not read: {way}"
    return f"the entity '&{name};' is not known: {way}"
