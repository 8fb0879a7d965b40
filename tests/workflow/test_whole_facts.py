"""The server caches the facts about a repository's files between pushes, separately for each repository."""

import stat
from pathlib import Path

import pytest
from unprompted import unprompted
from whole import BROKEN, whole

LONG = {
    "shop/long.py": "from shop.cart import pay\n\n"
    + "".join(f"def rate_{n}(x):\n    return x * {n}\n\n\n" for n in range(80))
}


async def test_facts_are_cached_for_the_next_push(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A push reuses cached facts and recomputes damaged entries; removing the App deletes the cache."""
    monkeypatch.delenv("DEEPREPO_CACHE")
    async with whole(tmp_path) as at:
        number = await at.reviewed()
        await at.pushed({**BROKEN, **LONG})  # facts about a short file are not cached
        folder = at.data / "facts" / str(at.repo.id)
        first = {file.name: file.read_bytes() for file in folder.iterdir()}
        damaged = {name: text[:-3] for name, text in first.items() if not name.startswith(".")}
        for name, text in damaged.items():
            (folder / name).write_bytes(text)
        await at.pushed({**BROKEN, **LONG, "shop/other.py": "from shop.cart import pay\n\npay([])\n"})
        then = {file.name: file.read_bytes() for file in folder.iterdir()}
        told, mode = unprompted(at.summary(number)), stat.S_IMODE(folder.stat().st_mode)
        await at.gh.uninstall()
        await at.quiet()

        assert len(first) > 1
        assert all(then[name] != text for name, text in damaged.items())
        assert "1 finding (1 high)" in told
        assert mode == 0o700
        assert not folder.exists()
