"""Turn a rejected finding into a proposed sentence or rule, and show the proposal once, where it arose."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.commands.context import CommandReply
from bot.config.names import MOST_SENTENCE
from bot.findings import silencing
from bot.render import Phrases, Safe, code, comment, phrase
from bot.values import Dismissal, Finding, LearnedRule, OwnerRule, Proposal

MAX_PATH_CHARS = 300  # characters of a path
OF_ONE_CHANGE = re.compile(r"\b(?:PRs?|MRs?|(?:pull|merge)[ -]requests?)\b|(?<![\w&])#\d", re.IGNORECASE)
# Exact, or a pattern without wildcards. One with a slash before its end only matches from the top folder.
_PLAIN = r"(?:[^\\*?\[]|\\.)*[^/\\*?\[]"
_ONE_PATH = re.compile(rf"=.*|(?!!){_PLAIN}", re.DOTALL)


def proposals(finding: Finding, dismissal: Dismissal, link: str) -> tuple[Proposal, ...]:
    """Return what a rejection proposes: its reason as a sentence about the file, then the check's rule there.

    The reason was written by a person with write access. A committed secret proposes nothing, because a rule
    would silence every later secret of its kind. Neither does a reason that refers to this pull request. For a
    proven finding no sentence is proposed. For a finding that only a model reported no rule is proposed,
    because a rule for its category would silence all its other findings in the file.
    """
    if finding.category == "secret" or OF_ONE_CHANGE.search(dismissal.reason):
        return ()
    text, path = " ".join(dismissal.reason.split()), silencing.only(finding.path)
    how, who = dismissal.how, dismissal.who
    sentence = OwnerRule(path, "", _with_title(text, finding.title)[:MOST_SENTENCE])
    kind = OwnerRule(path, finding.kind, text)
    return (
        *([Proposal(sentence, how, who, link)] if text and not finding.proven else []),
        *([Proposal(kind, how, who, link, silencing.is_grave(finding))] if finding.rule else []),
    )


def _with_title(text: str, title: str) -> str:
    """Return a reason with its finding's title if both fit, as "see the guard above" needs context."""
    about = " ".join(title.split()).rstrip(".")
    whole = f'On "{about}": {text}'
    return whole if text and len(whole) <= MOST_SENTENCE else text


def proposal_words(rules: Sequence[LearnedRule], words: Phrases) -> Safe:
    """Return a rejection's proposals in words, or nothing if the first was shown before.

    A reaction decides on the first one, commands on the others.
    """
    unseen = [rule for rule in rules if _is_unseen(rule)] if decisive(rules) else []
    return Safe("\n\n".join(_words(rule, words, is_first=index == 0).strip() for index, rule in enumerate(unseen)))


def _words(rule: LearnedRule, words: Phrases, *, is_first: bool) -> Safe:
    confirm = code(f"/deeprepo rules confirm {rule.rule.number}")
    how = "grave" if rule.grave else "proposed" if is_first else "instead"
    what = (rule.rule.kind or rule.rule.text).rstrip(". ")  # the sentence continues after it
    values = {"rule": rule.rule, "what": what, "phrase": f"{_what(rule)}_{how}", "breadth": breadth(rule.rule.path)}
    return comment("teaching/proposal.md.j2", words, confirm=confirm, **values)


def decisive(rules: Sequence[LearnedRule]) -> int:
    """Return the number of the proposal on which a reaction decides; 0 if nothing new is proposed."""
    return rules[0].rule.number if rules and _is_unseen(rules[0]) else 0


def _is_unseen(rule: LearnedRule) -> bool:
    return rule.state == "proposed" and not rule.shown


def _what(rule: LearnedRule) -> str:
    return "sentence" if rule.rule.is_learning else "rule"


def breadth(pattern: str) -> str:
    """Return the phrase for the scope of a rule's pattern."""
    if _ONE_PATH.fullmatch(pattern):
        return "rule_one_path" if "/" in pattern or pattern.startswith("=") else "rule_one_name"
    return "rule_pattern"


def decision(rule: LearnedRule, words: Phrases) -> Safe:
    """Return the words that replace a proposal after the decision."""
    reach = words.say(breadth(rule.rule.path))
    text = phrase(words, state_phrase(rule), rule=rule.rule.number, breadth=reach, **place_words(rule))
    return Safe(f"<sub>{text.strip()}</sub>")


def place_words(rule: LearnedRule) -> dict[str, Any]:
    """Return how our sentences name a rule: its kind or sentence, and its location."""
    return rule_words(rule.rule)


def rule_words(rule: OwnerRule) -> dict[str, Any]:
    """Return the kind or sentence of a rule, and its location, as code."""
    what = rule.text if rule.is_learning else rule.kind[:80]
    return {
        "kind": code(what[:MAX_PATH_CHARS].rstrip(". ")),
        "path": code(rule.place[:MAX_PATH_CHARS].removeprefix("=")),
    }


def state_phrase(rule: LearnedRule) -> str:
    """Return the phrase for a rule's state."""
    return f"{_what(rule)}_{rule.state}"


def beside(reply: CommandReply, rules: Sequence[LearnedRule], words: Phrases) -> CommandReply:
    """Return the reply with the proposals below it."""
    proposal_text = proposal_words(rules, words)
    if not proposal_text:
        return reply
    body = "\n\n".join(filter(None, (reply.body.rstrip(), proposal_text)))
    return replace(reply, body=body, rule=decisive(rules))
