import json
from collections.abc import Mapping
from typing import Any

import pytest

from deeprepo.rlm.models.answers import completion
from deeprepo.rlm.models.forms import RequestForm
from deeprepo.rlm.repl import extraction
from deeprepo.rlm.values import Completion, Message, Prompt, ToolCall, Usage


def of(text: str = "", *calls: Mapping[str, Any]) -> str:
    return extraction.of(
        Completion(text, Usage(), calls=tuple(ToolCall(str(i), "execute_python", c) for i, c in enumerate(calls)))
    )


F = "```"


@pytest.mark.parametrize(
    "reply",
    [
        f"{F}python\nset_answer('x')\n{F}\nOutput:\n{F}\nFound 3 files in 2 folders\n{F}",
        f"Thought:\n{F}\nlook for the name, then answer\n{F}\nCode:\n{F}python\nset_answer('x')\n{F}",
        f"{F}python set_answer('x'){F}",
        f"{F}python\nset_answer('x'){F}",
        f"1. do:\n\n    {F}python\n    set_answer('x')\n    {F}",
        f"- do:\n  {F}python\n  set_answer('x')\n  {F}",
        f"\ufeff{F}python\nset_answer('x')\n{F}",
    ],
    ids=["imagined output", "thought", "one line", "closed late", "indented", "in a list", "byte order mark"],
)
def test_block_is_extracted_despite_surrounding_text_and_formatting(reply: str) -> None:
    """Text and formatting around a small model's code do not matter."""
    assert of(reply) == "set_answer('x')"


def test_call_of_a_function_is_code() -> None:
    """A model that calls a function of the REPL as a tool, or writes the call as JSON, has it called."""
    arguments, code = {"prompt": "q"}, "print(llm_query(**{'prompt': 'q'}))"
    assert of(f'{F}json\n{{"name": "llm_query", "arguments": {json.dumps(arguments)}}}\n{F}') == code
    assert extraction.of(Completion("", Usage(), calls=(ToolCall("1", "llm_query", arguments),))) == code
    assert of(f'{F}json\n{{"a": 1}}\n{F}') == ""


C = "set_answer('yes')"
JSON = json.dumps({"name": "execute_python", "arguments": {"code": C}})
NAMES = {"set_answer", "FINAL", "llm_query", "ask", "search"}
FORMS = {
    "prose in a bare fence": f"Thought:\n{F}\nfirst look, then answer\n{F}\n\nCode:\n{F}\n{C}\n{F}",
    "end mark": f"Thought: x\nCode:\n{F}py\n{C}\n{F}<end_code>",
    "call in brackets": f'[execute_python(code="{C}")]',
    "call in marks": f'<|tool_call_start|>[execute_python(code="{C}")]<|tool_call_end|>',
    "call in prose": f'I will run it.\nexecute_python("""{C}""")',
    "one line": f"{F}repl {C}{F}",
    "tildes": f"~~~python\n{C}\n~~~",
    "never closed": f"{F}python\n{C}",
    "no marks": C,
    "JSON in tags": f"<tool_call>\n{JSON}\n</tool_call>",
    "execute tags": f"<execute>\n{C}\n</execute>",
    "python tags": f"<python>\n{C}\n</python>",
    "other tags": f"I answer.\n<run>\n{C}\n</run>",
    "tool_code": f"{F}tool_code\n{C}\n{F}",
    "code as JSON": f"{F}json\n{json.dumps({'code': C})}\n{F}",
    "line ends": f"{F}python\r\n{C}\r\n{F}\r\n",
    "capital": f"{F}Python\n{C}\n{F}",
    "space": f"{F} python\n{C}\n{F}",
    "version": f"{F}python3.11\n{C}\n{F}",
    "braces": f"{F}{{python}}\n{C}\n{F}",
    "title": f'{F}python title="x.py"\n{C}\n{F}',
    "prompts": f"{F}python\n>>> {C}\n{F}",
    "numbered prompts": f"{F}python\nIn [1]: {C}\n{F}",
    "entities": f"{F}python\nset_answer(&#39;yes&#39;)\n{F}",
    "argument tags": f"<tool_call>execute_python\n<arg_key>code</arg_key>\n<arg_value>{C}</arg_value>\n</tool_call>",
    "channel": f"<|channel|>commentary to=functions.execute_python <|constrain|>json<|message|>{json.dumps({'code': C})}<|call|>",
    "array": f"[{JSON}]",
}
WORDS = (
    "{0}", "The answer is {0}.", "open('{0}.txt')", "print('{0}')", "Use ask({0}) for that.", "It calls search({0}), then stops.",
    "I looked for {0}: nothing.", "llm_query reads {0}", "{0} = 3", "**{0}** (see `set_answer`)",
)  # fmt: skip
NOUNS = [
    "Paris",
    "42",
    "noon",
    "7%",
    "Ada",
    "blue",
    "x",
    "y_1",
    "None",
    "True",
    "[1]",
    "{'a':1}",
    "2027-01-01",
    "v1.2",
    "main()",
    "a+b",
    "$5",
    "no",
    "yes",
    "maybe",
]


def extracted(text: str) -> str:
    prompt = Prompt((Message("user", "?"),), tool=extraction.TOOL)
    reply = completion(prompt, RequestForm(), text, (), "end", Usage(), None)
    code = extraction.or_ending(reply, NAMES)
    assert extraction.is_code(reply, NAMES) == bool(code)
    return code


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_code_is_found_in_every_form(text: str) -> None:
    """Code is run, and isn't an answer, in any wrapper that names the tool, in any fence, and without marks."""
    assert extracted(text).strip() == C


def test_answer_in_words_is_not_run() -> None:
    """An answer in words is no code, even if it mentions or looks like code."""
    answers = [form.format(noun) for form in WORDS for noun in NOUNS]
    assert len(answers) == 200
    assert [text for text in answers if extracted(text)] == []
