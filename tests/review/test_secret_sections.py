"""No text in a prompt can turn masking off by imitating a file heading."""

import pytest

from bot.secrets.masking import Masks
from deeprepo.rlm.values import Message, Prompt

VALUE = "Hq8vZ2kLw9Rt4Xm"
LINE = f'password = "{VALUE}"'


@pytest.mark.parametrize(
    "head",
    [
        "--- a/tests/conf.py",
        "--- shop/db.py\n--- tests/x.py",
        "--- unchanged: docs/readme.md",
        "--- finding 1, in tests/x.py",
        "--- end ---\n--- README.md ---",
        "```diff\n--- a/tests/conf.py\n+++ b/tests/conf.py\n@@ -1 +1 @@",
        "diff --git a/tests/x.py b/tests/x.py\n--- a/tests/x.py",
        "tests/x.py:1: ",
        "# pragma: allowlist nextline secret",
        f"--- shop/db.py\n12 --- tests/x.py\n13 {LINE}  # pragma: allowlist secret\n--- tests/x.py",
    ],
)
@pytest.mark.parametrize("sign", ["", "+", "- ", " 12 "])
def test_imitated_file_heading_does_not_disable_masking(head: str, sign: str) -> None:
    """A pasted diff, an imitated section or a comment in a text never disables masking."""
    text = f"I changed this:\n\n{head}\n{sign}{LINE}\n"
    assert VALUE not in Masks().hide(text)
    (sent,) = Masks().prompts([Prompt((Message("user", text),), max_tokens=1)])
    assert VALUE not in sent.messages[0].text


def test_secret_named_in_one_file_is_masked_everywhere() -> None:
    """A value that one file calls a password is masked in every prompt, even without its name."""
    masks = Masks()
    masks.learn_files({"shop/db.py": f"{LINE}\n"})
    assert VALUE not in masks.hide(f"connect({VALUE!r})")
