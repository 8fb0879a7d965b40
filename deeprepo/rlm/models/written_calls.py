"""Find tool calls that a model wrote into its text because its server has no parser for them.

Each model family uses different marks around the tool's name and its arguments, so the marks are ignored. A
JSON object counts as a call if it contains the tool's name or follows it, and so do arguments in tags with
their names.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from deeprepo.rlm.models.answers import fits, objects, parse
from deeprepo.rlm.values import Schema, ToolCall

NEAR = 60  # maximum characters between a tool's name and its arguments
ARGUMENTS = ("arguments", "parameters", "input", "args")
# How some families mark code to run, without a tool's name.
BARE = re.compile(r"<\|python_tag\|>(.+?)(?:<\|eom_id\|>|<\|eot_id\|>|\Z)|<code>(.+?)(?:</code>|\Z)", re.DOTALL)


def calls_in(text: str, tool: Schema) -> tuple[ToolCall, ...]:
    """Return the calls of this tool in a text, in order, or none if the text only mentions the tool."""
    found = list(_in_json(text, tool)) or list(_in_tags(text, tool)) or list(_bare(text, tool))
    return tuple(ToolCall(f"written_{number}", tool.name, arguments) for number, arguments in enumerate(found))


def _in_json(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    for at, value in objects(text):
        function = value.get("function")
        call = function if isinstance(function, Mapping) else {**value, "name": value.get("name") or function}
        if call.get("name") == tool.name:
            arguments = next((call[name] for name in ARGUMENTS if name in call), None)
            arguments = parse(arguments) if isinstance(arguments, str) else arguments
        else:
            arguments = value if tool.name in text[max(0, at - NEAR - len(tool.name)) : at] else None
        if isinstance(arguments, Mapping) and arguments and fits(arguments, tool.parameters):
            yield arguments


def _in_tags(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    """Yield arguments in tags after the tool's name, such as `<parameter=code>...</parameter>` or `<code>...</code>`."""
    for piece in text.split(tool.name)[1:]:
        arguments = {}
        for name in tool.parameters.get("properties", {}):
            opening = rf"<(?:parameter|param|arg)[= ](?:name=)?[\"']?{re.escape(name)}[\"']?>|<{re.escape(name)}>"
            found = re.search(
                rf"(?:{opening})(.*?)(?:</(?:parameter|param|arg|{re.escape(name)})>|\Z)", piece, re.DOTALL
            )
            if found:
                arguments[name] = found[1].strip("\n")
        if arguments and fits(arguments, tool.parameters):
            yield arguments


def _bare(text: str, tool: Schema) -> Iterator[Mapping[str, Any]]:
    properties = list(tool.parameters.get("properties", {}))
    if len(properties) == 1:
        yield from ({properties[0]: (found[1] or found[2]).strip("\n")} for found in BARE.finditer(text))
