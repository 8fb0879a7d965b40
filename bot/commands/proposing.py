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


def shown(learned: LearnedRule | None, words: Phrases) -> Safe:
    """The proposal in words; nothing unless it is one that nobody has seen."""
    if learned is None or learned.state != "proposed" or learned.shown:
        return Safe()
    confirm = code(f"/deeprepo rules confirm {learned.rule.number}")
    reach = breadth(learned.rule.path)
    return comment("replies/rule.md.j2", words, rule=learned.rule, grave=learned.grave, confirm=confirm, breadth=reach)


def breadth(pattern: str) -> str:
    """The phrase for how far a rule's pattern reaches."""
    return "rule_one_path" if _ONE_PATH.fullmatch(pattern) else "rule_pattern"


def decided(learned: LearnedRule, words: Phrases) -> Safe:
    """The words that replace a proposal once somebody has decided."""
    kind, where = code(learned.rule.kind[:80]), code(learned.rule.path[:LONGEST])
    values = {
        "rule": learned.rule.number,
        "kind": kind,
        "path": where,
        "breadth": words.say(breadth(learned.rule.path)),
    }
    said = comment("replies/phrase.md.j2", words, key=f"rule_{learned.state}", number=None, values=values)
    return Safe(f"<sub>{said.strip()}</sub>")


def beside(reply: CommandReply, learned: LearnedRule | None, words: Phrases) -> CommandReply:
    """The reply with the proposal below it."""
    told = shown(learned, words)
    if not told or learned is None:
        return reply
    return CommandReply(f"{reply.body.rstrip()}\n\n{told}", reply.reaction, learned.rule.number)
