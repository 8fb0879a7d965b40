import asyncio
from collections.abc import Mapping, Sequence

from bot.review.guidance import Guidance, gather

TEXT = "Use the shop's own money type everywhere; never floats."


def gathered(files: Mapping[str, str], paths: Sequence[str], *, guidelines: bool = True) -> Guidance:
    async def read(names: Sequence[str]) -> Mapping[str, bytes]:
        return {name: files[name].encode() for name in names if name in files}

    async def listed(folders: Sequence[str]) -> Sequence[str]:
        return [name for name in files if name.startswith(tuple(f"{folder}/" for folder in folders))]

    given = (("src/**", "Mind the units."),)
    return asyncio.run(gather(read, paths, given, guidelines=guidelines, list_files=listed))


def test_instructions_apply_where_their_pattern_matches() -> None:
    """Instructions apply to paths that match their pattern, as in .gitignore."""
    guidance = gathered({}, ["src/a.py", "docs/b.md"])
    assert [(a.origin, a.text) for a in guidance.of(["src/a.py"])] == [("src/**", "Mind the units.")]
    assert guidance.of(["docs/b.md"]) == ()


def test_only_the_nearest_and_the_root_guideline_files_apply() -> None:
    """The nearest guideline file applies, followed by the root's, but none in between. Of a second one there, only what it adds."""
    files = {
        "AGENTS.md": TEXT,
        "CLAUDE.md": f"{TEXT}\nMore.",
        "src/AGENTS.md": TEXT + " Two.",
        "src/deep/CLAUDE.md": TEXT + " Three.",
    }
    guidance = gathered(files, ["src/deep/a.py", "src/b.py"])
    assert [advice.origin for advice in guidance.of(["src/deep/a.py"])] == [
        "src/**",
        "src/deep/CLAUDE.md",
        "AGENTS.md",
        "CLAUDE.md",
    ]
    assert [advice.text for advice in guidance.of(["src/b.py"])][1:] == [files["src/AGENTS.md"], TEXT, "More."]


def test_rules_with_paths_apply_to_changes_in_those_paths() -> None:
    """Rules with `applyTo` or `globs` apply to these paths, and without paths only with `alwaysApply`."""
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
    guidance = gathered(files, ["a.py", "x/b.tsx", "lib/c.c"])
    assert [a.text[-4:] for a in guidance.of(["a.py"])] == ["Two.", "our.", TEXT[-4:]]
    assert [a.text[-4:] for a in guidance.of(["x/b.tsx"])] == ["One.", "our.", TEXT[-4:]]
    assert [a.text[-4:] for a in guidance.of(["lib/c.c"])] == ["ree.", "our.", TEXT[-4:]]


def test_guideline_files_for_other_reviewers_apply() -> None:
    """Gemini, Qodo, Greptile and Bugbot files apply; files excluded from Copilot's code reviews don't."""
    names = [
        "api/AGENTS.md",
        "api/.cursor/BUGBOT.md",
        ".gemini/styleguide.md",
        ".cursor/BUGBOT.md",
        ".greptile/rules.md",
    ]
    files = {name: f"Rule {at}." for at, name in enumerate([*names, "best_practices.md"])}
    files[".github/instructions/a.instructions.md"] = "---\napplyTo: '**'\nexcludeAgent: 'code-review'\n---\nNot this."
    guidance = gathered(files, ["api/v1/a.py"])
    assert [advice.origin for advice in guidance.of(["api/v1/a.py"])] == [*names, "best_practices.md"]


def test_guideline_files_are_read_whole_up_to_the_limit() -> None:
    """The nearest file comes first. What exceeds the limit is cut, and named with its size."""
    long = "\n".join(f"- never break rule {n} of the house's code" for n in range(200))
    guidance = gathered({"AGENTS.md": long, "src/AGENTS.md": f"{long} too"}, ["src/a.py"])
    near, root = guidance.within(None).of(["src/a.py"])[1:]
    assert (near.origin, near.text) == ("src/AGENTS.md", f"{long} too")
    assert (root.origin, root.text[-5:]) == ("AGENTS.md", "[...]")
    assert 11_900 < len("Mind the units.") + len(near.text) + len(root.text) <= 12_000
    left = len(long) - len(root.text)
    assert guidance.within(None).left_out == (f"AGENTS.md ({left:,} of {len(long):,} characters)",)
    (cut,) = guidance.within(1_000).of(["src/a.py"])[1:]
    assert (cut.origin, len(cut.text) < 1_000, len(guidance.within(1_000).left_out)) == ("src/AGENTS.md", True, 2)


def test_guideline_files_can_be_switched_off() -> None:
    """If guideline files are switched off, the configured instructions still apply."""
    guidance = gathered({"AGENTS.md": TEXT}, ["src/a.py"], guidelines=False)
    assert [advice.origin for advice in guidance.of(["src/a.py"])] == ["src/**"]
