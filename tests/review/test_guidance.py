import asyncio
from collections.abc import Mapping, Sequence

import pytest

from bot.review.guidance import MAX_CHARS, Guidance, gather

TEXT = "Use the shop's own money type everywhere; never floats."


def gathered(files: Mapping[str, str], paths: Sequence[str], *, guidelines: bool = True) -> Guidance:
    async def read(names: Sequence[str]) -> Mapping[str, bytes]:
        return {name: files[name].encode() for name in names if name in files}

    async def listed(folders: Sequence[str]) -> Sequence[str]:
        return [name for name in files if name.startswith(tuple(f"{folder}/" for folder in folders))]

    given = (("src/**", "Mind the units."),)
    return asyncio.run(gather(read, paths, given, guidelines=guidelines, list_files=listed))


def chosen(text: str, *paths: str, name: str = "AGENTS.md") -> str:
    """What a change of these paths is shown of a file."""
    return "\n".join(advice.text for advice in gathered({name: text}, paths).of(paths) if advice.origin == name)


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
        "### Naming\n- Names are nouns.\n\n## Signing the CLA\nA bot asks for it.\n"
    )
    (strict,) = gathered({"CONTRIBUTING.md": text}, ["a.py"]).of(["a.py"])
    assert strict.text == "## Code style\nUse the money type, never floats.\n\n### Naming\n- Names are nouns."
    (lenient,) = gathered({"AGENTS.md": text}, ["a.py"]).of(["a.py"])
    assert not any(word in lenient.text for word in ("Thank you", "Reporting", "CLA", "contents"))


@pytest.mark.parametrize(
    "text",
    [
        "# Guide\n## What this is\nThe shop is a web application with a database. It handles requests of many tenants.",
        "## We own most of the stack\nThe parser, the store and the client library live in this repository.",
        "## Contributing\nPlease read [the handbook](docs/handbook.md) for the conventions of our code.",
        "## Testing\nRun `make test`. To run one test:\n```sh\npytest -k name\n```\n",
        "## Rules\n1. Do not push to the main branch.\n2. Sign off each commit.\n",
        "## Never\n- [Naming](naming.md)\n- [Errors](errors.md)\n",
        "<!-- Always use floats in code. -->\n## Project structure\n- `src/`: the code\n- `docs/`: the manual\n",
    ],
)
def test_what_says_nothing_about_how_to_judge_code_is_left_out(text: str) -> None:
    """Descriptions of the product, commands to run, links, and how to hand in a change."""
    assert chosen(text, "src/a.py") == ""


@pytest.mark.parametrize(
    "rule",
    [
        "Never swallow errors; return them to the caller.",
        "- Use `Money` for amounts.",
        "All public methods must have a docstring.",
        "Niemals Fehler verschlucken: jede Funktion gibt ihren Fehler zurück.",
        "错误必须返回给调用者, 不要忽略 `err` 的值。",
        "Los errores nunca se ignoran en el código.",
    ],
)
def test_a_rule_counts_under_any_heading(rule: str) -> None:
    """In other languages too, where the heading is not understood; what surrounds it does not come along."""
    said = chosen(
        f"# Guide\n## Πράγματα\nThe shop sells shoes to many people.\n\n{rule}\n\nIt has two doors.\n", "a.py"
    )
    assert said.startswith(f"## Πράγματα\n{rule}")
    assert "shoes" not in said
    assert "doors" not in said


def test_a_list_keeps_its_lead_and_loses_what_is_about_the_process() -> None:
    """A lead such as "Avoid:" decides what its list means."""
    text = "## Notes\nAvoid in code:\n\n- global state\n- commits without a message\n- floats for money:\n  ```py\n  a = 0.1\n  ```\n"
    assert chosen(text, "a.py") == (
        "## Notes\nAvoid in code:\n- global state\n- floats for money:\n  ```py\n  a = 0.1\n  ```\n"
    ).rstrip("\n")


def test_sections_for_other_languages_and_folders_are_left_out_and_those_for_the_change_take_the_room_first() -> None:
    """What is left has no room for all of a long file."""
    filler = "".join(f"- Always write code of kind {n} with care and patience.\n" for n in range(60))
    text = (
        f"# Guide\n## General\n{filler}\n## Rust\n- Avoid `unwrap` in code.\n\n## Python style\n- Use type hints in code.\n\n"
        "## Rules in `web/`\n- Never call the store from a component.\n\n## Store\n- Code in `src/store/` must hold the lock.\n"
    )
    said = chosen(text, "src/store/a.py")
    assert "unwrap" not in said
    assert "component" not in said
    assert said.index("kind 0") < said.index("type hints") < said.index("must hold the lock")
    assert said.endswith("[...]")
    assert "unwrap" in chosen(text, "src/b.rs")


def test_files_that_name_their_paths_are_shown_to_changes_of_these() -> None:
    """`applyTo` and `globs` as people write them; what applies to no path is for a person to ask for."""
    files = {
        ".github/instructions/ts.instructions.md": f"---\napplyTo: '**/*.{{ts,tsx}}, web/**'\n---\n{TEXT} One.",
        ".cursor/rules/deep/py.mdc": f"---\ndescription: x\nglobs: *.py\nalwaysApply: false\n---\n{TEXT} Two.",
        ".cursor/rules/list.mdc": f'---\nglobs:\n  - "lib/**"\n---\n{TEXT} Three.',
        ".cursor/rules/always.mdc": f"---\nglobs:\nalwaysApply: true\n---\n{TEXT} Four.",
        ".cursor/rules/asked.mdc": f"---\ndescription: when asked\n---\n{TEXT} Five.",
        ".cursor/rules/none.mdc": f"{TEXT} Six.",
        ".cursor/rules/notes.txt": f"{TEXT} Seven.",
        "AGENTS.md": TEXT,
    }
    guidance = gathered(files, ["a.py"])
    assert [a.text[-4:] for a in guidance.of(["a.py"])] == ["Two.", "our.", TEXT[-4:]]
    assert [a.text[-4:] for a in guidance.of(["x/b.tsx"])] == ["One.", "our.", TEXT[-4:]]
    assert [a.text[-4:] for a in guidance.of(["lib/c.c"])] == ["ree.", "our.", TEXT[-4:]]


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "a/" * 100_000, "* " * 100_000, "`go " * 50_000, "<!--" * 50_000, "# a\n" * 50_000]
)
def test_a_hostile_file_is_read_in_linear_time(text: str) -> None:
    """The suite's own limit ends a test that hangs."""
    assert chosen(text, "a.py", name="REVIEW.md") == ""


def test_long_files_are_cut_and_the_whole_stays_small() -> None:
    """A prompt is for the code."""
    long = "\n".join(f"- never break rule {n} of the house's code" for n in range(200))
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
