"""A secret in a change reaches no model through questions or conversations, and no answer repeats it."""

from pathlib import Path

import pytest
from test_whole_conversations import HEAD, said, talk

from bot.secrets.masking import digest

KEY = "AKIA" + "Q3ZRT5PLMX7WQN2B"
LINE = f'KEY = "{KEY}"'


async def test_answers_never_repeat_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No request contains the secret, and no answer shows it in its text, quotes or sketch."""
    files = {**HEAD, "shop/price.py": f"{HEAD['shop/price.py']}\n\n{LINE}\n"}
    async with talk(tmp_path, monkeypatch, files=files) as one:
        masked = f'KEY = "MASKED_SECRET_{digest(KEY)}"'
        one.script.append(said(f"See {KEY} and {masked}.", {"path": "shop/price.py", "quote": masked}))
        remark = await one.reply(f"Where does `KEY` stand? I think it is {KEY}")
        quotes = [{"path": "shop/price.py", "quote": masked}]
        one.script.append({"answer": f"It is {masked}.", "quotes": quotes, "sketch": masked})
        answer = await one.below(f"/deeprepo ask where is `KEY` defined, is it {KEY}?")
        assert "MASKED_SECRET" in "".join(one.prompts)
        assert KEY not in "".join(one.prompts)
        for text in (remark, answer):
            assert KEY not in text
            assert "AKIA***" in text
        stands = one.at.gh.pull(one.number)
        ours = [c.body for c in (*stands.comments, *stands.review_comments) if "<!-- deeprepo" in c.body]
        assert not any(KEY in body for body in ours)
