import json

from hypothesis import given
from hypothesis import strategies as st

from deeprepo.impact.text.paths import name_of, raw_name

BYTES = st.one_of(
    st.binary(), st.lists(st.sampled_from([b"\\", b"\\x", b"e9", b"\xe9", b"5c", "é".encode(), b"c"])).map(b"".join)
)


@given(BYTES, BYTES)
def test_two_paths_never_have_the_same_text(one: bytes, other: bytes) -> None:
    """Each path's bytes have their own text, which is valid Unicode and can be converted back."""
    assert (name_of(one) == name_of(other)) == (one == other)
    assert json.loads(json.dumps(name_of(one)).encode()) == name_of(one)
    assert raw_name(name_of(one)) == one


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\")))
def test_utf8_path_is_its_own_text(path: str) -> None:
    """A UTF-8 path is its own text, because GitHub must recognize the paths of comments."""
    assert name_of(path.encode()) == path
