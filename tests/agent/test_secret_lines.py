"""What the root's code gets from a line with a secret."""

import random
import re
import string
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from fakes import Repository
from secret_samples import SAMPLES
from shop import AFTER, BEFORE, Table

from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.opening import look_ups_over
from bot.review.session import Session
from bot.secrets.masking import PLACEHOLDER, digest
from bot.values import LookUp, Source
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Limits, Prompt

SECRETS = {
    "token": "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4",
    "password": "Tr0ub4dor-kestrel-91",
    "seed": "Qm7Z",
    "key": "sk-ant-api03-kR7-Qp3ZxW9vBnT5yLm2hJ8dFs4-GaKe6UoCi1rXtMzNbVqPwYlEj0",
}
FORMS = ("{}", "x{}", "_{}_", "{}9", "{}-~", "[{}]", "(?i){}", "token: (?!{})", "=" * 33 + "$.&%{}" + "=" * 32)
# What a root may ask with a word: a part of one of the SECRETS, or a form of a placeholder
QUESTIONS = (
    "read(w)",
    "read('probe/' + w)",
    "raw(w)",
    "diff(w)",
    "search(w)",
    "search(w, base=True)",
    "search('^', 'probe/[' + w + ']')",
    "callers(w)",
    "outline('conf/app.yml', w)",
    "outline('a: b\\n' + w + ': 5\\n', w, form='yaml')",
    "parsed('{\"a' + w + '\":\\n 5}', form='json')",
    "report('conf/app.yml', w, 'The ' + w, w)",
    "report('conf/app.yml', raw('conf/app.yml', 2), 'A ' + w, w, evidence=[('conf/app.yml', w)], suggestion=w)",
    "agree(findings()[0]['id'], 'conf/app.yml', w) if findings() else None",
    "drop(w, w, 'conf/app.yml', w)",
    "ask(['conf/app.yml'], w)",
    "llm_query(w)",
    "set_answer(w, overview=w)",
)


def twins(form: str) -> tuple[str, str]:
    """Return two secrets with the same placeholder, so that answers about them can be compared byte by byte."""
    known, source = dict[str, str](), random.Random(form)  # noqa: S311 - not for cryptography
    while True:
        one = re.sub("#", lambda _: source.choice(string.ascii_letters + string.digits), form)
        other = known.setdefault(digest(one), one)
        if other != one:
            return other, one


def pull(repository: Repository, secrets: dict[str, str]) -> Table:
    """Build a change that leaves the files with secrets as they are."""
    body = "\n".join(
        textwrap.wrap(secrets["seed"] + "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDx7T3q" * 6, 64)
    )
    kept = {
        "shop/keys.py": f"def key():  # not kR7\n    return {secrets['key']}\n",
        "conf/app.yml": f"name: shop\ntoken: {secrets['token']}\npassword: {secrets['password']}\nrate: 3\n",
        "conf/app.key": f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n",
    }
    return Table(repository.change({**BEFORE, **kept}, dict(AFTER)))


def blocks(table: Table, *codes: str, look_ups: tuple[LookUp, ...] = ()) -> list[str]:
    """Return what each block prints or its error, each look-up's result, and the notes."""

    async def step(session: Session) -> list[str]:
        over = look_ups_over(session.tree, session.files)
        session.callers = over.callers
        state = RunState(session, source=Source("model", "scripted/root", "root"))
        async with Repl(await tools.variables(session), tools.functions(state), Limits()) as repl:
            seen = [await repl.run(code) for code in codes]
        found = [session.survey.masks.hide(repr(await over.find(look_up))) for look_up in look_ups]
        return [
            *(one.error or one.output.rstrip("\n") for one in seen),
            *found,
            *session.survey.masks.hide(state.notes),
        ]

    return table.run(step)


def test_line_with_a_secret_is_found_without_revealing_the_secret(repositories: Callable[[str], Repository]) -> None:
    """Words, patterns and the mask find the line, its quote is accepted, and no output has the secret."""
    said = blocks(
        pull(repositories("one"), SECRETS),
        "print(search('token:'))",
        "print(search('^pass(word|phrase): '))",
        "shown = read('conf/app.yml', 2, 2).split()[-1]\nprint(shown[:14], search(shown) == search('token:'))",
        "print(report('conf/app.yml', raw('conf/app.yml', 2, 2), 'A', 'b')[:7] != 'refused')",
    )
    assert [one.split(" ")[0] for one in said[:2]] == ["['conf/app.yml:2:", "['conf/app.yml:3:"]
    assert said[2:4] == ["MASKED_SECRET_ True", "True"]
    assert not any(secret in one for secret in SECRETS.values() for one in said)


def test_answers_do_not_depend_on_a_secret(repositories: Callable[[str], Repository]) -> None:
    """All functions, replies and lookups give equal answers about repositories that only differ in their secrets."""
    pairs = [twins(form) for form in ("ghp_" + "#" * 36, "Tr0#b4###-91", "Tr0#b4###-kestrel#-91")]
    parts = [
        part for one, _ in pairs for part in (one[4:10], one[-5:], f"[{one[4:8]}]", f"{one[:5]}.*{one[-2:]}", one[3:7])
    ]

    def answers(name: str, secrets: list[str]) -> list[str]:
        lines = "".join(
            f"{key}: {value}\n" for key, value in zip(("token", "password", "secret"), secrets, strict=True)
        )
        kept = {
            "conf/app.yml": f"name: shop\n{lines}rate: 3\n",
            "conf/code.py": f"def key():\n    return {secrets[0]!r}\n",
        }
        probes = {f"probe/{letter}": "x\n" for letter in string.ascii_letters + string.digits}
        odd = {f"{'=' * 33}{one[at : at + 2]}$#&%{'=' * 32}": "x\n" for one, _ in pairs for at in (4, 5, 6)}
        prompts = list[str]()

        def reply(asked: Prompt) -> Mapping[str, Any]:
            text = PLACEHOLDER.sub("", asked.messages[-1].text)
            prompts.append(str(asked.messages))
            rows = [{"path": "conf/app.yml", "quote": quote} for quote in asked.messages[-1].text.split("\n")[-9:]]
            words = {"title": text[-80:], "why": "w", "consequence": "", "trigger": "", "severity": "low"}
            found = {**words, "category": "logic", "evidence": rows, "suggestion": None}
            return {"answer": "See.", "found": True, "quotes": rows, "findings": [{**found, **row} for row in rows]}

        table = Table(repositories(name).change({**BEFORE, **kept}, {**AFTER, **probes, **odd}), worker=reply)
        shown = "[read('conf/app.yml', n, n).split()[-1] for n in (2, 3, 4)]"
        words = f"words = {parts!r} + [form.format(p) for p in {shown} for form in {FORMS!r}]"
        codes = [
            f"for w in words:\n    try:\n        print({one})\n    except Exception as error:\n        print(error)"
            for one in QUESTIONS
        ]
        look_ups = [LookUp(kind, word) for kind in ("search", "uses", "definition") for word in parts]
        said = blocks(table, words, *codes, "print(findings(), budget())", look_ups=tuple(look_ups))
        return [*said, *prompts]

    ours, others = (answers(name, [pair[at] for pair in pairs]) for at, name in enumerate(("one", "two")))
    assert len(QUESTIONS) * (len(parts) + len(FORMS) * len(pairs)) > 500
    assert [(one, other) for one, other in zip(ours, others, strict=True) if one != other] == []
    assert not any(secret in one for pair in pairs for secret in pair for one in (*ours, *others))
    assert "MASKED_SECRET" in ours[1]


def test_no_form_of_a_secret_is_searched(repository: Repository) -> None:
    """No search finds part of a secret, whatever form it has and whatever file contains it."""
    kept = {f"{rule}/{path}": f"{line}\n" for rule, (path, line, _) in SAMPLES.items()}
    said = blocks(
        Table(repository.change({**BEFORE, **kept}, dict(AFTER))),
        *(f"print(search({re.escape(secret[4:16])!r}))" for _, _, secrets in SAMPLES.values() for secret in secrets),
    )
    assert {one for one in said if not one.startswith("search(")} == {"[]"}
