"""What the root's code gets from a line with a secret."""

import re
import textwrap
from collections.abc import Callable

from fakes import Repository
from secret_samples import SAMPLES
from shop import AFTER, BEFORE, Table

from bot.review.agent import tools
from bot.review.agent.state import RunState
from bot.review.opening import look_ups_over
from bot.review.session import Session
from bot.secrets.masking import PLACEHOLDER
from bot.values import LookUp, Source
from deeprepo.rlm.repl.process import Repl
from deeprepo.rlm.values import Limits

SECRETS = {
    "token": "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4",
    "password": "Tr0ub4dor-kestrel-91",
    "seed": "Qm7Z",
    "key": "sk-ant-api03-kR7-Qp3ZxW9vBnT5yLm2hJ8dFs4-GaKe6UoCi1rXtMzNbVqPwYlEj0",
}
OTHERS = {
    "token": "ghp_zQWd4E6fH8hK0kM2mP3pR5rT7tV9vX1xZ3zB5qYw",
    "password": "Xy9ub2dor-falcon7-40",
    "seed": "Tn4X",
    "key": "sk-ant-api03-wT4-Zp5KxV2vCnR8yMm3hG7dQs6-HbLe9TiDu2rYkNzPcWqOvXlAf1",
}
# Each asks something about SECRETS that is false for OTHERS.
QUESTIONS = (
    "search('p_aB[0-9]')",
    "search('p_aB[0-9]', base=True)",
    "search('p_aB[0-9]|MASKED_SECRET')",
    "search('token: (?!ghp_aB[0-9])')",
    "search('token: ghp_[^a]|name: [^a]')",
    "search('token: .{40}$')",
    "search('ghp_aB(?:(?:[a-zA-Z0-9]+)+)+!')",  # too hard for the engine on a line that begins like this
    "search('ghp_aB3|rate|name', limit=1)",  # the number of other lines
    "search('sk-ant-api03-k')",
    "search('sk-ant-api03-w')",
    "search('Qm7ZM')",
    "callers('kR7')",
    "outline('shop/keys.py', 'kR7')",
    "outline('conf/app.yml', 'kestrel')",
    "raw('sk-ant-api03-k')",
    "report('shop/keys.py', 'Qp3ZxW9vBnT5yLm2hJ8dFs4', 'A', 'b')",
    "report('conf/app.yml', 'kestrel', 'A', 'b')",
)


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
    """Searches, lookups and quotes get the same answers about repositories that only differ in their secrets."""
    look_ups = tuple(
        LookUp(kind=kind, name=name)
        for kind, name in (
            ("search", "token: (?!ghp_aB[0-9])"),
            ("search", "sk-ant-api03-k"),
            ("uses", "kR7"),
            ("definition", "kestrel"),
        )
    )

    def answers(name: str, secrets: dict[str, str]) -> list[str]:
        said = blocks(pull(repositories(name), secrets), *(f"print({one})" for one in QUESTIONS), look_ups=look_ups)
        return [PLACEHOLDER.sub("MASKED", one) for one in said]

    ours, others = answers("one", SECRETS), answers("two", OTHERS)
    assert [*zip(QUESTIONS, ours, strict=False)] == [*zip(QUESTIONS, others, strict=False)]
    assert ours == others
    assert "conf/app.yml:2: token: MASKED" in ours[2]


def test_no_form_of_a_secret_is_searched(repository: Repository) -> None:
    """No search finds part of a secret, whatever form it has and whatever file contains it."""
    kept = {f"{rule}/{path}": f"{line}\n" for rule, (path, line, _) in SAMPLES.items()}
    said = blocks(
        Table(repository.change({**BEFORE, **kept}, dict(AFTER))),
        *(f"print(search({re.escape(secret[4:16])!r}))" for _, _, secrets in SAMPLES.values() for secret in secrets),
    )
    assert {one for one in said if not one.startswith("search(")} == {"[]"}
