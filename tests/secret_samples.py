"""A made-up secret of each kind that the check detects, assembled so that no scanner reports this file."""

import base64

_R = "a8Kd02mNvQ71zXcPrT56yUbLwE93sHjFgRt4Vn7Mq2Wx5Ze8Yb1Oc6Ip3Ld0Sk9GfHhJj4Tt7Uu2Rr5"
HEX = "9f8a7b6c5d4e3f2a" + "1b0c9d8e7f6a5b4c"
BODY = [
    "MIIEpAIBAAKCAQEA7d8sK3mQv1xPz5nR0tYwUeHjLkGfDsAqWzXcVbNmPoIuYtRe",
    "Q2xZ8vN4mK7pR1tY5wE9uI3oA6sD0fG" + "2hJ4kL8zX1cV5bN9mQ3wE7rT2yU6iO0p",
]

ENCODED = base64.b64encode(("-----BEGIN EC " + "PRIVATE KEY-----\n" + "\n".join(BODY)).encode()).decode()
# rule -> path, line, and the texts that must be masked
SAMPLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "private-key": (
        "k.pem",
        "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "\n".join(BODY) + "\n-----END RSA PRIVATE KEY-----",
        tuple(BODY),
    ),
    "encoded-key": ("a.yml", f"tls: {ENCODED}", (ENCODED[:60], ENCODED[60:])),
    "aws-key": ("a.py", 'K = "AKIA' + 'Q3ZRT5PLMX7WQN2B"', ("AKIA" + "Q3ZRT5PLMX7WQN2B",)),
    "azure-key": ("a.py", f'A = "AccountKey={(_R + _R)[:86]}=="', ((_R + _R)[:86],)),
    "github-token": ("a.js", f"const g = 'ghp_{_R[:36]}';", (_R[:36],)),
    "anthropic-key": ("a.py", f'A = "sk-ant-{_R[:64]}"', (_R[:64],)),
    "google-key": ("a.js", "const k = 'AI" + f"za{_R[:35]}';", (_R[:35],)),
    "npm-token": (".npmrc", f"//registry.example/:_authToken=npm_{_R[:36]}", (_R[:36],)),
    "hugging-face-token": (
        "a.py",
        'H = "hf_' + 'qWzKvBnTyLpXsDgRhMjCfUaQeIoZwNkVbT"',
        ("qWzKvBnTyLpXsDgRhMjCfUaQeIoZwNkVbT",),
    ),
    "gitlab-token": ("a.py", f'G = "glpat-{_R[:20]}"', (_R[:20],)),
    "openai-key": ("a.py", f'O = "sk-{_R[:20]}T3BlbkFJ{_R[20:40]}"', (_R[20:40],)),
    "slack-token": ("a.py", 'S = "xoxb-' + f'523423-234243-234233-{_R[:24]}"', (_R[:24],)),
    "stripe-key": ("a.py", 'S = "sk_live_' + f'{_R[:24]}"', (_R[:24],)),
    "pypi-token": ("a.py", f'P = "pypi-AgEIcHlwaS5vcmc{_R[:72]}"', (_R[:60],)),
    "sendgrid-key": ("a.py", f'S = "SG.{_R[:22]}.{_R[22:65]}"', (_R[22:65],)),
    "telegram-token": ("a.py", f'T = "1098407621:{_R[:35]}"', (_R[:35],)),
    "discord-token": ("a.py", 'D = "MTk4NjIyNDgzNDcxOTI1MjQ4' + f'.Cl2FMQ.{_R[:27]}"', (_R[:27],)),
    "mailchimp-key": ("a.py", f'M = "{HEX}-us19"', (HEX,)),
    "square-key": ("a.py", f'Q = "sq0csp-{_R[:43]}"', (_R[:43],)),
    "login-in-address": ("a.py", 'U = "postgres://me:s3cr' + '3tPa55w0rd@db.prod.corp.io/x"', ("s3cr" + "3tPa55w0rd",)),
    "password": ("conf.yml", "password: tr0ub4dor" + "&3xKq", ("tr0ub4dor" + "&3xKq",)),
    "random-value": ("a.py", f'api_token = "{HEX}"', (HEX,)),
}
