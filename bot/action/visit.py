"""One review in progress: who asks, where it runs, and what is at GitHub."""

from dataclasses import dataclass

from bot.action.console import Console
from bot.config import Config, Step
from bot.github import Host
from bot.values import Bases, PullFacts, ReviewAsk
from bot.wiring import action as parts

DEPENDABOT = "dependabot[bot]"  # whose pull requests GitHub treats like those from forks


@dataclass(frozen=True, slots=True)
class ActionRun:
    """What every part of a review is given."""

    ask: ReviewAsk
    step: Step
    host: Host
    console: Console
    facts: PullFacts
    bases: Bases
    settings: Config

    @property
    def run(self) -> str:
        """The same for every attempt to post this review, and another one when the job is run again."""
        return f"{self.step.runner.github_run_id}-{self.step.runner.github_run_attempt}"

    @property
    def event(self) -> str:
        """What the workflow was started by."""
        return self.step.runner.github_event_name

    @property
    def language(self) -> str:
        """Of the comments."""
        return str(self.settings["language"])

    @property
    def bare(self) -> bool:
        """Whether GitHub has withheld the secrets."""
        foreign = self.facts.fork or self.facts.author == DEPENDABOT
        return self.event == "pull_request" and foreign and not parts.keys()
