"""JSON, YAML and TOML files as plain objects with key paths, including hostile files."""

import pytest
from shop import Table, called

from bot.review.agent import loop
from bot.review.context.data_files import MAX_CHARS, parse
from bot.review.session import Session
from deeprepo.texts.material import paths

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json", '{"servers": [{"host": "a"}, {"host": "b", "port": 1}], "x.y": null}'),
        ("yaml", "servers:\n- host: a\n- {host: b, port: 1}\n'x.y': ~\n"),
        ("toml", 'servers = [{host = "a"}, {host = "b", port = 1}]\n"x.y" = "null"\n'),
    ],
)
def test_every_leaf_has_a_key_path(form: str, text: str) -> None:
    """Every leaf has its path, and keys that contain a dot are quoted."""
    rows = dict(paths(parse(text, form)))
    assert rows["servers[0].host"] == '"a"'
    assert rows["servers[1].port"] == "1"
    assert rows['["x.y"]'] in {"null", '"null"'}


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("yaml", BOMB, "more values"),
        ("yaml", "a: &a [*a]", "more values"),
        ("yaml", "[" * 100_000, "nested too deeply"),
        ("yaml", "a: [", "not YAML"),
        ("yaml", "!!python/object/apply:os.system [id]\n? [a, b]\n: c", "not YAML"),
        ("json", "[" * 100_000, "nested too deeply"),
        ("json", "[" * 100 + "]" * 100, "more values, or deeper ones"),
        ("json", '{"a": 1', "delimiter"),
        ("json", "1" * 5_000, "digits"),
        ("toml", "a = " + "[" * 5_000, "nested too deeply"),
        ("toml", "a =", "Invalid value"),
        ("json", "[" + "0," * 300_000 + "0]", "more values"),
        ("yaml", "x" * (MAX_CHARS["yaml"] + 1), "too many to parse"),
    ],
)
def test_hostile_file_raises_a_value_error_with_the_reason(form: str, text: str, said: str) -> None:
    """Alias bombs, cycles, deep nesting and syntax errors raise a ValueError with the reason."""
    with pytest.raises(ValueError, match=said):
        parse(text, form)


def test_outline_and_parsed_accept_texts_and_paths(table: Table) -> None:
    """outline() and parsed() accept texts and paths, and explain what to do for other files."""
    code = (
        't = \'{"a": {"b": [1, 2]}, "c": "herring"}\\n\'\n'
        "print(outline(t, form='json'), outline(t, 'herr', form='json'), outline(t, 'heron', form='json'))\n"
        "print(parsed(t, 'json')['a']['b'], outline('shop/price.py'))\n"
        "parsed('shop/price.py')"
    )
    table.root = [called(code), called("set_answer('done')")]

    async def step(session: Session) -> str:
        seen = (await loop.run(session, "The seed.", gate=False)).turns[0].observation
        return f"{seen.output}{seen.error}"

    said = table.run(step)
    assert """['a.b[0]: 1', 'a.b[1]: 2', 'c: "herring"'] ['c: "herring"']""" in said
    assert "[not found in the text: none of 3 rows contains 'heron']" in said
    assert "[1, 2] ['1: def total(items):', '7: def net(amount):']" in said
    assert "ValueError: parsed(): shop/price.py is not a data file by its name: say form='json'" in said
