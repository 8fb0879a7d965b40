"""What the root's code can ask does not depend on a secret: two trees that differ in their secrets alone give the same answers."""

import re
import textwrap
from collections.abc import Callable

from fakes import Repository
from shop import AFTER, BEFORE, Table
from test_agent_tools import blocks

MASKED = re.compile(r"[A-Z_]*ECRET_\w+")
SECRETS = (
    {"token": "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4", "password": "Tr0ub4dor-kestrel-91", "seed": "Qm7Z"},
    {"token": "ghp_zY9wX7vU5tS3rQ1pN0mK8jH6gF4dC2bA1eG3", "password": "f1shing-Wharf_2207", "seed": "xP0d"},
)
# Each of these tells the two apart if it is answered from the text itself.
QUESTIONS = """
search('token: ghp_a')
search('token: gh.*3dE')
search('token: (?=ghp_a|M)')
search('token: ghp_[a-m]')
search('password: T')
search('(?i)PASSWORD: t')
search('kestrel')
search('91$')
search('[0-9]$', glob='conf/*')
search('^password: (Tr|x)')
search('ord: [^f]+')
search(r'\\bwharf', 'conf/*')
search('f1shing-Wharf_2207')
search('aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4')
search('Qm7Z')
len(search('e', limit=200))
callers('kestrel')
readers('Wharf')
readers('Tr0ub4dor')
read('conf/app.key', 3, 3)
raw('conf/app.key', 3, 3)
read('conf/app.yml', 2, 2)
preview('conf/app.yml', 40)
preview(read('conf/app.yml', 2, 3), 30)
outline('conf/app.yml', find='Tr0u')
[c['text'][:200] for c in chunks('conf/app.key', 50)]
report('conf/app.yml', 'password: Tr0ub4dor', 'A', 'b')
report('conf/app.yml', 'password: Tr0ub4dor-kestrel-91', 'A', 'b')
report('conf/app.yml', 'token: ghp_aB3dE5', 'A', 'b')
report('shop/price.py', '        return None', 'A', 'b', evidence=[['conf/app.yml', 'password: Tr0ub4dor']])
""".strip().splitlines()


def pull(repository: Repository, secrets: dict[str, str]) -> Table:
    """A change that leaves the files with the secrets as they are."""
    body = "\n".join(
        textwrap.wrap(secrets["seed"] + "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDx7T3q" * 6, 64)
    )
    kept = {
        "conf/app.yml": f"name: shop\ntoken: {secrets['token']}\npassword: {secrets['password']}\nrate: 3\n",
        "conf/app.key": f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n",
    }
    return Table(repository.change({**BEFORE, **kept}, dict(AFTER)))


def test_answers_do_not_depend_on_secrets(repositories: Callable[[str], Repository]) -> None:
    """Over searches, patterns that look around, uses of names, lines of keys, and quotes."""

    def answers(at: int) -> list[tuple[str, str]]:
        said, _, _ = blocks(pull(repositories(str(at)), SECRETS[at]), *(f"print({one})" for one in QUESTIONS))
        assert not any(secret in one for secret in SECRETS[at].values() for one in said)
        names = dict[str, str]()  # of placeholders, which differ as the secrets do
        plain = [MASKED.sub(lambda name: names.setdefault(name[0], f"#{len(names)}"), one) for one in said]
        return list(zip(QUESTIONS, plain, strict=True))

    assert answers(0) == answers(1)


def test_a_line_with_a_secret_is_found_by_what_stands_beside_it(repositories: Callable[[str], Repository]) -> None:
    """By words, by patterns without a look around, and by the placeholder; quotes of what was shown are accepted."""
    said, _, _ = blocks(
        pull(repositories("one"), SECRETS[0]),
        "print(search('token:'))",
        "print(search('^pass(word|phrase): '))",
        "shown = read('conf/app.yml', 2, 2).split()[-1]\nprint(shown[:14], search(shown) == search('token:'))",
        "print(report('conf/app.yml', raw('conf/app.yml', 2, 2), 'A', 'b')[:7] != 'refused')",
    )
    assert [one.split(" ")[0] for one in said[:2]] == ["['conf/app.yml:2:", "['conf/app.yml:3:"]
    assert said[2:] == ["MASKED_SECRET_ True", "True"]
