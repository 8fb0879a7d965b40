"""The worker without a model says what its prompt shows, and nothing that it merely names."""

import json

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


def test_a_second_opinion_confirms_what_it_can_see() -> None:
    """And leaves open the rest."""
    verdict = Schema("verdict", "", {})
    assert said(both(), verdict)["verdict"] == "confirmed"  # type: ignore[index]
    assert said("a claim without code", verdict)["verdict"] == "unproven"  # type: ignore[index]
