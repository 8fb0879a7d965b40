"""The worker without a model says what its prompt shows, and nothing that it merely names."""

import json

from bot.context import file_questions
from bot.findings import read
from bot.values import Message, Prompt, Schema
from deeprepo_evals import plant
from deeprepo_evals.plant.reader import Reader

CODE = plant.codebase(2, 60, kinds=["wrong-default", "swapped-arguments", "forgotten-caller"])
CROSS = next(label for label in CODE.labels if label.scope == "cross-file")
OTHER = CROSS.proof[0].path


def said(text: str, answer: Schema | None = None) -> object:
    """What it answers."""
    reply = Reader(CODE)(Prompt((Message("user", text),), answer=answer))
    return reply.data if answer else json.loads(reply.text)


def both() -> str:
    """The planted file and the file that proves it."""
    return f"--- {CROSS.path} ---\n{CODE.files[CROSS.path]}\n--- {OTHER} ---\n{CODE.files[OTHER]}"


def test_paths_alone_show_nothing() -> None:
    """A prompt that lists every path gets no finding."""
    assert said("\n".join(CODE.files)) == []


def test_a_planted_line_without_its_proof_shows_nothing() -> None:
    """Half of the evidence counts as no evidence."""
    assert CROSS.text not in [found["quote"] for found in said(CODE.files[CROSS.path])]  # type: ignore[union-attr]


def test_both_files_show_the_defect_with_its_evidence() -> None:
    """The finding fits `report()` and quotes the proof."""
    found = [one for one in said(both()) if one["quote"] == CROSS.text]  # type: ignore[union-attr]
    assert [[CROSS.proof[0].path, CROSS.proof[0].text]] == found[0]["evidence"]
    assert CROSS.line == found[0]["start"]


def test_lines_of_a_numbered_diff_are_lines() -> None:
    """Signs and numbers before the code do not hide it."""
    rows = "\n".join(f"+{n} {row}" for n, row in enumerate(both().split("\n"), 1))
    assert CROSS.text in [found["quote"] for found in said(rows)]  # type: ignore[union-attr]


def test_a_structured_answer_fits_its_schema() -> None:
    """A review, as the engine reads it."""
    text, findings = read.answer(said(both(), read.schema()), "worker")  # type: ignore[arg-type]
    assert "found" in text
    assert CROSS.path in [finding.path for finding in findings]


def test_a_look_says_whether_it_found_what_was_asked_for() -> None:
    """With quotes, or with a plain no."""
    assert said(both(), file_questions.schema())["found"]  # type: ignore[index]
    assert not said("nothing here", file_questions.schema())["found"]  # type: ignore[index]


def test_a_second_opinion_confirms_what_it_can_see() -> None:
    """And leaves open the rest."""
    verdict = Schema("verdict", "", {})
    assert said(both(), verdict)["verdict"] == "confirmed"  # type: ignore[index]
    assert said("a claim without code", verdict)["verdict"] == "unproven"  # type: ignore[index]


def test_it_remembers_what_it_was_shown() -> None:
    """What was delivered can be told from what was found."""
    reader = Reader(CODE)
    reader(Prompt((Message("user", both()),)))
    assert CROSS in [CODE.labels[number] for number in reader.shown]
