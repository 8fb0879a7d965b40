"""Reading XML files from untrusted authors: project files, POMs and resources."""

import pytest

from deeprepo.impact.text.xml_reader import DEEPEST, MOST_ELEMENTS, elements


def test_element_has_its_parents_attributes_and_text() -> None:
    """Elements have their parents, attributes and text, without namespace prefixes or comments."""
    rows = elements(b'\xef\xbb\xbf<p:a xmlns:p="x"><!-- <b c="1"/> -->\n<b c="2"> d <e/></b></p:a>')
    assert [(one.name, one.around, one.attributes.get("c")) for one in rows] == [
        ("a", (), None),
        ("b", ("a",), "2"),
        ("e", ("a", "b"), None),
    ]
    assert rows[1].text.strip() == "d"


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
