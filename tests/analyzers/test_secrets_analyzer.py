from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
import step
from fakes import Repository

from bot.analyzers.checks import secrets
from bot.checkout import Checkout
from bot.secrets import detect
from bot.secrets.masking import Masks
from bot.values import Dependents, Finding, PullRequest

# The values are built from parts so that secret scanners don't report this file.
HEX = "9f8a7b6c5d4e3f2a" + "1b0c9d8e7f6a5b4c"
BASE = "wJb1rXUtnFEMIqK7" + "MDENGxbPxRfiCYzKq83ma0Tw"
GITHUB = "ghp" + "_" + "a8Kd02mNvQ71zXcPrT56yUbLwE93sHjFgRt4"
GOOGLE = "AI" + "za" + "SyD8kQ2mVx7Lp0Rt5Wn3Yb6Hc9Jf1Zg4Ue8"
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----"
BODY = "MIIEpAIBAAKCAQEA7d8sK3mQv1xPz5nR0tYwUeHjLkGfDsAqWzXcVbNmPoIuYtRe"


def look(pull: PullRequest) -> list[Finding]:
    """Return the findings about a change."""

    async def run(tree: Checkout, files: step.Files) -> list[Finding]:
        return list((await secrets.check(tree, files, Dependents())).findings)

    return step.over(pull, run)


def leaks(repository: Repository, texts: Sequence[tuple[str, str]], rule: str = "") -> list[tuple[str, str]]:
    """Return the texts that are reported, by any rule or only by the given one. All are in one change."""
    files = {f"n{number}/{path}": f"{text}\n" for number, (path, text) in enumerate(texts)}
    found = look(repository.change({"r": "x"}, dict(files)))
    paths = {at.path for one in found if rule in ("", one.rule) for at in (one, *one.evidence)}
    return [texts[number] for number, path in enumerate(files) if path in paths]


@pytest.mark.parametrize(
    ("path", "line", "rule", "severity", "verdict"),
    [
        ("a.py", f'GH = "{GITHUB}"', "github-token", "high", "proven"),
        ("tests/test_a.py", f'GH = "{GITHUB}"', "github-token", "high", "proven"),
        ("a.js", f"const key = '{GOOGLE}';", "google-key", "critical", "proven"),
        ("a.py", f'AWS_SECRET_ACCESS_KEY = "{BASE}"', "aws-key", "critical", "proven"),
        ("a.py", 'password = "tr0ub4dor&3xK"', "password", "high", "unproven"),
        ("a.yml", "password: s3cr3tPa55w0rd", "password", "high", "unproven"),
        ("a.py", f'api_token = "{HEX}"', "random-value", "high", "unproven"),
        ("a.py", f'HEADERS = {{"Authorization": "Bearer {HEX}"}}', "authorization-header", "high", "unproven"),
        ("a.js", f"request.headers['authorization'] = 'Token {HEX}';", "authorization-header", "high", "unproven"),
        ("a.sh", f'curl -H "Authorization: Basic {HEX}" https://a.corp.io', "authorization-header", "high", "unproven"),
        ("a.sh", "curl -u admin:s3cr3tPa55w0rd https://a.corp.io", "login-in-command", "high", "unproven"),
        ("a.sh", "  --user 'admin:s3cr3tPa55w0rd' \\", "login-in-command", "high", "unproven"),
        ("a.py", 'URL = "postgres://me:s3cr3tPa55w0rd@db.prod.corp.io/x"', "login-in-address", "high", "unproven"),
    ],
)
def test_secrets_are_found(
    repository: Repository, path: str, line: str, rule: str, severity: str, verdict: str
) -> None:
    """Exact token formats are proven; a value that only has a suspicious name is unproven."""
    (finding,) = look(repository.change({"r": "x"}, {path: f"x = 1\n{line}\n"}))

    assert (finding.rule, finding.severity, finding.verdict) == (rule, severity, verdict)
    assert (finding.path, finding.start, finding.quote, finding.category) == (path, 2, line, "secret")


def test_finding_text_does_not_contain_the_secret(repository: Repository) -> None:
    """The title, the reason and the consequence contain only the kind of secret."""
    (finding,) = look(repository.change({"r": "x"}, {"a.py": f'GH = "{GITHUB}"\n'}))

    assert GITHUB not in finding.title + finding.why + finding.consequence + finding.trigger
    assert finding.title == "A GitHub token is committed"
    assert finding.why == "The change adds a line with the exact form of a GitHub token."


def test_secret_at_two_locations_is_one_finding(repository: Repository) -> None:
    """A secret at two locations gives one finding, with the other location as evidence."""
    (finding,) = look(repository.change({"r": "x"}, {"a.py": f'A = "{GITHUB}"\n', "b.py": f'\nB = "{GITHUB}"\n'}))

    assert finding.path == "a.py"
    assert [(item.path, item.line, item.note) for item in finding.evidence] == [("b.py", 2, "the same value")]


def test_secrets_on_unchanged_or_removed_lines_are_not_reported(repository: Repository) -> None:
    """Secrets on unchanged and removed lines are not reported."""
    old = f'A = "{GITHUB}"\nB = 1\nC = "{GOOGLE}"\n'

    assert look(repository.change({"a.py": old}, {"a.py": f'A = "{GITHUB}"\nB = 2\n'})) == []


PUBLIC = [
    ("a.py", 'AWS_ACCESS_KEY_ID = "AKIAIOSFODNN7' + 'EXAMPLE"'),
    ("a.py", 'password = "changeme123"'),
    ("a.py", 'password = os.environ["APP_PASSWORD_1"]'),
    ("a.py", 'password = get_secret("db/p4ssw0rd/main")'),
    ("a.py", 'PASSWORD_FIELD = "user_password1"'),
    ("a.yml", "api_key: ${API_KEY_2}"),
    ("a.yml", "secretName: my-app-secret-v2"),
    ("a.py", f'sha256 = "{HEX}"'),
    ("a.py", f'COMMIT = "{HEX}"'),
    ("a.py", 'token_id = "123e4567-e89b-12d3-a456-426614174000"'),
    ("a.py", 'GH = "ghp' + "_" + "a" * 36 + '"'),
    ("a.py", 'token_url = "https://login.corp.io/oauth2/token1"'),
    ("a.py", 'URL = "postgres://postgres:p0stgr3sPw@localhost/x"'),
    ("tests/test_a.py", 'password = "tr0ub4dor&3xK"'),
    ("README.md", 'password = "tr0ub4dor&3xK"'),
    ("a.ts", 'placeholder: "Enter your password, e.g. Tr0ub4dor"'),
    ("package-lock.json", f'"token": "{BASE}"'),
]


def test_placeholders_hashes_and_references_are_not_reported(repository: Repository) -> None:
    """Placeholders, public values, IDs, test values and references to other values are not reported."""
    assert leaks(repository, PUBLIC) == []


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ({}, "# @generated\n{}", "values.yml"),
        ({"values.yml": "# @generated\n"}, "# @generated\n{}", "values.yml"),
        ({"vendor/a.yml": "a: 1\n"}, "{}", "vendor/a.yml"),
        ({"poetry.lock": "a\n"}, "a\n{}", "poetry.lock"),
        ({}, "{}", "__snapshots__/a.snap"),
        ({}, "{}" + "a: 1\n" * 20_001, "values.yml"),
    ],
    ids=["new header", "old header", "vendored", "lock file", "snapshot", "many lines"],
)
def test_unreviewed_files_are_searched_for_secrets(
    repository: Repository, before: dict[str, str], after: str, path: str
) -> None:
    """Generated, vendored, lock and very long files are not reviewed, but still searched for keys."""
    key = "aws_access_key_id: AKIA" + "Q3ZRT5PLMX7WQN2B\n"

    assert [finding.path for finding in look(repository.change({"r": "x", **before}, {path: after.format(key)}))] == [
        path
    ]


KEYS = ("AKIA" + "Q3ZRT5PLMX7WQN2B", "AKIA" + "Z4QWX7MNPL5TRV3K")


def test_token_proof_is_its_digest_but_a_password_proof_is_not(repository: Repository) -> None:
    """The proof of a token is its SHA-256, but that of a guessable password is not a plain digest."""
    (one,) = look(repository.change({"r": "x"}, {"a.yml": f"k: {KEYS[0]}\n"}))
    assert one.basis.sources[0].proof == f"aws-key {sha256(KEYS[0].encode()).hexdigest()}"
    (guess,) = look(repository.change({"r": "x"}, {"b.py": 'password = "tr0ub4dor&3xK"\n'}))
    word = guess.basis.sources[0].proof.partition(" ")[2]
    assert (len(word), word == sha256(b"tr0ub4dor&3xK").hexdigest()) == (64, False)


OTHER_BODY = BODY[::-1]


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        (f'AWS = "{BASE}" ; aws_secret_access_key = "{BASE}"  # not a {PEM}', ["aws-key"]),
        (f'a = "{GITHUB}"  # {PEM}', ["github-token"]),
        (f"U={GOOGLE}:{GITHUB}", ["google-key", "github-token"]),
        (f"U={GITHUB}:{GITHUB[:-1]}A", ["github-token", "github-token"]),
        (f'password = "{GITHUB}"', ["github-token"]),
        (f'a = "{GITHUB}"; b = "{GITHUB}"', ["github-token"]),
    ],
)
def test_each_secret_on_a_line_is_checked_separately(repository: Repository, line: str, rules: list[str]) -> None:
    """A marker that isn't a secret doesn't hide one after it, and each value is reported only once."""
    found = look(repository.change({"r": "x"}, {"conf.py": f"{line}\n"}))

    assert sorted(finding.rule for finding in found) == sorted(rules)
    assert len({finding.basis.sources[0].proof for finding in found}) == len(rules)


LONG_BODY = (BODY + OTHER_BODY) * 4


def _key(width: int, *, end: str = "\n") -> str:
    rows = [LONG_BODY[at : at + width] for at in range(0, len(LONG_BODY), width)]
    return end.join(["-----BEGIN " + "PRIVATE KEY-----", *rows, "-----END PRIVATE KEY-----", ""])


WRITTEN_KEYS = [
    ("k.pem", _key(10_000)),
    ("sa.json", '{"private_key": "' + _key(64, end="\\n") + '", "client_email": "a@b.iam"}'),
    ("a.env", "KEY=" + _key(64, end=" ")),
    ("a.yml", "key: |\n    " + _key(64, end="\n    ")),
    ("a.js", "const k = '" + _key(64, end="\\n' +\n  '") + "';"),
    ("a.py", "# " + _key(64, end="\n# ")),
]


def test_private_key_is_found_in_any_notation(repository: Repository) -> None:
    """A private key is recognized by its body, whatever surrounds its rows."""
    assert leaks(repository, WRITTEN_KEYS, "private-key") == WRITTEN_KEYS


PASSWORD = "Tr0ub4dor-" + "kestrel-91"
RANDOM = "q7RkV2mX9pLs" + "4TnB8wYc1HdZ6fGj3KuA"
# Passwords in the ways that people write them. `VALUE` in a line of the file stands for any of them, `LONG` for a token.
PASSWORDS = (
    PASSWORD,
    HEX,
    RANDOM,
    "hT7kq9Z" + "pLw2xVb8",
    "tr0ub4d" + "or3xKq7",
    "Zk4!pW" + "9mQ2x",
    "s3cr3t" + "Pa55w0rd",
)
LINES = (Path(__file__).parents[1] / "secret_lines.txt").read_text(encoding="utf-8").splitlines()


def test_named_value_in_settings_and_code_is_masked() -> None:
    """In hundreds of ways to write a password in settings and code, exactly its value is masked."""
    missed = []
    for path, _, line in (row.partition("\t") for row in LINES):
        for value in PASSWORDS if "VALUE" in line else (RANDOM,):
            text = line.replace("\\n", "\n").replace("VALUE", value).replace("LONG", value)
            missed += [(path, text)] * (detect.secrets(f"{text}\n", path) != {(value, True)})
    assert (len(LINES), missed) == (320, [])


@pytest.mark.parametrize(
    "line",
    [f'password = "{PASSWORD}"  # ' + "a b " * 100, "a=1;" * 200 + f'password="{PASSWORD}";' + "b=2;" * 200],
    ids=["a comment", "a long line"],
)
def test_password_on_a_very_long_line_is_found(repository: Repository, line: str) -> None:
    """A password is found next to a long comment, and between many other assignments on its line."""
    found = look(repository.change({"r": "x"}, {"a.py": f"{line}\n"}))

    assert len(found) == 1


def test_private_key_with_a_replaced_body_is_reported(repository: Repository) -> None:
    """A private key whose body is replaced is reported, although its first line is unchanged."""
    key = f"{PEM}\n{BODY}\n-----END RSA PRIVATE KEY-----\n"
    found = look(repository.change({"k.pem": key}, {"k.pem": key.replace(BODY, OTHER_BODY)}))

    assert [(finding.rule, finding.verdict) for finding in found] == [("private-key", "proven")]


ROWS = [LONG_BODY[at : at + 64] for at in range(0, len(LONG_BODY), 64)]
END_MARK = "-----END RSA " + "PRIVATE KEY-----"
PARTS = {  # how a file begins, the body that the change adds, and how the file ends
    "rows": (f"{PEM}\n", "\n".join(ROWS), f"\n{END_MARK}\n"),
    "one line": (f"{PEM}\n", LONG_BODY, f"\n{END_MARK}\n"),
    "PHP": (f"<?php\n$k = '{PEM}' .\n", "\n".join(f"  '{row}' ." for row in ROWS), f"\n  '{END_MARK}';\n"),
    "a list of YAML": (f"k:\n  - {PEM}\n", "\n".join(f"  - {row}" for row in ROWS), f"\n  - {END_MARK}\n"),
    "comments": (f"# {PEM}\n", "\n".join(f"# {row}" for row in ROWS), f"\n# {END_MARK}\n"),
    "calls": (f"k.push('{PEM}');\n", "\n".join(f"k.push('{row}');" for row in ROWS), f"\nk.push('{END_MARK}');\n"),
    "a shell": (f"echo '{PEM}' > k\n", "\n".join(f"echo '{row}' >> k" for row in ROWS), f"\necho '{END_MARK}' >> k\n"),
}  # fmt: skip


def test_key_body_added_between_existing_markers_is_reported(repository: Repository) -> None:
    """A key body added between existing BEGIN and END lines is reported, in any format."""
    before = {f"{at}.conf": head + end for at, (head, _, end) in enumerate(PARTS.values())}
    after = {f"{at}.conf": "".join(parts) for at, parts in enumerate(PARTS.values())}
    found = look(repository.change(dict(before), dict(after)))

    assert {(at.path, finding.rule) for finding in found for at in (finding, *finding.evidence)} == {
        (path, "private-key") for path in after
    }
    assert all(PEM in at.quote for finding in found for at in (finding, *finding.evidence))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"x = (\n    '{PASSWORD}'\n)\n", f"DB_PASSWORD = (\n    '{PASSWORD}'\n)\n"),
        (f"{BODY}\n{OTHER_BODY}\n", f"{PEM}\n{BODY}\n{OTHER_BODY}\n{END_MARK}\n"),
    ],
    ids=["a name", "a mark"],
)
def test_existing_value_is_reported_if_the_change_makes_it_a_secret(
    repository: Repository, before: str, after: str
) -> None:
    """An existing value is reported if the change adds the name or BEGIN line that makes it a secret."""
    assert len(look(repository.change({"conf.py": before}, {"conf.py": after}))) == 1


HARMLESS = [  # similar lines without a password
    ("run.sh", "mysql --password=$DB_PASSWORD_1 shop"),
    ("run.sh", "mysql --password-file=vault9-f1le-k3y shop"),
    ("Dockerfile", "FROM a\nENV DB_PASSWORD_FILE=/run/secrets/db1pass"),
    (".env", "SECRET_KEY=change-me-123"),
    ("a.py", 'p = os.getenv("APP_PASSWORD", "changeme-123")'),
    ("a.py", 'p = os.getenv("APP_REGION", "eu-west-9f3k2")'),
    ("run.sh", "export P=${APP_PASSWORD:-$OTHER_PASSWORD_1}"),
    ("a.py", 'PASSWORD = (\n    read_1("db/p4ssw0rd")\n)'),
    ("a.py", 'ROUTE = (\n    "a8Kd02mNvQ71"\n)'),
    ("a.go", 'var c = C{\n\tPassword: os.Getenv("DB_PASSWORD_1"),\n}'),
    ("a.py", "connect(password=db_password_1, user=a)"),
    ("a.py", 'HEADERS = {"Authorization": f"Bearer {token}"}'),
    ("a.sh", 'curl -H "Authorization: Bearer $API_TOKEN" https://a.corp.io'),
    ("a.sh", "curl -u admin:$ADMIN_PASSWORD https://a.corp.io"),
    ("a.sh", "docker run -u 1000:1000 image"),
    ("a.sh", "curl -u user:password https://a.corp.io"),
]


@pytest.mark.parametrize(
    ("path", "is_found"),
    [
        ("deploy_key.txt", True),
        ("NOTES.md", True),
        ("docs/key.pem", False),
        ("tests/server.key", False),
        ("LICENSE", True),
        ("yarn.lock", True),
        ("deploy/go.sum", True),
        ("examples/Cargo.lock", False),
    ],
)
def test_private_key_in_a_document_is_reported(repository: Repository, path: str, is_found: bool) -> None:
    """Private keys in documents and lock files are reported, except in samples; passwords there are not."""
    text = f'{PEM}\n{BODY}\n-----END RSA PRIVATE KEY-----\npassword = "{PASSWORD}"\n'
    found = look(repository.change({"r": "x"}, {path: text}))
    assert [finding.rule for finding in found] == ["private-key"] * is_found


@pytest.mark.parametrize("form", [".env:TOKEN=", "Dockerfile:ENV API_TOKEN=", "run.sh:export ACCESS_TOKEN="])
def test_unquoted_random_token_is_found(repository: Repository, form: str) -> None:
    """An unquoted token is found like a quoted one."""
    path, _, before = form.partition(":")
    found = look(repository.change({"r": "x"}, {path: f"{before}q7RkV2mX9pLs4TnB8wYc1HdZ6fGj3KuA\n"}))
    assert [finding.rule for finding in found] == ["random-value"]


NO_SECRETS = [
    ("a.xml", "<password>${db.password1}</password>"),
    ("a.xml", "<password>changeit1</password>"),
    ("a.xsd", '<element name="password" type="xs:string1"/>'),
    ("a.html", '<input name="authenticity_token" type="hidden" value="NrOp5bsjoLRuK8IW5dQEYjKGUJDe7TQoZVvq95Wteg"/>'),
    (
        "a.ini",
        "b: AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    ),
    ("strings.xml", '<string name="password_label">Password2fields</string>'),
    ("a.xml", "<passwordFile>etc/pass1word.txt</passwordFile>"),
    ("a.xml", "<passwordHash>hT7kq9ZpLw2xVb8</passwordHash>"),
    ("a.csproj", "<PublicKeyToken>31bf3856ad364e35</PublicKeyToken>"),
    ("a.config", '<assemblyIdentity name="A" publicKeyToken="30ad4fe6b2a6aeed" culture="neutral" />'),
    ("a.yaml", "- name: DB_PASSWORD\n  valueFrom: hT7kq9ZpLw2xVb8"),
    ("a.yaml", "- name: DB_HOST\n  value: hT7kq9ZpLw2xVb8"),
    ("a.config", '<add key="DbPassword" value="shop"/><add key="Db" value="hT7kq9ZpLw2xVb8"/>'),
    ("a.js", 'name="DbPassword" value="shop" name="Db" value="hT7kq9ZpLw2xVb8"'),
    ("a.yaml", "- name: DB_PASSWORD\n  value: $(DB_PASS1word)"),
    ("a.cs", 'var c = $"Server=db;Password={password1};User Id=x";'),
    ("a.py", "connect(host=a, user=b, password=config2password)"),
    ("a.js", "var host=a2;password=form2password;"),
    ("a.js", 'fetch("https://a.io/x?page=hT7kq9ZpLw2xVb8")'),
]


DSNS = [
    ("appsettings.json", '{"Shop": "Server=db.acme.io;User Id=shop;Password=VALUE;Database=x"}'),
    ("web.config", '<add name="Shop" connectionString="Server=db.acme.io;Password=VALUE;Database=x"/>'),
    ("db.py", 'DSN = "host=db.acme.io user=shop password=VALUE dbname=x"'),
    ("conf.yml", "dsn: host=db.acme.io user=shop password=VALUE dbname=x"),
]


@pytest.mark.parametrize("sign", ["&", "&amp;", "\\u0026", "<", "\\", "'"])
def test_whole_value_in_a_connection_string_is_masked(repository: Repository, sign: str) -> None:
    """A value that contains such a sign is masked completely, and the text after it is not masked."""
    texts = [(path, text.replace("VALUE", f"hT7kq9Zp{sign}Lw2xVb84")) for path, text in DSNS]
    assert leaks(repository, texts) == texts
    for path, text in texts:
        masks = Masks()
        masks.learn(text, path)
        hidden = masks.hide(text)
        assert "Lw2xVb84" not in hidden
        assert "x" in hidden.rpartition("=")[2]


VALUE = "qQ8!" + "zk29Lm"
SHOWN = [
    ("a_test.go", f'package a\nfunc ExampleLogin() {{\n\tpassword := "{VALUE}"\n}}'),
    (".env.example", f"PASSWORD={VALUE}"),
    ("a.rs", 'let key = SigningKey::new(SecretString::new("super-secret-key"), "hmac-sha256");'),
    ("a.py", 'password = "my-api-key-1"'),
]
PLAIN = [
    ("a.rs", f'// let password = "{VALUE}";'),
    ("a.py", f'CONFIG = """\npassword = "{VALUE}"\n"""'),
    ("A.java", f'class A {{\n    @Deprecated String password = "{VALUE}";\n}}'),
]


def test_password_in_tests_is_not_reported(repository: Repository) -> None:
    """Passwords in tests and samples are not reported; in comments and strings they are."""
    assert leaks(repository, SHOWN) == []
    assert leaks(repository, PLAIN) == PLAIN


def test_token_in_a_known_format_is_reported_in_docs_and_tests(repository: Repository) -> None:
    """A token in a known format is reported in documentation and tests too."""
    rows = [(path, text.replace(VALUE, GITHUB)) for path, text in SHOWN if VALUE in text]
    assert leaks(repository, rows) == rows


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'(\n    "token",\n    "{GITHUB}",\n)\n', f'("token", "{GITHUB}")\n'),
        (f'GH = "{GITHUB}"\n' + "x = 1\n" * 40, "x = 1\n" * 40 + f'GH = "{GITHUB}"\n'),
        (f'GH = "{GITHUB}"\n', f'GITHUB_TOKEN = "{GITHUB}"\n'),
    ],
)
def test_existing_secret_on_an_edited_line_is_not_reported(repository: Repository, before: str, after: str) -> None:
    """An existing secret is not reported if its line is joined, moved within the file or edited."""
    assert look(repository.change({"a.py": before}, {"a.py": after})) == []
    assert len(look(repository.change({"a.py": "x = 1\n"}, {"a.py": after}))) == 1
