"""A loopback model that finds nothing, in a process of its own, and writes down every prompt that it was sent.

    python -m benchmarks.counted LOG [DELAY_MS]

Every reviewer gets the same answer, nothing found, after the same delay, in the form that it asks for: ours as its schema, pr-agent in
YAML, OCR by its tools. LOG gets one line of JSON per request: the texts of its messages, and the schemas and tools that went with them.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import loopback
from deeprepo.rlm.values import ToolCall
from deeprepo_sandbox.honest import JUDGED
from deeprepo_sandbox.providers import Reply, Server, verdict
from deeprepo_sandbox.providers.dialect import sample

GROUP = 10  # files: the most that OCR lets a model group
UNDECIDED = {"verdict": "unproven", "trigger": "", "author_would_change": False, "reason": "Not known."}
NOTHING = {  # what a prompt of pr-agent's asks for -> nothing found
    "type $PRReview": "review:\n  estimated_effort_to_review_[1-5]: 3\n  relevant_tests: |\n    Yes\n  key_issues_to_review: []\n  security_concerns: |\n    No\n",
    "type $PRDescription": "type:\n- Enhancement\ndescription: |\n  A change.\ntitle: |\n  A change\npr_files: []\n",
    "type $PRCodeSuggestions": "code_suggestions: []\n",
}


def nothing(body: Mapping[str, Any], text: str) -> Reply:
    """The answer of a model that has found nothing."""
    tools = {tool.get("function", {}).get("name") for tool in body.get("tools", ())}
    asked = body.get("response_format", {}).get("json_schema", {})
    if "task_done" in tools:
        return Reply(calls=(ToolCall("done", "task_done", {}),))
    if "execute_python" in tools:
        return Reply(
            calls=(ToolCall("done", "execute_python", {"code": f"set_answer('Nothing was found.', {JUDGED})"}),)
        )
    if "verdict" in asked.get("name", ""):  # on what code has found
        told = dict(verdict(body, UNDECIDED).data or {})
        return Reply(data={name: told.get(name, empty) for name, empty in sample(asked["schema"]).items()})
    if tools or asked:
        return Reply()
    return Reply(_prose(text))


def _prose(text: str) -> str:
    if "file grouping assistant" in text:
        return json.dumps(list(_groups(text)))
    return next((f"```yaml\n{found}```" for asked, found in NOTHING.items() if asked in text), "Nothing.")


def _groups(text: str) -> Iterator[dict[str, Any]]:
    """The listed files in as few groups as OCR allows, those of one top folder together: what costs it least."""
    folders: dict[str, list[int]] = {}
    for index, path in re.findall(r"^\[(\d+)\] \S+\s+(.+?) \(\+\d", text, re.MULTILINE):
        folders.setdefault(path.partition("/")[0], []).append(int(index))
    for folder, files in folders.items():
        yield from ({"label": folder, "files": files[at : at + GROUP]} for at in range(0, len(files), GROUP))


def _texts(body: Mapping[str, Any]) -> Iterator[str]:
    """What the messages of a request say, the calls of tools in them too."""
    for message in body.get("messages", ()):
        content = message.get("content") or ""
        yield content if isinstance(content, str) else json.dumps(content)
        if message.get("tool_calls"):
            yield json.dumps(message["tool_calls"])


def _schemas(body: Mapping[str, Any]) -> str:
    found = [body[name] for name in ("tools", "response_format") if name in body]
    return json.dumps(found) if found else ""


def main() -> None:
    """Print the base URLs of the two dialects and answer until the process is ended."""
    delay = float([*sys.argv, "0"][2]) / 1000
    with Path(sys.argv[1]).open("a", buffering=1) as file:

        def answer(body: Mapping[str, Any]) -> Reply:
            said = list(_texts(body))
            file.write(json.dumps({"texts": said, "schemas": _schemas(body)}) + "\n")
            return nothing(body, "\n".join(said))

        loopback.serve(Server(answer, delay=delay))


if __name__ == "__main__":
    main()
