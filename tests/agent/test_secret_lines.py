"""What the root's code gets from a line with a secret."""

import textwrap
from collections.abc import Callable

from fakes import Repository
from shop import AFTER, BEFORE, Table
from test_agent_tools import blocks

SECRETS = {"token": "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4", "password": "Tr0ub4dor-kestrel-91", "seed": "Qm7Z"}


def pull(repository: Repository, secrets: dict[str, str]) -> Table:
    """Build a change that leaves the files with secrets as they are."""
    body = "\n".join(
        textwrap.wrap(secrets["seed"] + "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDx7T3q" * 6, 64)
    )
    kept = {
        "conf/app.yml": f"name: shop\ntoken: {secrets['token']}\npassword: {secrets['password']}\nrate: 3\n",
        "conf/app.key": f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n",
    }
    return Table(repository.change({**BEFORE, **kept}, dict(AFTER)))


def test_line_with_a_secret_is_found_without_revealing_the_secret(repositories: Callable[[str], Repository]) -> None:
    """Words, patterns and the mask find the line, its quote is accepted, and no output has the secret."""
    said, _, _ = blocks(
        pull(repositories("one"), SECRETS),
        "print(search('token:'))",
        "print(search('^pass(word|phrase): '))",
        "shown = read('conf/app.yml', 2, 2).split()[-1]\nprint(shown[:14], search(shown) == search('token:'))",
        "print(report('conf/app.yml', raw('conf/app.yml', 2, 2), 'A', 'b')[:7] != 'refused')",
    )
    assert [one.split(" ")[0] for one in said[:2]] == ["['conf/app.yml:2:", "['conf/app.yml:3:"]
    assert said[2:] == ["MASKED_SECRET_ True", "True"]
    assert not any(secret in one for secret in SECRETS.values() for one in said)
