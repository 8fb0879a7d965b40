"""What a double answers, without a dialect: a text, data, tool calls, an error, or a fault on the way."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from deeprepo.rlm.values import ToolCall, Usage
from deeprepo_sandbox import honest

Fault = Literal["", "hang", "drop", "truncate", "stall", "error", "deny", "lost", "page"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. With neither text, data nor calls a demanded structured answer is made up from its schema.

    `text` under a demanded answer goes out where the data would stand: text that is not JSON is a malformed answer. With a
    status of 400 and more it is the error's message, and `error` its code (OpenAI) or type (Anthropic).
    `fault`: "hang" accepts and never answers, "drop" closes the connection in the middle, "truncate" cuts the JSON, or ends a
    stream before its end, "lost" closes it before the first byte, "page" answers with the page of some proxy, "error" has an
    error beside what was written, in a stream as an event in its middle, with `error` and `text` as its code and message.
    Of a stream alone: "stall" begins it and then says nothing more, "deny" has nothing but the event of an error.
    """

    text: str = ""
    data: Mapping[str, Any] | None = None
    calls: tuple[ToolCall, ...] = ()  # a call without a name is a call of the tool that was offered
    stop: Literal["", "length", "refusal"] = ""
    ending: str = ""  # the provider's own word for an ending that `stop` does not know
    usage: Usage = field(default_factory=lambda: Usage(100, 20))
    delay: float = 0.0
    pause: float = 0.0  # seconds between the events of a stream
    status: int = 200
    error: str = ""
    param: str = ""
    retry_after: str = ""
    fault: Fault = ""


One = Reply | str | Mapping[str, Any]
Plain = One | Sequence[One] | Callable[[Mapping[str, Any]], One]


@dataclass(frozen=True, slots=True)
class PerModel:
    """A script for each model by its name; any other model is unknown to the server."""

    scripts: Mapping[str, Plain]


Script = Plain | PerModel


def code(text: str) -> Reply:
    """A call of the offered tool with code for the REPL."""
    return Reply(calls=(ToolCall("call_code", "", {"code": text}),))


REPORTED = ("path", "quote", "title", "why", "consequence", "severity", "category", "evidence", "suggestion", "trigger")


def is_root(body: Mapping[str, Any]) -> bool:
    """Whether a request is the turn of a root that reviews: it offers a REPL."""
    tools = [tool.get("function", tool) for tool in body.get("tools") or ()]
    return any(tool.get("name") == "execute_python" for tool in tools)


def in_code(data: Mapping[str, Any]) -> Reply:
    """What a root's code hands in for a review that is written as a structured answer."""
    rows = data.get("findings") or ()
    reports = [{name: row[name] for name in REPORTED if name in row} | {"start": row.get("line") or 0} for row in rows]
    told = {name: data[name] for name in ("overview", "look_first", "files", "checks") if name in data}
    issues = [[row["number"], row["asks"], row["done"], row["missing"]] for row in data.get("issues") or ()]
    told |= {"issues": issues} if issues else {}
    lines = [*(f"report(**{row!r})" for row in reports), f"set_answer({data.get('answer') or 'Done.'!r}, **{told!r})"]
    return code("\n".join(lines))


def verdict(body: Mapping[str, Any], row: Mapping[str, Any] | Callable[[str], Mapping[str, Any]]) -> Reply:
    """Answer a request for a confirmation with one verdict for every claim.

    `row` is the verdict, or a function that makes it from a claim's text.
    """
    text = "\n".join(_texts(body["messages"]))
    claims = text.split("The claim, about")[1:]
    rows = [dict(row(claim) if callable(row) else row) for claim in claims]
    if not re.search(r"\bC1\. The claim, about", text):
        return Reply(data=rows[0])
    rest = {
        "holds": "",
        "limit": "none",
        "ground": "",
        "same_as": "",
    }  # that a verdict on one claim may leave out
    joint = [{"claim": f"C{number}", **rest, **one} for number, one in enumerate(rows, 1)]
    return Reply(
        data={"verdicts": [{k: v for k, v in one.items() if k != "look_ups"} for one in joint], "look_ups": []}
    )


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the messages of a request say."""
    for message in messages:
        content = message["content"]
        for part in [content] if isinstance(content, str) else content or ():
            yield part if isinstance(part, str) else str(part.get("text", ""))


class UnscriptedModel(Exception):  # noqa: N818 - becomes the provider's own "no such model"
    """The script knows no such model."""


class Player:
    """Plays a script.

    A text, a mapping (data of a structured answer) or a Reply answers every request; a list answers in order and its
    last item repeats; a function is given the request's body; PerModel has a script for each model.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._played: dict[str, int] = {}

    def reply(self, body: Mapping[str, Any]) -> Reply:
        """The reply to this request, with the files that it judged. Data for a root's turn is handed in by code.

        Raises Unscripted.
        """
        reply = self._scripted(body)
        if reply.data is None or "findings" not in reply.data:
            return reply
        if is_root(body):
            return in_code(honest.told(reply.data, _texts(body["messages"])))
        form = [body.get(name) for name in ("response_format", "output_config", "tools")]
        asks = '"files"' in json.dumps(form)
        return replace(reply, data=honest.told(reply.data, _texts(body["messages"]))) if asks else reply

    def _scripted(self, body: Mapping[str, Any]) -> Reply:
        if not isinstance(self._script, PerModel):
            return self._pick(self._script, body, "")
        model = str(body.get("model", ""))
        if model not in self._script.scripts:
            raise UnscriptedModel(model)
        return self._pick(self._script.scripts[model], body, model)

    def _pick(self, script: Plain, body: Mapping[str, Any], label: str) -> Reply:
        if isinstance(script, Reply):
            return script
        if isinstance(script, str):
            return Reply(text=script)
        if isinstance(script, Mapping):
            return Reply(data=script)
        if callable(script):
            return self._pick(script(body), body, label)
        at = min(self._played.get(label, 0), len(script) - 1)
        self._played[label] = at + 1
        return self._pick(script[at], body, label)
