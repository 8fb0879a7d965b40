"""A rejected finding as the proposal of a rule, and how a proposal is shown: once, where it arose."""

import re

from bot.commands.context import CommandReply
from bot.findings import rules, suppress
from bot.render import Phrases, Safe, code, comment
from bot.values import Finding, LearnedRule, OwnerRule, Proposal, Rejection

LONGEST = 300  # characters of a path
_ONE_PATH = re.compile(r"=.*|/(?:[^\\*?\[]|\\.)*[^/\\*?\[]", re.DOTALL)  # exact, or a pattern without wildcards


def proposal(finding: Finding, reason: str, how: Rejection, who: str, link: str) -> Proposal | None:
    """The rule that would have silenced this finding: its check, in its file. `reason`: words of a person who may write here.

    None for what a model alone has found: a rule for its category would silence every other guess of that kind in the file.
    """
    if not finding.rule:
        return None
    text = " ".join(reason.split())
    return Proposal(OwnerRule(suppress.only(finding.path), finding.kind, text), how, who, link, rules.grave(finding))


def proposal_words(rule: LearnedRule | None, words: Phrases) -> Safe:
    """The proposal in words; nothing unless it is one that nobody has seen."""
    if rule is None or rule.state != "proposed" or rule.shown:
        return Safe()
    confirm = code(f"/deeprepo rules confirm {rule.rule.number}")
    reach = breadth(rule.rule.path)
    return comment("replies/rule.md.j2", words, rule=rule.rule, grave=rule.grave, confirm=confirm, breadth=reach)


def breadth(pattern: str) -> str:
    """The phrase for how far a rule's pattern reaches."""
    return "rule_one_path" if _ONE_PATH.fullmatch(pattern) else "rule_pattern"


def decision(rule: LearnedRule, words: Phrases) -> Safe:
    """The words that replace a proposal once somebody has decided."""
    kind, where = code(rule.rule.kind[:80]), code(rule.rule.path[:LONGEST])
    values = {
        "rule": rule.rule.number,
        "kind": kind,
        "path": where,
        "breadth": words.say(breadth(rule.rule.path)),
    }
    text = comment("replies/phrase.md.j2", words, key=f"rule_{rule.state}", number=None, values=values)
    return Safe(f"<sub>{text.strip()}</sub>")


def beside(reply: CommandReply, rule: LearnedRule | None, words: Phrases) -> CommandReply:
    """The reply with the proposal below it."""
    proposal_text = proposal_words(rule, words)
    if not proposal_text or rule is None:
        return reply
    return CommandReply(f"{reply.body.rstrip()}\n\n{proposal_text}", reply.reaction, rule.rule.number)
