import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import Repository
from families import few
from recorded import BEFORE, Ended, deeprepo
from reported import reported

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

FOUND = reported("shop/rates.py", "    return weight", 2, "The service is not used")

EMPTY = '{"version": "2.1.0", "runs": []}'


def run(*arguments: str, cwd: Path, command: str = "review", **env: str) -> Ended:
    """Run the command without any key."""
    return deeprepo(command, *arguments, cwd=cwd, **{"HOME": str(cwd.parent), **env})


@pytest.fixture
def doubtful() -> Iterator[Server]:
    """Serve a model that reports a finding and then cannot confirm it."""

    def reply(body: object) -> doubles.Reply:
        if "The claim, about" in str(body):
            return doubles.Reply(
                data={"verdict": "unproven", "trigger": "", "author_would_change": False, "reason": "r"}
            )
        return doubles.Reply(data={"answer": "", "findings": [FOUND]})

    with doubles.in_thread(Server(reply)) as running:
        yield running


def test_output_of_one_review_is_the_input_of_the_next(changed: Repository) -> None:
    """Open findings are not repeated but still fail --fail-on; fixed ones are listed as fixed."""
    state = str(changed.folder.parent / "state.json")
    assert run("--format", "json", "--output", state, "--previous", state, cwd=changed.folder).returncode == 0
    again = run("--format", "json", "--previous", state, "--fail-on", "high", cwd=changed.folder)
    second = json.loads(again.stdout)
    assert again.returncode == 1
    assert [f["status"] for f in second["findings"]] == ["still"]
    told = run("--format", "json", "--output", f"{state}.md", "--previous", state, cwd=changed.folder)
    assert "0 new findings, 1 still open; wrote the review to" in told.stderr
    Path(state).write_text(again.stdout)
    changed.commit({"shop/labels.py": str(BEFORE["shop/labels.py"]).replace("express=True", "service='express'")})
    last = run("--format", "json", "--previous", state, "--fail-on", "high", cwd=changed.folder)
    third = json.loads(last.stdout)
    assert last.returncode == 0
    assert ([f["status"] for f in third["findings"]], third["round"]["number"]) == (["fixed"], 3)


@pytest.mark.parametrize(
    "option",
    few(["--previous", "--journal", "--sarif", "--sarif-base", "DEEPREPO_JOURNAL"], 0, 3),
)
@pytest.mark.parametrize("name", ["state.json", "link.json", "out.json"])
def test_previous_file_in_the_reviewed_tree_is_refused(changed: Repository, option: str, name: str) -> None:
    """Files in the reviewed tree are refused, since the change's author could hide findings with them."""
    made = dict.fromkeys(("state.json", "link.json"), EMPTY)
    outside = changed.folder.parent / "outside.json"
    outside.write_text(EMPTY)
    (changed.folder / "out.json").symlink_to(outside)
    changed.commit(made, "made at home")
    if name == "link.json":
        (changed.folder.parent / "mine.json").symlink_to(changed.folder / name)
        name = "../mine.json"
    elif not (changed.folder / name).exists():
        (changed.folder / name).write_text(EMPTY)
    more = ("--sarif", str(outside)) if option == "--sarif-base" else ()
    given = () if option.startswith("DEEPREPO") else (option, name)
    env = {} if given else {option: name}
    done = run("main..feature", *given, *more, cwd=changed.folder, **env)
    assert (done.returncode, f"{option}: " in done.stderr) == (2, True), done.stderr
    assert "is part of the reviewed commit" in done.stderr
    if option == "--sarif":
        assert run("main..feature", option, str(outside), cwd=changed.folder).returncode != 2
