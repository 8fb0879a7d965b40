"""Members of what a call returns."""

import pytest
from dependents_scene import find
from fakes import Repository

REPLY = "package a;\npublic class Reply {{\n{0}  public static Reply open() {{ return new Reply(); }}\n}}\n"
SENDER = "package a;\nimport org.lib.Http;\npublic class Sender {{\n  int send(Http http) {{ return {0}.getStatusNumber(); }}\n}}\n"
MEMBER = "  public int getStatusNumber() { return 1; }\n"


@pytest.mark.parametrize(
    ("receiver", "is_proven"),
    [("Reply.open()", True), ("http.getStatusLine()", False), ('http.send(close(1), "(")', False)],
)
def test_a_member_of_what_a_library_returns_is_the_library_s(
    repository: Repository, receiver: str, *, is_proven: bool
) -> None:
    """Whatever else bears the name: a function that the tree does not define may return anything."""
    sender = SENDER.format(receiver)
    files: dict[str, str | bytes | None] = {"src/a/Reply.java": REPLY.format(MEMBER), "src/a/Sender.java": sender}
    found = find(repository.change(files, {"src/a/Reply.java": REPLY.format("")}))
    rows = [row for row in found.references if row.name == "getStatusNumber" and row.path == "src/a/Sender.java"]
    assert [(row.missing, row.likely) for row in rows] == [(is_proven, False)]
