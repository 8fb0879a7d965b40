from dataclasses import replace

from deeprepo_evals.train import Facts, score, tasks
from deeprepo_evals.train.tasks import SIZES

PERFECT = Facts(
    units=40, read=40, labels=5, findings=5, matched=5, proven=5, turns=6, most_turns=12, answered=True, delegated=9,
    worker_tokens=20_000, par_tokens=30_000,
)  # fmt: skip


def reward(**changed: float) -> float:
    return round(score(replace(PERFECT, **changed)).reward, 3)  # type: ignore[arg-type]


def test_full_coverage_and_every_defect_earns_one() -> None:
    """Full coverage, every defect with its proof, no waste and an answer earn 1.0."""
    assert reward() == 1.0


def test_each_false_finding_lowers_the_reward() -> None:
    """Precision falls with each false finding, both for findings and for evidence."""
    assert reward() > reward(findings=6) > reward(findings=10) > reward(findings=100)
    assert reward(findings=1000, read=0) < 0.02


def test_empty_review_of_clean_code_earns_the_share_read() -> None:
    """On clean code, an empty review earns the share of code read, and a false finding costs most of it."""
    clean = {"labels": 0, "findings": 0, "matched": 0, "proven": 0}
    assert (reward(**clean), reward(**clean, read=0), reward(**clean, read=20)) == (1.0, 0.0, 0.5)
    assert reward(**{**clean, "findings": 1}) == 0.35


def test_tasks_are_reproducible_and_splits_share_no_seed() -> None:
    """Equal arguments give equal tasks, and the splits share no seed."""
    made = list(tasks("train", 40))
    assert made == list(tasks("train", 40))
    assert not {task.seed for task in made} & {task.seed for task in tasks("eval", 1_000)}
    assert [task.files for task in made[:6]] == list(SIZES)
    assert {task.scope for task in made} == {"whole", "change"}
