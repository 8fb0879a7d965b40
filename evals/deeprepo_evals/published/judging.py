"""The judge of a published benchmark, and what its answers come to for each pull request."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.findings.read import strict, text
from deeprepo.rlm.values import Message, Prompt, Schema
from deeprepo_evals.published.sets import MARTIAN, Benchmark, Comment, Pull
from deeprepo_evals.published.tally import Tally
from deeprepo_evals.results import Item
from deeprepo_evals.reviews.outcome import MeasuredFinding, MeasuredReview

EXPERIMENT = "published judgements"
ANSWER_TOKENS = 1_024
NEAR = 1  # lines between two places that AACR-Bench still takes for one
ANSWER = Schema(
    name="match_result",
    description="Hand in the answer to the question.",
    parameters=strict(
        reasoning=text("a brief explanation"),
        match={"type": "boolean", "description": "whether both are the same: yes or no"},
        confidence={"type": "number", "description": "0.0 to 1.0"},
    ),
)
Answers = Mapping[tuple[str, str], Mapping[str, Any]]  # known comment and candidate -> what the judge answered


def prompt(benchmark: Benchmark, item: Item) -> Prompt:
    """The benchmark's own question about two comments."""
    asked = Message("user", benchmark.ask(item["known"], item["candidate"]))
    system = (Message("system", benchmark.system),) if benchmark.system else ()
    return Prompt((*system, asked), answer=ANSWER, max_tokens=ANSWER_TOKENS)


def items(benchmark: Benchmark, rows: Sequence[MeasuredReview], judge: str) -> list[Item]:
    """Every pair that the judge has to be asked about, each once."""
    pulls = {pull.id: pull for pull in benchmark.pulls}
    pairs = [
        (known.text, said.text)
        for row in rows
        for said in posted(row)
        for known in (*pulls[row.case.id].known, *pulls[row.case.id].rejected)
        if is_at(said, known)
    ]
    return [
        {"set": benchmark.name, "judge": judge, "known": known, "candidate": candidate}
        for known, candidate in dict.fromkeys(pairs)
    ]


def posted(row: MeasuredReview) -> list[MeasuredFinding]:
    """The comments of a review: what it shows in full."""
    return [said for said in row.outcome.findings if said.aloud]


def tally(benchmark: Benchmark, pull: Pull, row: MeasuredReview, answers: Answers) -> Tally:
    """Count a pull request as the benchmark does."""
    said = posted(row)
    if benchmark.name == MARTIAN:
        return _by_golden(pull, [one.text for one in said], answers)
    right = len(found(said, pull.known, answers))
    return Tally(len(said), right, len(said) - right, right, len(pull.known))


def found(said: Sequence[MeasuredFinding], known: Sequence[Comment], answers: Answers) -> dict[int, int]:
    """Position of a known comment -> that of the comment that says it: one to one, in the order of the comments."""
    pairs: dict[int, int] = {}
    for number, one in enumerate(said):
        here = (at for at, comment in enumerate(known) if at not in pairs and is_at(one, comment))
        at = next((at for at in here if answers.get((known[at].text, one.text), {}).get("match")), None)
        if at is not None:
            pairs[at] = number
    return pairs


def _by_golden(pull: Pull, candidates: Sequence[str], answers: Answers) -> Tally:
    """Every golden comment takes the candidate in which the judge trusts most; a candidate that was taken once is right."""
    right, taken = 0, set[str]()
    for known in pull.known:
        best = 0.0
        for candidate in candidates:
            answer = answers.get((known.text, candidate), {})
            if answer.get("match") and answer["confidence"] > best:
                best = answer["confidence"]
                taken.add(candidate)
        right += best > 0
    return Tally(len(candidates), right, len(set(candidates) - taken), right, len(pull.known))


def is_at(said: MeasuredFinding, known: Comment) -> bool:
    """Whether a comment is where the known one is, as far as the set says where that is."""
    if known.path and (said.path != known.path or known.side not in ("", "right")):
        return False
    if known.start is None or known.end is None or not said.start:
        return True
    start, end = said.start, max(said.start, said.end)
    if not (start > known.end or end < known.start):
        return True
    return min(abs(start - known.end), abs(end - known.start)) <= NEAR
