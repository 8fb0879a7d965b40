"""The cases of this project: they repeat no code of others, and `deeprepo eval fetch` brings what they name."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from fakes import Repository
from reviewed import Folder, folder, told

from bot import cli
from deeprepo_evals import public
from deeprepo_evals.large import pieces
from deeprepo_evals.reviews import case_files
from deeprepo_evals.reviews.cases import LARGE, PAIRED, TWINS

CODE = {
    f"src/part{number}.py": "".join(f"def f{number}_{n}():\n    return {n}\n\n\n" for n in range(11))
    for number in range(14)
}


def test_every_public_case_is_read() -> None:
    """118 changes, 16 twins and 26 large ones, more than half of them two hops away."""
    found = case_files.read(public.CASES)
    assert len([case for case in found if case.kind not in PAIRED]) == 118
    assert len([case for case in found if case.kind == TWINS]) == 2 * 16
    large = [case for case in found if case.kind == LARGE and case.variant == "bad"]
    assert len(large) == 36
    assert sum(case.defects[0].scope == "two hops" for case in large) == 24
    assert all(case.traps and case.defects[0].evidence for case in large)


@pytest.mark.parametrize("name", pieces.names())
def test_a_piece_differs_in_its_user_alone(name: str) -> None:
    """It has one marked defect in what the change writes, and its proof in the bad user, which the good one does not repeat."""
    piece = pieces.read(name)
    producer, user = piece.part("producer"), piece.part("user")
    assert len(pieces.lines_with_mark(producer.other, "defect")) == 1
    assert pieces.lines_with_mark(user.text, "proof")
    assert not pieces.lines_with_mark(user.other, "proof")
    assert sum(bool(part.other) for part in piece.parts) == 2
    assert "<<" not in "\n".join(
        line for part in piece.parts for line in pieces.without_marks(part.text + "\n" + part.other)
    )


@pytest.fixture
def host(tmp_path: Path) -> tuple[Path, str]:
    """A folder with a clone whose newest commit is a large pull request; its name and commit."""
    clone = Repository(tmp_path / "clones" / "acme+shop")
    clone.commit({**CODE, "README.md": "shop\n"}, "first")
    changed = {path: text.replace("return", "yield") for path, text in CODE.items()}
    return tmp_path / "clones", clone.commit(changed, "Yield everything")


def test_a_pair_is_the_same_diff_in_two_trees(
    host: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real change with one small addition; only the user differs; an oracle with the diff alone scores 0."""
    repos, commit = host
    out = tmp_path / "out"
    command = [
        "eval",
        "large",
        "--repos",
        str(repos),
        "--out",
        str(out),
        "--pair",
        f"payload-key=acme/shop@{commit}",
        "-q",
    ]
    assert cli.run(command) == 0
    case = json.loads((out / "large" / "large-payload-key-shop.json").read_text())
    assert case["files_changed"] == 14
    assert [edit["path"] for edit in case["pr"]] == [case["defect"]["file"]]
    differing = [bad["path"] for bad, good in zip(case["bad"], case["good"], strict=True) if bad != good]
    assert differing == [case["evidence"][0]["file"]]
    capsys.readouterr()
    review = [
        "eval",
        "reviews",
        "--cases",
        str(out),
        "--repos",
        str(repos),
        "--oracle",
        "--baseline",
        "diff-only",
        "-q",
    ]
    code, text, err = told(capsys, [*review, "--format", "json"])
    assert code == 0, err
    net = {row["reviewer"]: row["value"] for row in json.loads(text)["figures"] if row["measure"] == "hits - reports"}
    assert net["diff-only"] == 0
    assert net["fanout"] == 1


@pytest.mark.slow
def test_a_root_follows_the_change_over_two_steps(
    host: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the tools of the REPL and no label; what it was shown in the good tree is no proof."""
    repos, commit = host
    out = tmp_path / "out"
    pair = f"page-size=acme/shop@{commit}"
    assert cli.run(["eval", "large", "--repos", str(repos), "--out", str(out), "--pair", pair, "-q"]) == 0
    capsys.readouterr()
    review = ["eval", "reviews", "--cases", str(out), "--repos", str(repos), "--oracle", "--strategy", "rlm", "-q"]
    code, text, err = told(capsys, [*review, "--format", "json"])
    assert code == 0, err
    net = {row["measure"]: row["value"] for row in json.loads(text)["figures"]}
    assert (net["hits on bad"], net["reports on good"], net["reports at a trap"]) == (1, 0, 0)


def test_the_same_seed_writes_the_same_pairs(host: tuple[Path, str], tmp_path: Path) -> None:
    """Chosen pull requests, names and lines."""
    texts = []
    for name in ("one", "two"):
        out = tmp_path / name
        pair = f"deadline-unit=acme/shop@{host[1]}"
        assert (
            cli.run(["eval", "large", "--repos", str(host[0]), "--out", str(out), "--pair", pair, "--seed", "3", "-q"])
            == 0
        )
        texts.append((out / "large" / "large-deadline-unit-shop.json").read_text())
    assert texts[0] == texts[1]


@pytest.fixture
def shop(tmp_path: Path) -> Folder:
    """Cases, whose repository is a host to fetch from."""
    return folder(tmp_path / "shop")


def test_the_commits_are_fetched_without_history_and_once(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cases are reviewed from what was fetched; a second run fetches nothing."""
    repos = tmp_path / "fetched"
    command = [
        "eval",
        "fetch",
        "--cases",
        str(shop.cases),
        "--repos",
        str(repos),
        "--host",
        f"file://{shop.repos}",
        "-q",
    ]
    assert told(capsys, [*command, "--dry-run"])[0] == 0
    assert not repos.exists()
    code, _, err = told(capsys, command)
    assert code == 0, err
    assert "acme/shop: 4 commits, unknown size" in err
    assert f"{repos} has the commits of all 1 repositories" in told(capsys, command)[2]
    shutil.move(shop.repos, tmp_path / "gone")
    review = ["eval", "reviews", "--cases", str(shop.cases), "--repos", str(repos), "--oracle", "--kind", "omit", "-q"]
    assert told(capsys, review)[0] == 0


def test_a_host_that_is_not_there_is_a_sentence(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 3, and no empty clone is left behind."""
    repos = tmp_path / "fetched"
    code, _, err = told(
        capsys,
        [
            "eval",
            "fetch",
            "--cases",
            str(shop.cases),
            "--repos",
            str(repos),
            "--host",
            f"file://{tmp_path}/nowhere",
            "-q",
        ],
    )
    assert code == 3
    assert "acme/shop could not be fetched" in err
    assert "0 of 1 repositories were fetched" in err
    assert not list(repos.iterdir())


def test_a_whole_history_is_fetched_on_demand(shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also into a clone that had single commits."""
    repos = tmp_path / "fetched"
    place = ["--repos", str(repos), "--host", f"file://{shop.repos}", "-q"]
    assert told(capsys, ["eval", "fetch", "--cases", str(shop.cases), *place])[0] == 0
    assert told(capsys, ["eval", "fetch", "--whole", "acme/shop", *place])[0] == 0
    command = ["git", "-C", str(repos / "acme+shop"), "rev-parse", "--is-shallow-repository"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "false"


def test_a_missing_clone_names_the_command_that_brings_it(
    shop: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2."""
    code, _, err = told(
        capsys, ["eval", "reviews", "--cases", str(shop.cases), "--repos", str(tmp_path / "no"), "--oracle", "-q"]
    )
    assert code == 2
    assert f"`deeprepo eval fetch --repos {tmp_path / 'no'}`" in err


def test_an_edit_may_quote_a_line_by_its_number(shop: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """With some of its columns replaced; a line that is not there is said."""
    path = shop.cases / "twins" / "twin-1.json"
    case = json.loads(path.read_text())
    case["pr"][0]["lines"] = [{"line": 2, "put": [[40, 41, "1 - 1"]]}]
    path.write_text(json.dumps(case))
    command = [
        "eval",
        "reviews",
        "--cases",
        str(shop.cases),
        "--repos",
        str(shop.repos),
        "--oracle",
        "--kind",
        "twins",
        "-q",
    ]
    code, _, err = told(capsys, command)
    assert code == 0, err
    assert "cannot be built" not in err
    case["pr"][0]["lines"] = [{"line": 99}]
    path.write_text(json.dumps(case))
    assert "shop/rates.py has no line 99 to quote" in told(capsys, command)[2]
