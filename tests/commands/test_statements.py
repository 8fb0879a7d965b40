import pytest

from bot.commands import statements

FACT = "The queue before this service drops empty orders."


@pytest.mark.parametrize(
    "remark",
    [
        FACT,
        f"No, I have looked. {FACT}",
        f"@deeprepo no, {FACT[0].lower()}{FACT[1:]}",
        f"This is not a bug. {FACT} So it cannot happen.",
        f"> Where does it come from?\n\n{FACT}\n\nPlease withdraw it.",
        "The **queue** before this service\ndrops empty orders.",
    ],
)
def test_a_plain_sentence_states_its_words(remark: str) -> None:
    """Beside other sentences, after a quotation, over two lines, and after the name of who is addressed."""
    assert statements.states(FACT, remark, ["stranger"])


@pytest.mark.parametrize(
    "remark",
    [
        f"I do not believe that {FACT}",
        f"It is false that {FACT}",
        f"I'd be surprised, {FACT}",
        f"Non credo che {FACT}",
        f"Ich glaube nicht, dass {FACT}",
        f"Je doute que {FACT}",
        f"Dudo que {FACT}",
        "Я не верю, что очередь отбрасывает пустые заказы.",
        f"If {FACT}",
        f"Prove that {FACT}",
        f"{FACT[:-1]}?",
        f"Is it true that\n{FACT}",
        f"{FACT} Not so.",
        f"{FACT}\n\nSays who?",
        f"{FACT} I doubt that.",
        f"@stranger: {FACT}",
        f"stranger wrote:\n\n{FACT}",
        f"> @stranger wrote:\n{FACT}\n\nProve it.",
        f"- > {FACT}\n\nProve it.",
        f"<blockquote>{FACT}</blockquote>\n\nThat is wrong.",
        f"<q>{FACT}</q> and more",
        f"<cite>\n\n{FACT}\n\n</cite>",
        f"```\n{FACT}\n```\nProve it.",
        f"`{FACT}`",
        f'"{FACT[:-1]}": says who.',
        f"&quot;{FACT}&quot;",
        f"\u201c{FACT}\u201d",
        f"~~{FACT}~~",
        f"- {FACT}",
        f"[^1]: {FACT}",
        f"I doubt much here, e.g. {FACT[0].lower()}{FACT[1:]}",
    ],
)
def test_what_is_asked_denied_or_quoted_states_nothing(remark: str) -> None:
    """Neither with the words of the fact nor with those of the whole remark."""
    assert not statements.states(FACT, remark, ["stranger"])
    assert not statements.states(remark, remark, ["stranger"])


def test_part_of_a_sentence_is_not_stated() -> None:
    """What stands around it may turn it round in words that no list has."""
    assert not statements.states(FACT, "The tale that the queue before this service drops empty orders amuses me.", [])
