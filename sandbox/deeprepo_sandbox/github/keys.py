"""Keys and tokens: an App's own key pair, the JWT it signs with, and tokens in the form that GitHub gives out today."""

import base64
import json
import secrets
from datetime import datetime, timedelta
from functools import cache
from typing import Any

MOST_LIFE = timedelta(minutes=10, seconds=5)  # GitHub refuses an `exp` that lies further ahead
DRIFT = timedelta(seconds=60)


def pair() -> tuple[str, str]:
    """A private key as PEM, as GitHub hands it out, and its public half."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    private = key.private_bytes(serialization.Encoding.PEM, form, plain).decode()
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private, public.decode()


def issuer(text: str) -> str | None:
    """Who a JWT claims to be from; None where it is not a JWT."""
    import jwt

    try:
        found = jwt.decode(text, options={"verify_signature": False}).get("iss")
    except jwt.PyJWTError:
        return None
    return str(found) if found is not None else None


def refusal(text: str, public_key: str, now: datetime) -> str | None:
    """Why an App's JWT is not taken, in GitHub's words; None where it is."""
    import jwt

    unclocked = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}  # the sandbox has a clock of its own
    try:
        claims = jwt.decode(text, _public(public_key), algorithms=["RS256"], options=unclocked)  # type: ignore[arg-type]
    except jwt.PyJWTError:
        return "A JSON web token could not be decoded"
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(issued, int) or issued > (now + DRIFT).timestamp():
        return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
    if not isinstance(expires, int) or expires <= now.timestamp():
        return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
    if expires > (now + MOST_LIFE).timestamp():
        return "'Expiration time' claim ('exp') is too far in the future"
    return None


@cache
def _public(pem: str) -> Any:  # noqa: ANN401 - of a library that is imported when it is needed
    """The key, read once: to read it takes longer than to check a signature."""
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    return load_pem_public_key(pem.encode())


def token(app: int, installation: int, expires: datetime) -> str:
    """An installation's token in the long format: `ghs_`, the App's id, and what looks like a JWT; some 520 characters."""
    head = {"alg": "ES256", "kid": secrets.token_hex(16), "typ": "JWT"}
    said = {"iss": "github", "sub": f"installation:{installation}", "exp": int(expires.timestamp())}
    parts = (head, said | {"jti": secrets.token_hex(20), "ref": secrets.token_hex(54)})
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return f"ghs_{app}_{'.'.join([*texts, secrets.token_urlsafe(64)])}"
