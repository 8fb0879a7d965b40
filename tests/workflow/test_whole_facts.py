"""What a server is told of files it keeps for the next push: apart for each repository, and only as long as that is ours."""

import stat
from pathlib import Path

import pytest
from unprompted import unprompted
from whole import BROKEN, whole


async def test_facts_are_kept_for_the_next_push(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next push adds what it changed and reads the rest as it is, also where it was damaged; once the App is removed nothing is left."""
    monkeypatch.delenv("DEEPREPO_CACHE")
    async with whole(tmp_path) as at:
        number = await at.reviewed()
        folder = at.data / "facts" / str(at.repo.id)
        first = {file.name: file.read_bytes() for file in folder.iterdir()}
        for name in [*first][::2]:
            (folder / name).write_bytes(first[name][:-3])
        await at.pushed({**BROKEN, "shop/other.py": "from shop.cart import pay\n\npay([])\n"})
        then = {file.name: file.read_bytes() for file in folder.iterdir()}
        told, mode = unprompted(at.summary(number)), stat.S_IMODE(folder.stat().st_mode)
        await at.gh.uninstall()
        await at.quiet()

        assert len(first) > 1
        assert len(then) > len(first)
        assert "1 finding (1 high)" in told
        assert mode == 0o700
        assert not folder.exists()
