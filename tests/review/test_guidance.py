import asyncio
from collections.abc import Mapping, Sequence

from bot.review.guidance import MAX_CHARS, Guidance, gather

TEXT = "Use the shop's own money type everywhere; never floats."


def gathered(files: Mapping[str, str], paths: Sequence[str], *, guidelines: bool = True) -> Guidance:
    async def read(names: Sequence[str]) -> Mapping[str, bytes]:
        return {name: files[name].encode() for name in names if name in files}

    return asyncio.run(gather(read, paths, (("src/**", "Mind the units."),), guidelines=guidelines))


def test_instructions_apply_where_their_pattern_matches() -> None:
    """As in .gitignore."""
    guidance = gathered({}, ["src/a.py", "docs/b.md"])
    assert [(a.origin, a.text) for a in guidance.of(["src/a.py"])] == [("src/**", "Mind the units.")]
    assert guidance.of(["docs/b.md"]) == ()


def test_the_nearest_guideline_file_comes_before_those_of_the_root() -> None:
    """Of several folders the nearest one speaks."""
    files = {"AGENTS.md": TEXT, "src/AGENTS.md": TEXT + " Two.", "src/deep/CLAUDE.md": TEXT + " Three."}
    guidance = gathered(files, ["src/deep/a.py"])
    assert [advice.origin for advice in guidance.of(["src/deep/a.py"])] == ["src/**", "src/deep/CLAUDE.md", "AGENTS.md"]
    assert [advice.origin for advice in guidance.of(["src/b.py"])] == ["src/**", "src/AGENTS.md", "AGENTS.md"]


def test_a_file_that_only_points_elsewhere_or_repeats_another_is_left_out() -> None:
    """CLAUDE.md is often a link to AGENTS.md."""
    guidance = gathered(
        {"AGENTS.md": TEXT, "CLAUDE.md": "AGENTS.md", "CONTRIBUTING.md": f"# Code\n{TEXT}", "STYLEGUIDE.md": TEXT},
        ["a.py"],
    )
    assert [advice.origin for advice in guidance.of(["a.py"])] == ["AGENTS.md", "CONTRIBUTING.md"]


def test_of_a_text_about_contributing_only_what_is_about_code_is_shown() -> None:
    """How to file an issue or sign an agreement says nothing about a change; agents' files lose such sections alone."""
    text = (
        "# Contributing\nThank you for your interest in this project!\n\n## Table of contents\n- [Code style](#style)\n\n"
        "## Reporting bugs\nOpen an issue with the steps that lead to it.\n\n## Code style\nUse the money type, never floats.\n"
        "### Naming\nNames are nouns.\n\n## Signing the CLA\nA bot asks for it.\n"
    )
    (strict,) = gathered({"CONTRIBUTING.md": text}, ["a.py"]).of(["a.py"])
    assert strict.text == "## Code style\nUse the money type, never floats.\n\n### Naming\nNames are nouns."
    (lenient,) = gathered({"AGENTS.md": text}, ["a.py"]).of(["a.py"])
    assert "Thank you" in lenient.text
    assert not any(word in lenient.text for word in ("Reporting", "CLA", "contents"))


def test_long_files_are_cut_and_the_whole_stays_small() -> None:
    """A prompt is for the code."""
    long = "\n".join(f"- rule {n} of the house, in some detail" for n in range(200))
    guidance = gathered(
        {"AGENTS.md": long, "CLAUDE.md": long + " more", "CONTRIBUTING.md": long + " and more"}, ["a.py"]
    )
    advice = guidance.of(["a.py"])
    assert advice[0].text.endswith("[...]")
    assert sum(len(item.text) for item in advice) <= MAX_CHARS


def test_guideline_files_can_be_switched_off() -> None:
    """Instructions stay."""
    guidance = gathered({"AGENTS.md": TEXT}, ["src/a.py"], guidelines=False)
    assert [advice.origin for advice in guidance.of(["src/a.py"])] == ["src/**"]
