"""The second push: what the summary comment of the first round saves, and when it is not believed."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import opening
import pushes
import pytest
from families import few
from opening import event
from stepping import Stage, stage

from bot.outputs import marker
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

MODEL = {"worker": "openai/gpt-5-mini", "strategy": "fanout", "openai_api_key": "sk-pretended-and-long-enough"}


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPREPO_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def modelled(folder: Path) -> AsyncIterator[tuple[Stage, Server]]:
    """A stage, and a model that reports what it knows."""
    async with doubles.openai_server(pushes.judge) as model, stage(folder, dict(pushes.BASE)) as at:  # type: ignore[arg-type]
        yield at, model


def test_the_second_push_is_read_in_its_difference(tmp_path: Path) -> None:
    """Fixed is fixed, what is still open is not said again, and what nobody touched is not read again; no key is seen."""

    async def go() -> None:
        async with modelled(tmp_path) as (at, model):
            await at.repo.commit("feature", dict(pushes.FIRST))  # type: ignore[arg-type]
            with at.gh.holding() as held:
                await at.repo.open_pull("feature")
            one = await at.run("pull_request", event(held), base_url=model.openai_url, **MODEL)
            asked = len(model.requests)
            with at.gh.holding() as held:
                await at.repo.push("feature", {"shop/rates.py": str(pushes.SECOND["shop/rates.py"])})
            two = await at.run("pull_request", event(held), base_url=model.openai_url, **MODEL)

            assert (one.outputs["new"], one.outputs["round"], one.outputs["coverage"]) == ("2", "1", "100")
            assert (two.outputs["new"], two.outputs["findings"], two.outputs["round"]) == ("0", "1", "2")
            assert "1 finding is fixed" in two.log
            later = str([body["messages"] for body in model.requests[asked:]])
            assert "return 0" in later
            assert "parcel.weight" not in later
            (fixed,) = [c for c in at.gh.pull(1).review_comments if c.hide_reason == "resolved"]
            assert "negative" in fixed.body
            assert MODEL["openai_api_key"] not in f"{one}{two}{at.gh.pull(1)}"

    asyncio.run(go())


@pytest.mark.parametrize("forged", few(["x", "<!-- deeprepo-state:AAAA -->", "<!-- deeprepo-state:9 -->"], 1))
def test_a_summary_without_a_state_costs_one_more_reading(tmp_path: Path, forged: str) -> None:
    """What cannot be read is no earlier review: everything is read again, and the reader learns why."""

    async def go() -> None:
        async with stage(tmp_path, dict(pushes.BASE)) as at:  # type: ignore[arg-type]
            await at.repo.commit("feature", dict(pushes.FIRST))  # type: ignore[arg-type]
            with at.gh.holding() as held:
                number = await at.repo.open_pull("feature")
            await at.repo.comment(number, f"{marker.make('summary')}\n{forged}\n## hello", author="github-actions[bot]")
            told = await at.told("pull_request", event(held))

            assert told.review is not None
            assert told.review.round.number == 1
            assert any("everything was read again" in note for note in told.review.notes)

    asyncio.run(go())


@pytest.mark.slow
def test_an_offline_round_knows_what_it_has_said(tmp_path: Path) -> None:
    """What was said is not new, and what nobody touched is not read again."""

    async def go() -> None:
        async with stage(tmp_path, dict(pushes.BASE)) as at:  # type: ignore[arg-type]
            await at.repo.commit("feature", {"shop/rates.py": "def apply(rate):\n    return rate\n"})
            with at.gh.holding() as held:
                await at.repo.open_pull("feature")
            await at.told("pull_request", event(held))
            with at.gh.holding() as held:
                await at.repo.push("feature", {"NEWS.md": "one\n"})
            review = (await at.told("pull_request", event(held))).review

            assert review is not None
            assert (review.round.number, len(review.reported), len(review.still)) == (2, 0, 1)
            assert review.coverage.count("unit", "reused") > 0

    asyncio.run(go())


@pytest.mark.slow
def test_a_file_of_the_last_review_comes_before_the_comment(tmp_path: Path) -> None:
    """`previous` and `json`: an artifact or a cache does as well as the comment."""

    async def go() -> None:
        async with stage(tmp_path, dict(pushes.BASE)) as at:  # type: ignore[arg-type]
            await at.repo.commit("feature", {"shop/rates.py": "def apply(rate):\n    return rate\n"})
            with at.gh.holding() as held:
                await at.repo.open_pull("feature")
            rounds: list[Any] = []
            for _ in range(2):
                told = await at.told("pull_request", event(held), previous="last.json", json_file="last.json")
                rounds.append(told.review.round.number if told.review else 0)
            assert rounds == [1, 2]

    asyncio.run(go())


def test_a_file_of_the_reviewed_tree_is_no_earlier_review(tmp_path: Path) -> None:
    """Its author could say that everything was read and nothing found."""

    async def go() -> None:
        async with stage(tmp_path, dict(pushes.BASE)) as at:  # type: ignore[arg-type]
            await at.repo.commit("feature", {**pushes.FIRST, "review.json": "{}"})
            with at.gh.holding() as held:
                await at.repo.open_pull("feature")
            (at.workspace / "review.json").write_text("{}")
            (at.workspace / ".git").mkdir()
            done = await at.run("pull_request", event(held), previous="review.json")
            assert (done.code, "review.json is a file of the reviewed tree" in done.log) == (2, True), done.log

    asyncio.run(go())


@pytest.mark.slow
def test_with_an_apps_token_the_review_stands_under_its_name(tmp_path: Path) -> None:
    """Whose token it is is asked of GitHub, so that the comments of the last round are known again."""

    async def go() -> None:
        async with stage(tmp_path, dict(pushes.BASE)) as at:  # type: ignore[arg-type]
            await at.repo.commit("feature", {"shop/rates.py": "def apply(rate):\n    return rate\n"})
            with at.gh.holding() as held:
                await at.repo.open_pull("feature")
            for _ in range(2):
                await at.told("pull_request", event(held), github_token=at.gh.token())
            assert [one.user.login for one in at.gh.pull(1).comments] == [at.gh.login]
            assert "round 2" in at.gh.pull(1).comments[0].body

    asyncio.run(go())


@pytest.mark.slow
def test_the_second_round_uploads_everything_that_is_open(tmp_path: Path) -> None:
    """Code scanning closes an alert that an upload lacks: both rounds hold the same one, the round after the repair none."""

    async def go() -> None:
        async with stage(tmp_path, opening.BASE) as at:
            _, body = await opening.opened(at)
            uploads = [await uploaded(at, body)]
            for files in (
                {"NEWS.md": "one\n"},
                {"shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items)\n"},
            ):
                with at.gh.holding() as held:
                    await at.repo.push("feature", files)
                uploads.append(await uploaded(at, event(held)))

            assert uploads[0] == uploads[1] != []
            assert uploads[2] == []
            assert uploads[0][0][0] == "contracts/arity"

    async def uploaded(at: Stage, body: dict[str, Any]) -> list[tuple[str, str, str]]:
        ran = await at.run("pull_request", body, strategy="offline", sarif="out.sarif")
        (run,) = _json(ran.outputs["sarif"])["runs"]
        return [
            (
                r["ruleId"],
                r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                r["partialFingerprints"]["primaryLocationLineHash"],
            )
            for r in run["results"]
        ]

    asyncio.run(go())


def _json(path: str) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads(Path(path).read_text())


def test_pushes_are_counted_in_the_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workflow has no other memory: after `pause_after` pushes the next one is not reviewed, and the step says how to go on."""
    monkeypatch.setenv("OPENAI_API_KEY", MODEL["openai_api_key"])

    async def go() -> None:
        files = {**pushes.BASE, ".deeprepo.yml": "pause_after: 1\n"}
        async with stage(tmp_path, files) as at:  # type: ignore[arg-type]
            await at.repo.commit("feature", dict(pushes.FIRST))  # type: ignore[arg-type]
            said = []
            for n in range(3):
                with at.gh.holding() as held:
                    await (at.repo.push("feature", {f"n{n}.md": "one\n"}) if n else at.repo.open_pull("feature"))
                said.append(await at.told("pull_request", event(held)))

            assert [one.review is not None for one in said] == [True, True, False]
            assert "pause after 1 push (`pause_after`); `/deeprepo review` in a comment starts one" in said[2].says

    asyncio.run(go())


@pytest.mark.slow
def test_a_check_that_is_undecided_three_times_tells_how_to_word_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count is in the state of the summary comment: the third run says what the question lacks."""
    settings = "checks:\n- {name: typed, ask: Each new function has type hints., paths: [shop/**]}\n"

    def unsure(_: Mapping[str, Any]) -> doubles.Reply:
        rows = [{"check": 1, "verdict": "undecided", "reason": "Nobody tells who calls it.", "quotes": []}]
        return doubles.Reply(data={"answer": "Read.", "findings": [], "checks": rows})

    async def go() -> None:
        async with doubles.openai_server(unsure) as model, stage(tmp_path, {"shop/a.py": "A = 0\n"}) as at:
            monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
            monkeypatch.setenv("OPENAI_API_KEY", MODEL["openai_api_key"])
            await at.repo.commit("main", {".deeprepo.yml": settings})
            said = []
            for number in (1, 2, 3):
                with at.gh.holding() as held:
                    files = {"shop/a.py": f"A = {number}\n"}
                    await (at.repo.push("feature", files) if number > 1 else at.repo.commit("feature", files))
                    if number == 1:
                        await at.repo.open_pull("feature")
                await at.told("pull_request", event(held), worker="openai/gpt-5-mini", strategy="fanout")
                said.append("Undecided 3 times: reword its" in opening.summary(at.gh, 1))
            assert said == [False, False, True]

    asyncio.run(go())
