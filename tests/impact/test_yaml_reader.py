"""Depth limits and errors of the YAML reader."""

import pytest

from bot.config import yaml_text
from bot.review.context.data_files import parse
from deeprepo.impact.text import yaml_reader


@pytest.mark.parametrize(
    "text", ["[" * 60_000, "- " * 30_000, "{a: " * 15_000, "? " * 30_000], ids=lambda text: text[:3]
)
def test_deeply_nested_file_is_refused_by_every_reader(text: str) -> None:
    """Every YAML reader refuses a deeply nested file, which would crash the process in C."""
    for read in (
        yaml_reader.read,
        yaml_text.load,
        lambda text: list(yaml_reader.documents(text)),
        lambda text: parse(text, "yaml"),
    ):
        with pytest.raises(ValueError, match="nested too deeply"):
            read(text)
    assert yaml_reader.faulty_lines(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: [1\nc: 2\n", 3),
        ("a: 1\r\nb: @x\r\n", 2),
        ("a: 1\nb: *x\n", None),
        ("a: 2024-13-45\n", None),
        ("a: \x00\n", 1),
    ],
)
def test_errors_have_a_line_and_a_message(text: str, line: int | None) -> None:
    """Unknown aliases and impossible dates fail on reading, but are not syntax errors."""
    with pytest.raises(yaml_reader.UnreadableYamlError) as raised:
        yaml_reader.read(text)
    assert raised.value.problem
    assert yaml_reader.faulty_lines(text.encode()) == frozenset(() if line is None else (line,))


def test_alias_in_settings_is_refused() -> None:
    """A few hundred bytes of aliases can expand to more than a machine's memory."""
    with pytest.raises(ValueError, match=r"the alias \*x is not supported") as raised:
        yaml_text.load("a: &x [1]\nb: *x\n")
    assert yaml_text.fault(raised.value) == (2, "the alias *x is not supported: write the value out")
