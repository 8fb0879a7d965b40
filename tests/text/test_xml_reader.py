"""Reading XML files from untrusted authors: project files, POMs and resources."""

import pytest

from deeprepo.impact.text.xml_reader import DEEPEST, MOST_ELEMENTS, elements

BOMB = b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
LINK = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'


@pytest.mark.parametrize("source", [BOMB, LINK, b"", b"\x00", b"no markup"])
def test_entities_are_never_expanded(source: bytes) -> None:
    """A file with a document type declaration yields no elements."""
    assert elements(source) == ()


def test_elements_before_an_error_or_limit_are_returned() -> None:
    """If a file is nested too deeply, too long or malformed, the elements up to there are returned."""
    assert [one.name for one in elements(b"<a><b/><c")] == ["a", "b"]
    assert len(elements(b"<a>" * 1_000)) == DEEPEST
    assert len(elements(b"<a>" + b"<b/>" * (MOST_ELEMENTS + 5))) == MOST_ELEMENTS
