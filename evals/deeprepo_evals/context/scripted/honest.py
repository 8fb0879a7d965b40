"""The honest model in each of its places: with passages, as a reader with a form, as a root with a REPL. Pure."""

import re

from deeprepo.rlm.values import Completion, Prompt, ToolCall, Usage
from deeprepo_evals.context import lines as labelled
from deeprepo_evals.context.score import NOT_FOUND
from deeprepo_evals.context.scripted import sense
from deeprepo_evals.context.scripted.markers import passages, question
from deeprepo_evals.context.scripted.sense import Question
from deeprepo_sandbox.scripted import CHARS_PER_TOKEN, Reply

READ = """replies = ask_batch([([path], {question!r}) for path in tree])
for path, reply in zip(tree, replies):
    for quote in reply["quotes"]:
        print(f"{{quote[0]}}:{{quote[2]}}: {{quote[1]}}")
    if reply["error"]:
        print(path, "was not read:", reply["error"])
print(len([reply for reply in replies if reply["found"] is False]), "of", len(tree), "files do not hold it")"""
LINES = """for line in context.split("\\n"):
    if {word!r} in line:
        print(line)"""
COUNT = """import re
lines = [line for line in context.split("\\n") if {word!r} in line]
found = re.findall(r"\\b{word}\\b", "\\n".join(lines))
print(f"The word '{word}' occurs {{len(found)}} times.")"""
LOOK_UP = """for hit in search(r"^{pattern}: "):
    print(hit)"""
PARSE = """import json
value = json.loads(context)
print({path!r} + ":", value{steps})"""

PIECE = 6_000  # characters that a root without workers reads in one turn
NOTES = "Somebody else will put the notes about all parts together: give the figures of this part."
LABELLED = """asked = {asked!r}
lines = context.split("\\n")
parts = ["\\n".join(lines[at:at + 150]) for at in range(0, len(lines), 150)]
{notes}
totals = {{}}
for row in "\\n".join(notes).split("\\n"):
    cells = row.split("|")
    if len(cells) == 5:
        n, first, last = totals.get((cells[0], cells[1]), (0, cells[3], cells[4]))
        totals[cells[0], cells[1]] = (n + int(cells[2]), min(first, cells[3]), max(last, cells[4]))
{end}("\\n".join("|".join([*who, *map(str, found)]) for who, found in totals.items()))"""
BY_WORKERS = 'notes = llm_batch(["--- part ---\\n" + part + "\\n--- end ---\\n\\n" + asked for part in parts])'
BY_ROOTS = "notes = [rlm_query(asked, [path]) for path in tree]"


def reply(prompt: Prompt) -> Reply:
    """What it says to this prompt."""
    if prompt.tool is not None:
        code = _block(prompt)
        sent = sum(len(message.text) for message in prompt.messages)
        usage = Usage(sent // CHARS_PER_TOKEN + 1, len(code) // CHARS_PER_TOKEN + 1)
        call = ToolCall(f"call_{len(prompt.messages)}", prompt.tool.name, {"code": code})
        return Completion("", usage, calls=(call,))
    text = prompt.messages[-1].text
    asked = sense.understand(question(text))
    return _read(asked, text) if prompt.answer is not None else _prose(asked, text)


def at_once(prompt: Prompt) -> Reply:
    """Answer like `reply`, but as a root answer directly from both ends of the text."""
    if prompt.tool is None:
        return reply(prompt)
    first = prompt.messages[1].text
    asked = sense.understand(question(first))
    said = sense.answer(asked, sense.evidence(asked, first)) if asked else NOT_FOUND
    return Completion("", Usage(), calls=(ToolCall("call", prompt.tool.name, {"code": f"set_answer({said!r})"}),))


def _read(question: Question | None, text: str) -> Reply:
    """As a reader: every line that helps, quoted."""
    quotes = [
        {"path": label, "quote": line}
        for label, passage in passages(text).items()
        for line in (sense.evidence(question, passage) if question else [])
    ]
    said = sense.answer(question, [quote["quote"] for quote in quotes]) if question and quotes else NOT_FOUND
    return {"answer": said, "found": bool(quotes), "quotes": quotes}


def _prose(question: Question | None, text: str) -> str:
    """In prose: the answer, or notes about a part of the text."""
    lines = [
        line for passage in passages(text).values() for line in (sense.evidence(question, passage) if question else [])
    ]
    if question is None or not lines:
        return NOT_FOUND
    if "Somebody else will" not in text:
        return sense.answer(question, lines)
    if question.kind == "lines":
        return "\n".join(labelled.written(sense.totals(lines)))
    if question.kind == "count":
        return f"The word '{question.names[0]}' occurs {sense.answer(question, lines)} times."
    return "\n".join(lines)


def _block(prompt: Prompt) -> str:
    """As a root: the next block, from what the conversation has so far."""
    first, shown = prompt.messages[1].text, [m.text for m in prompt.messages[2:] if m.role in {"user", "tool"}]
    asked = sense.understand(question(first))
    if asked is None:
        return f"set_answer({NOT_FOUND!r})"
    if "the REPL does not hold it" in first:
        return _without_text(asked, first, shown)
    workers = "ask_batch" in prompt.messages[0].text
    if asked.kind == "lines":
        return _label(asked, prompt.messages[0].text, first, shown)
    if asked.kind != "numbers":
        lines = sense.evidence(asked, shown[-1]) if shown else []
        return _code(asked, workers=workers) if not shown else f"set_answer({sense.answer(asked, lines)!r})"
    lines = sense.evidence(asked, "\n".join([first, *shown]))
    missing = [name for name in asked.names if name not in {n for line in lines for n, _ in sense.FACT.findall(line)}]
    if sense.answer(asked, lines) != NOT_FOUND and (asked.steps or not missing):
        return f"set_answer({sense.answer(asked, lines)!r})"
    block = _search(asked, lines, workers=workers)
    tried = any(call.arguments.get("code") == block for m in prompt.messages for call in m.calls)
    readers_did = "Workers have read all of it" in first and not asked.steps
    return f"set_answer({sense.answer(asked, lines)!r})" if tried or readers_did else block


def _without_text(question: Question, first: str, shown: list[str]) -> str:
    """From what stands in the message, or in the passages that it has searched for: one search for each step of a chain."""
    lines = sense.evidence(question, "\n".join([*passages(first).values(), *shown]))
    said = sense.answer(question, lines)
    if "bm25_search" not in first or said != NOT_FOUND or len(shown) > len(question.steps):
        return f"set_answer({said!r})"
    name, left = sense.owner(question, lines) if question.steps else ("", ())
    query = f"The {left[0]} of {name}" if left else f"The secret magic number of {name or ' '.join(question.names)}"
    return f"for passage in bm25_search({query!r}):\n    print(passage)"


def _label(question: Question, system: str, first: str, shown: list[str]) -> str:
    """Every line has to be understood: by the deepest that can be asked, or by itself, as far as its turns reach."""
    lines = sense.evidence(question, "\n".join([first, *shown]))
    is_part, turns = NOTES in first, re.search(r"You have (\d+) turns", system)
    size = re.search(r"(?:has|holds) ([\d,]+) characters", first)
    if "ask_batch" in system and not shown and "Workers have read all of it" not in first:
        notes = BY_ROOTS if "rlm_query" in system else BY_WORKERS
        asked = f"{question.names[0]}\n{NOTES}"
        return LABELLED.format(asked=asked, notes=notes, end="set_answer" if is_part else "print")
    if "ask_batch" not in system and turns and size and len(shown) < int(turns[1]) - 1:
        at = PIECE * len(shown)
        if at < int(size[1].replace(",", "")):
            return f"print(context[{at}:{at + PIECE}])"
    if "ask_batch" in system and shown:
        lines = sense.evidence(question, shown[-1])
    return f"set_answer({sense.answer(question, lines)!r})"


def _code(question: Question, *, workers: bool) -> str:
    """What code answers better than reading."""
    word = question.names[0]
    if question.kind == "count":
        return COUNT.format(word=word)
    if question.kind == "compare":
        return LINES.format(word=f"company {word} ")
    if workers:
        return LOOK_UP.format(pattern=re.sub(r"([.\[\]])", r"\\\1", word))
    steps = re.findall(r"[^.\[\]]+|\[\d+\]", word)
    return PARSE.format(path=word, steps="".join(step if step.startswith("[") else f"[{step!r}]" for step in steps))


def _search(question: Question, lines: list[str], *, workers: bool) -> str:
    """The question that can be asked now: about the name that the steps have led to."""
    if not question.steps:
        text = f"What are the secret magic numbers of {', '.join(question.names)}?"
        return READ.format(question=text) if workers else LINES.format(word="secret magic number of ")
    name, left = sense.owner(question, lines)
    of = "".join(f"the {step} of " for step in reversed(left[:1]))
    if workers:
        return READ.format(question=f"What is the secret magic number of {of}{name}?")
    return LINES.format(word=f"{of.strip() or 'secret magic number of'} {name}".removeprefix("the "))
