"""What a rollout is worth, from 0 to 1. Pure; every weight is here, docs/contributing/training.md says why.

Nothing that a root merely says counts: not a path that it names, not the words of its answer. A unit counts when its own text
is in a file that a worker's answer names or that stood whole in a free prompt, a finding when it is the one of a planted defect, and silence only as far as was read.
"""

from dataclasses import dataclass

from deeprepo_evals.train.facts import Facts

COVERAGE, FOUND, EVIDENCE = 0.35, 0.45, 0.20
FREE_TURNS = 8
TURNS_COST, TOKENS_COST, SILENT_COST = 0.2, 0.2, 0.2  # parts of what was earned
MOST_PARS = 3  # so many times the par is all the waste there is


@dataclass(frozen=True, slots=True)
class Score:
    """The parts, each from 0 to 1; those of waste are better when they are small."""

    coverage: float
    found: float  # recall and precision in one figure
    evidence: float
    turns_waste: float
    tokens_waste: float
    silent: float  # 1 where the run ended without an answer

    @property
    def reward(self) -> float:
        """All in one."""
        earned = COVERAGE * self.coverage + FOUND * self.found + EVIDENCE * self.evidence
        waste = TURNS_COST * self.turns_waste + TOKENS_COST * self.tokens_waste + SILENT_COST * self.silent
        return earned * (1 - waste)


def score(facts: Facts) -> Score:
    """The parts of the reward."""
    coverage = facts.read / facts.units if facts.units else 0.0
    precision = facts.matched / facts.findings if facts.findings else 0.0
    recall = facts.matched / facts.labels if facts.labels else 0.0
    if facts.labels:
        both = recall + precision
        found, evidence = 2 * recall * precision / both if both else 0.0, facts.proven / facts.labels * precision
    else:  # code without a defect: only who has read it can know that
        found = evidence = 0.0 if facts.findings else coverage
    over = facts.worker_tokens / facts.par_tokens - 1
    return Score(
        coverage=coverage,
        found=found,
        evidence=evidence,
        turns_waste=_part(facts.turns - FREE_TURNS, facts.most_turns - FREE_TURNS),
        tokens_waste=_part(over, MOST_PARS - 1),
        silent=float(not facts.answered),
    )


def _part(over: float, most: float) -> float:
    return min(1.0, max(0.0, over / most)) if most > 0 else 0.0
