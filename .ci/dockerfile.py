"""Read a Dockerfile of the plain kind that ours is: instructions on joined lines, no heredocs, no build arguments but the base."""

import json
import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: `RUN`, and what is behind it."""

    word: str
    rest: str

    @property
    def words(self) -> list[str]:
        """What is behind it, as a list: the JSON form or shell words."""
        return json.loads(self.rest) if self.rest.startswith("[") else shlex.split(self.rest)


@dataclass(frozen=True, slots=True)
class Stage:
    """What is between one FROM and the next."""

    name: str
    base: str
    steps: tuple[Step, ...]

    def last(self, word: str) -> Step | None:
        """The last instruction of this kind: the one that counts."""
        return next((step for step in reversed(self.steps) if step.word == word), None)

    def environment(self) -> dict[str, str]:
        """What the ENV instructions set, in the form NAME=value."""
        pairs = (pair.partition("=") for step in self.steps if step.word == "ENV" for pair in step.words)
        return {name: value for name, _, value in pairs}

    def health(self) -> list[str]:
        """The command of HEALTHCHECK, or nothing."""
        step = self.last("HEALTHCHECK")
        return json.loads(step.rest.partition("CMD")[2]) if step else []


def read(text: str) -> tuple[Stage, ...]:
    """The stages, in their order."""
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for step in _steps(text):
        if step.word == "ARG":
            name, _, value = step.rest.partition("=")
            arguments[name] = value
        elif step.word == "FROM":
            base, _, name = step.rest.partition(" AS ")
            for key, value in arguments.items():
                base = base.replace(f"${{{key}}}", value)
            stages.append(Stage(name or str(len(stages)), base, ()))
        else:
            whole = stages.pop()
            stages.append(Stage(whole.name, whole.base, (*whole.steps, step)))
    return tuple(stages)


def _steps(text: str) -> list[Step]:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    whole = "\n".join(lines).replace("\\\n", "")
    return [Step(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in whole.splitlines())]
