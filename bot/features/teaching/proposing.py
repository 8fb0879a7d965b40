"""Turn a rejected finding into a proposed learning or rule, and write the text of the proposal."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.commands.context import CommandReply
from bot.config.names import MOST_SENTENCE
from bot.findings import silencing
from bot.render import Phrases, Safe, code, comment, phrase
from bot.values import Dismissal, Finding, LearnedRule, OwnerRule, Proposal

MAX_PATH_CHARS = 300  # characters of a path or kind in a comment
ABOUT_THIS_CHANGE = re.compile(r"\b(?:PRs?|MRs?|(?:pull|merge)[ -]requests?)\b|(?<![\w&])#\d", re.IGNORECASE)
# Exact, or a pattern without wildcards. One with a slash before its end only matches from the top folder.
_PLAIN = r"(?:[^\\*?\[]|\\.)*[^/\\*?\[]"
_ONE_PATH = re.compile(rf"=.*|(?!!){_PLAIN}", re.DOTALL)


def proposals(finding: Finding, dismissal: Dismissal, link: str) -> tuple[Proposal, ...]:
    """Return what to propose after a rejection: a learning with the reason, and a rule for the file.

    The reason was written by a person with write access. `link` is the URL of the rejection. The exceptions
    are:

    - Nothing is proposed for a secret, because a rule would silence all later secrets of its kind.
    - Nothing is proposed if the reason refers to this pull request.
    - No learning is proposed for a proven finding, because learnings cannot silence it.
    - No rule is proposed for a finding that only a model reported, because the rule would silence all models'
      findings of that category in the file.
    """
    if finding.category == "secret" or ABOUT_THIS_CHANGE.search(dismissal.reason):
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
    """Return the reason with the finding's title as context, if both together are short enough."""
    about = " ".join(title.split()).rstrip(".")
    whole = f'On "{about}": {text}'
    return whole if text and len(whole) <= MOST_SENTENCE else text


def proposal_words(rules: Sequence[LearnedRule], words: Phrases) -> Safe:
    """Return the text that proposes these rules; empty if a comment already shows the first one.

    Reactions decide on the first rule, and commands on the others.
    """
    unseen = [rule for rule in rules if _is_unseen(rule)] if first_new_number(rules) else []
    return Safe("\n\n".join(_words(rule, words, is_first=index == 0).strip() for index, rule in enumerate(unseen)))


def _words(rule: LearnedRule, words: Phrases, *, is_first: bool) -> Safe:
    confirm = code(f"/deeprepo rules confirm {rule.rule.number}")
    how = "grave" if rule.grave else "proposed" if is_first else "instead"
    what = (rule.rule.kind or rule.rule.text).rstrip(". ")  # the sentence continues after it
    values = {
        "rule": rule.rule,
        "what": what,
        "phrase": f"{_noun(rule)}_{how}",
        "breadth": scope_phrase(rule.rule.path),
    }
    return comment("teaching/proposal.md.j2", words, confirm=confirm, **values)


def first_new_number(rules: Sequence[LearnedRule]) -> int:
    """Return the number of the proposal that reactions decide on; 0 if nothing new is proposed."""
    return rules[0].rule.number if rules and _is_unseen(rules[0]) else 0


def _is_unseen(rule: LearnedRule) -> bool:
    return rule.state == "proposed" and not rule.shown


def _noun(rule: LearnedRule) -> str:
    return "sentence" if rule.rule.is_learning else "rule"


def scope_phrase(pattern: str) -> str:
    """Return the key of the phrase for what a rule's pattern matches: a path, a file name, or a pattern."""
    if _ONE_PATH.fullmatch(pattern):
        return "rule_one_path" if "/" in pattern or pattern.startswith("=") else "rule_one_name"
    return "rule_pattern"


def decision(rule: LearnedRule, words: Phrases) -> Safe:
    """Return the text that replaces a proposal after the decision."""
    reach = words.say(scope_phrase(rule.rule.path))
    text = phrase(words, state_phrase(rule), rule=rule.rule.number, breadth=reach, **message_fields(rule))
    return Safe(f"<sub>{text.strip()}</sub>")


def message_fields(rule: LearnedRule) -> dict[str, Any]:
    """Return the values for phrases about a learned rule."""
    return rule_fields(rule.rule)


def rule_fields(rule: OwnerRule) -> dict[str, Any]:
    """Return the values for phrases about a rule: its kind or sentence, and its location, as code spans."""
    what = rule.text if rule.is_learning else rule.kind[:80]
    return {
        "kind": code(what[:MAX_PATH_CHARS].rstrip(". ")),
        "path": code(rule.place[:MAX_PATH_CHARS].removeprefix("=")),
    }


def state_phrase(rule: LearnedRule) -> str:
    """Return the key of the phrase for a rule's state."""
    return f"{_noun(rule)}_{rule.state}"


def with_proposals(reply: CommandReply, rules: Sequence[LearnedRule], words: Phrases) -> CommandReply:
    """Return the reply with the proposals below it."""
    proposal_text = proposal_words(rules, words)
    if not proposal_text:
        return reply
    body = "\n\n".join(filter(None, (reply.body.rstrip(), proposal_text)))
    return replace(reply, body=body, rule=first_new_number(rules))
