"""The cheap check before the secret formats: whether a line contains a label of any format."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.secrets.patterns import known_forms, promising_lines

PATTERNS = [pattern for form in known_forms() for pattern in form.patterns]
PRINTABLE = st.characters(min_codepoint=32, max_codepoint=126)
ORDINARY = """
glib_dep = dependency('glib-2.0'), prog = 'glib-compile-resources', service = "default-global-native-lb-traefik"
mask.setAttribute("id", `mask-image-crop-${element.id}`); export function useAppStateValue<K extends keyof AppState>(
aws_access_key_id=parts.username, AccessKeyID: "AwsAccessKeyID", region = "eu-us1-ASIA", npm_config_cache, self.hf_token
tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0=, pypi-publish, 12345678:90, FLAGS.SG.x
-----END PRIVATE KEY-----
"""
ASK = f"""
import sys
from bot.secrets.patterns import secrets_in
assert not list(secrets_in("shop/cart.py", {ORDINARY!r}.splitlines()))
assert "detect_secrets" not in sys.modules
"""


@pytest.mark.parametrize("pattern", PATTERNS, ids=[pattern.pattern[:30] for pattern in PATTERNS])
def test_line_with_a_token_always_passes_the_label_check(pattern: re.Pattern[str]) -> None:
    """Every text that a format matches contains the format's label."""

    @settings(max_examples=20, deadline=None)
    @given(token=st.from_regex(pattern, fullmatch=True, alphabet=PRINTABLE))
    def check(token: str) -> None:
        assert promising_lines(f"first\n{token}\n") == (1,)

    check()


def test_ordinary_lines_do_not_load_detect_secrets() -> None:
    """Words that only begin like a token don't load the detect-secrets library, which is slow."""
    subprocess.run([sys.executable, "-c", ASK], cwd=Path(__file__).parents[2], check=True)
