"""A rejected finding as the proposal of a rule, and how a proposal is shown: once, where it arose."""

from bot.commands.context import CommandReply
from bot.findings import rules, suppress
from bot.render import Phrases, Safe, code, comment
from bot.values import Finding, LearnedRule, OwnerRule, Proposal, Rejection


def proposal(finding: Finding, reason: str, how: Rejection, who: str, link: str) -> Proposal:
    """The rule that would have silenced this finding: its kind, in its file. `reason`: words of a person who may write here."""
    text = " ".join(reason.split())
    return Proposal(OwnerRule(suppress.only(finding.path), finding.kind, text), how, who, link, rules.grave(finding))


def shown(learned: LearnedRule | None, words: Phrases) -> Safe:
    """The proposal in words; nothing unless it is one that nobody has seen."""
    if learned is None or learned.state != "proposed" or learned.shown:
        return Safe()
    confirm = code(f"/deeprepo rules confirm {learned.rule.number}")
    return comment("replies/rule.md.j2", words, rule=learned.rule, grave=learned.grave, confirm=confirm)


def beside(reply: CommandReply, learned: LearnedRule | None, words: Phrases) -> CommandReply:
    """The reply with the proposal below it."""
    told = shown(learned, words)
    if not told or learned is None:
        return reply
    return CommandReply(f"{reply.body.rstrip()}\n\n{told}", reply.reaction, learned.rule.number)
