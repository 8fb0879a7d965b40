"""The commands that people give in comments: how each is typed, who may give it, and what it does. Each may be done again after a restart.

`COMMANDS` lists them. The findings that a command means are found in the last stored review. What it answers is a template of
`templates/replies` or a phrase of `templates/words.toml`.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial
from itertools import accumulate
from typing import Any, Literal

from bot.commands import (
    Command,
    CommandContext,
    CommandReply,
    Permission,
    answering,
    context,
    proposing,
    reading,
    target,
)
from bot.config import FILE, Config
from bot.config.ignore_file import IgnoreEntry
from bot.config.names import MOST_SENTENCE
from bot.errors import OverLimit
from bot.findings import silencing
from bot.payloads import Question
from bot.render import code, link, load, phrase
from bot.values import Dismissal, LearnedRule, OwnerRule, Proposal, ReviewAsk, RuleState
from bot.values.daily import CapReached
from bot.workflow import fix_command, push_count, spending
from bot.workflow.given_command import GivenCommand
from impact.text import globs

LONGEST_TEXT = 300  # characters of a reason, and of a path
EDIT = "edit"  # gives a learning another sentence, which is in force at once: to edit takes the permission to confirm
DECIDES: dict[str, RuleState] = {"confirm": "confirmed", EDIT: "confirmed", "remove": "removed"}
UNUSED = 180 * 86_400.0  # seconds after which a sentence that silenced nothing is proposed for removal
MOST_DIGITS = 6  # of a number
MOST_EXPORTED = 40_000  # characters: GitHub takes a comment of 65,536
LEAST_WORDS = 3  # of a sentence: "fine" answers everything
MAX_WORD_CHARS = 40  # characters of a word that nobody knows
ALIKE = 0.75  # from here on a word is taken for a slip of the pen, as difflib counts
REVIEWS = {"review": False, "full review": True}  # words that start a review, and whether everything is read again
RULES = "rules [confirm N, edit N SENTENCE, remove N, export]"
REMEMBER = "remember [in PATH[:SYMBOL]] SENTENCE"


async def _review(command: GivenCommand) -> CommandReply:
    """Ask for a review of the head and the base that the person saw; the review itself is the answer."""
    ask, facts, is_full = command.ask, command.state.facts, REVIEWS[command.ask.word]
    request = ReviewAsk(ask.pull, "command", is_full, ask.actor, ask.comment, facts.head_sha, base=facts.base_ref)
    await command.server.jobs.submit(request, f"comment-{ask.comment.kind}-{ask.comment.id}")
    return CommandReply()


async def _read(
    answer: Callable[[str, CommandContext], Awaitable[CommandReply]], command: GivenCommand
) -> CommandReply:
    """The answer of a command that computes on code: in a child process, and with the change where a model can be asked."""
    ask, given, server = command.ask, command.context, command.server
    name = f"{ask.pull.repository}-{ask.pull.number}-comment-{ask.comment.id}"
    question = Question(answer, ask.argument, given, name)
    try:
        if not server.has_model(given.settings):
            return await server.answer(question)
        async with (
            server.fetch(ask.pull, command.state) as pull,
            spending.reserve(ask.pull, name, given.settings, server) as grant,
        ):
            if isinstance(grant, CapReached):
                return given.say("reply_failed", why=spending.sentence(grant))
            brief = command.state.brief(pull, given.settings.within(grant.usd), name)
            return await server.answer(replace(question, brief=brief))
    except OverLimit as error:
        return given.say("reply_failed", why=str(error))


async def _pause(command: GivenCommand) -> CommandReply:
    """No review of this pull request starts by itself; say how it goes on."""
    people, pull = command.store.people, command.ask.pull
    already = await people.is_paused(pull)
    await people.pause(pull, command.ask.actor, time.time())
    return command.context.say("reply_paused_already" if already else "reply_paused")


async def _resume(command: GivenCommand) -> CommandReply:
    """Reviews start by themselves again, and pushes are counted from zero; say when the next one comes."""
    were_waiting = await push_count.reset_count(command.lessons.host, command.context.settings.pause_after)
    was_paused = await command.store.people.resume(command.ask.pull)
    return command.context.say("reply_resumed" if was_paused or were_waiting else "reply_not_paused")


async def _cancel(command: GivenCommand) -> CommandReply:
    """Stop the review that is under way, and say whether there was one."""
    count = await command.server.jobs.cancel(command.ask.pull)
    return command.context.say("reply_cancelled" if count else "reply_nothing_running")


async def _ignore(command: GivenCommand) -> CommandReply:
    """Store it with the reason, and show the entry that would hold beyond this pull request."""
    context, about = command.context, target.find(command.ask.argument, command.context)
    if not about.fingerprint:
        return about.missing(context, "ignore NUMBER REASON")
    reason_text = " ".join(about.rest.split())[:LONGEST_TEXT]
    finding = about.finding
    mark = silencing.mark_of(finding) if finding is not None else about.fingerprint
    dismissal, now = Dismissal(mark, reason_text, "ignored", context.actor), time.time()
    await command.store.people.dismiss(command.ask.pull, dismissal, now)
    reason = reason_text or context.words.say("reply_no_reason", actor=context.actor)
    entry = (
        silencing.entry_for(finding, "finding", reason)
        if finding is not None
        else IgnoreEntry(fingerprint=about.fingerprint, reason=reason)
    )
    lines = silencing.add_entry(None, entry).removeprefix(silencing.HEAD)
    title = finding.title if finding is not None else about.fingerprint
    reply = context.reply("ignored", title=title, file=silencing.FILE, branch=context.branch, lines=lines)
    reply = replace(reply, silences=True)
    if finding is None:
        return reply
    proposals = proposing.proposals(finding, dismissal, command.link)
    rules = await command.store.rules.propose_all(command.ask.pull, proposals, now)
    return proposing.beside(reply, rules, context.words)


async def _remember(command: GivenCommand) -> CommandReply:
    """Propose the sentence for the files that are named, else for the file of the thread's finding."""
    context = command.context
    scope, sentence = _parts(" ".join(command.ask.argument.split()))
    if scope is None:
        finding = target.find("", context).finding if context.top else None
        scope = (silencing.only(finding.path), "") if finding is not None else None
    if scope is None or len(sentence.split()) < LEAST_WORDS:
        return context.say("remember_usage", use=code(f"/deeprepo {REMEMBER}"))
    path, symbol = scope
    if len(path) > LONGEST_TEXT or not globs.is_usable(path):
        return context.say("rule_path", path=code(path[:LONGEST_TEXT]))
    learning = OwnerRule(path, "", sentence[:MOST_SENTENCE], symbol=symbol)
    proposal = Proposal(learning, "remember", context.actor, command.link)
    rule = await command.store.rules.propose(command.ask.pull, proposal, time.time())
    if rule is None:
        return context.say("rules_full")
    if rule.state == "proposed" and not rule.shown:
        return proposing.beside(CommandReply(), (rule,), context.words)
    reach = context.words.say(proposing.breadth(rule.rule.path))
    state = proposing.state_phrase(rule) if rule.state != "proposed" else "sentence_waits"
    confirm = code(f"/deeprepo rules confirm {rule.rule.number}")
    return context.say(state, rule=rule.rule.number, breadth=reach, confirm=confirm, **proposing.place_words(rule))


def _parts(text: str) -> tuple[tuple[str, str] | None, str]:
    """The path and the symbol that a text names first, if it does, and its sentence."""
    word, _, rest = text.partition(" ")
    place, _, sentence = rest.partition(" ")
    place = place.strip("`,")
    if word.lower() != "in" or not any(char in place for char in "/.*"):
        return None, text
    path, colon, symbol = place.rpartition(":")
    if colon and path and symbol.replace(".", "_").isidentifier():
        return (path, symbol), sentence
    return (place.rstrip(":"), ""), sentence


async def _rules(command: GivenCommand) -> CommandReply:
    """List the rules and proposals, decide on one, or show all as settings."""
    context = command.context
    word, _, rest = " ".join(command.ask.argument.split()).partition(" ")
    if word.lower() in DECIDES:
        return await _decide(word.lower(), rest, command)
    rules = await command.store.rules.of(command.ask.pull.repository)
    if word.lower() == "export":
        return _export(rules, context)
    if not rules:
        return context.say("rules_none")
    return context.reply("rules", rows=[_row(one, time.time()) for one in rules])


async def _decide(word: str, rest: str, command: GivenCommand) -> CommandReply:
    """Confirm, edit or remove the rule of this number. A confirmed one may be given another path."""
    context = command.context
    number, _, words = rest.partition(" ")
    number, is_edit = number.removeprefix("#"), word == EDIT
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS) or (is_edit and not words):
        return context.say("rules_usage", use=code(f"/deeprepo {RULES}"))
    if words and not is_edit and (len(words) > LONGEST_TEXT or not globs.is_usable(words)):
        return context.say("rule_path", path=code(words[:LONGEST_TEXT]))
    sentences = {
        one.rule.number for one in await command.store.rules.of(command.ask.pull.repository) if one.rule.is_learning
    }
    if is_edit and int(number) not in sentences:
        return context.say("sentence_unknown", rule=int(number))
    path, text = (words if word == "confirm" else "", words[:MOST_SENTENCE] if is_edit else "")
    decision = await command.lessons.decide(int(number), DECIDES[word], context.actor, path, text)
    if decision is None:
        return context.say("rule_unknown", rule=int(number))
    reach = context.words.say(proposing.breadth(decision.rule.path))
    phrase_name, place = proposing.state_phrase(decision), proposing.place_words(decision)
    return replace(context.say(phrase_name, rule=int(number), breadth=reach, **place), silences=True)


def _export(rules: tuple[LearnedRule, ...], context: CommandContext) -> CommandReply:
    """The rules in force as the key of the settings."""
    from bot.config import yaml_text

    confirmed = [one.rule for one in rules if one.state == "confirmed"]
    confirmed.sort(key=lambda rule: rule.is_learning)
    parts = [yaml_text.dump([_exported(rule)]) for rule in confirmed]
    ends = accumulate(len(part) for part in parts)
    chunks = [part for part, end in zip(parts, ends, strict=True) if end <= MOST_EXPORTED]
    if not chunks:
        return context.say("rules_none")
    lines = f"ignore:\n{''.join(chunks)}"
    more = len(parts) - len(chunks)
    return context.reply("rules_export", file=FILE, branch=context.branch, lines=lines, more=more)


def _exported(rule: OwnerRule) -> dict[str, Any]:
    """A rule or a learning as an entry of the settings."""
    from bot.config.defaults import CLAIMS
    from bot.config.repository import as_entry

    kind = CLAIMS if rule.is_learning else rule.kind
    return as_entry("ignore", (rule.path, kind, rule.symbol, "", rule.text, ""))


def _row(one: LearnedRule, now: float) -> dict[str, object]:
    is_unused = one.state == "confirmed" and one.rule.is_learning and now - max(one.decided, one.last) > UNUSED
    return {
        "number": one.rule.number,
        "kind": one.rule.kind,
        "path": one.rule.place,
        "text": one.rule.text,
        "state": "rule_is_unused" if is_unused else f"rule_is_{one.state}",
        "who": link(one.who, one.link),
        "made": _day(one.made),
        "decider": one.decider,
        "decided": _day(one.decided),
        "silenced": one.silenced,
    }


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


async def _config(command: GivenCommand) -> CommandReply:
    """The table of `deeprepo config --explain`; a sentence for a person who wants to change one."""
    given = command.context
    if command.ask.argument.strip():
        return given.say("reply_config_shows", file=FILE, branch=code(given.branch))
    return given.reply("config", rows=list(given.settings.rows()), warnings=given.settings.warnings)


async def _help(command: GivenCommand) -> CommandReply:
    """The list of commands."""
    return _list_commands("", command.context)


def _list_commands(typed: str, given: CommandContext) -> CommandReply:
    """The list of commands, below what was typed instead of one, if anything was; if that is nearly one, a hint."""
    near = get_close_matches(typed.casefold(), COMMANDS, 1, ALIKE) if typed else []
    if near:
        use = code(f"/deeprepo {COMMANDS[near[0]].use}")
        return replace(given.say("reply_meant", word=code(typed[:MAX_WORD_CHARS]), near=use), reaction="confused")
    rows = [(word.use, f"help_{name.replace(' ', '_')}") for name, word in COMMANDS.items()]
    return replace(given.reply("help", rows=rows, typed=typed), reaction="confused" if typed else "")


@dataclass(frozen=True, slots=True)
class Word:
    """A command: what carries it out, how it is typed, and who may give it. The list of commands says what it does: the phrase `help_<word>`."""

    run: Callable[[GivenCommand], Awaitable[CommandReply]]
    use: str
    needs: Literal["read", "write"] = "write"
    is_long: bool = False  # whether the lines below belong to its argument


COMMANDS: Mapping[str, Word] = {
    "review": Word(_review, "review"),
    "full review": Word(_review, "full review"),
    "ask": Word(partial(_read, answering.ask), "ask QUESTION", is_long=True),
    "explain": Word(partial(_read, answering.explain), "explain [NUMBER]"),
    "fix": Word(fix_command.fix, "fix [NUMBER...]"),
    "ignore": Word(_ignore, "ignore [NUMBER] [REASON]"),
    "remember": Word(_remember, REMEMBER),
    "rules": Word(_rules, RULES),
    "pause": Word(_pause, "pause"),
    "resume": Word(_resume, "resume"),
    "cancel": Word(_cancel, "cancel"),
    "config": Word(_config, "config", "read"),
    "help": Word(_help, "help", "read"),
}


def read(body: str, login: str = "") -> Command | None:
    """The first command of a comment; quotes, code and what is hidden give none. `login` is ours."""
    return reading.read(body, login, tuple(COMMANDS), [name for name, word in COMMANDS.items() if word.is_long])


def refusal(word: str, actor: str, standing: Permission, settings: Config) -> CommandReply | None:
    """The answer where a person may not give this command, or not now; None where it is to be carried out."""
    words = load()
    most = settings.triggers.commands_per_hour if standing.writes else context.STRANGER
    if (wait := context.judge(standing.earlier, standing.now, most)) is not None:
        minutes, was_told = wait
        return CommandReply("" if was_told else phrase(words, "reply_too_many", minutes, most=most), "-1")
    if word in COMMANDS and COMMANDS[word].needs == "write" and not standing.writes:
        return CommandReply(phrase(words, "reply_no_permission", word=code(f"/deeprepo {word}"), actor=actor), "-1")
    return None


async def answer(command: GivenCommand) -> CommandReply:
    """Carry a command out; to a word that nobody knows, the answer is the list of those that are known."""
    word = COMMANDS.get(command.ask.word)
    return await word.run(command) if word is not None else _list_commands(command.ask.word, command.context)
