"""A case rebuilt from a clone: a repository with the branches `base` and `head` that hold exactly the two trees of the change.

Its two commits have no history, so nothing that came later can be read from them. Contents stay in the clone and are borrowed.
"""

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.checkout import git
from bot.errors import GitError, UsageError
from deeprepo_evals.reviews.cases import Case, Edit, Quote

WHO = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "case"), ("EMAIL", "case@example.invalid"))}  # fmt: skip


def clone_of(folder: Path, name: str) -> Path | None:
    """The clone of OWNER/NAME, under one of the names that people give to clones."""
    owner, _, short = name.partition("/")
    tries = (f"{owner}+{short}/repo", f"{owner}+{short}", f"{owner}/{short}", f"{owner}/{short}.git", f"{short}.git", short)  # fmt: skip
    return next((folder / one for one in tries if short and (folder / one).is_dir()), None)


def clones(cases: Sequence[Case], folder: Path) -> dict[str, Path]:
    """The clone of each case for which there is one. Raises UsageError where there is none at all."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder. Create it with `deeprepo eval fetch --repos {folder}`, or pass another one"
        )
    found = {case.id: clone for case in cases if (clone := clone_of(folder, case.clone)) is not None}
    if not found:
        wanted = ", ".join(sorted({case.clone for case in cases})[:5])
        raise UsageError(
            f"{folder} contains no clone of a repository that the cases use, such as {wanted} (as OWNER+NAME, OWNER/NAME or NAME). "
            "To fetch them, run `deeprepo eval fetch` with the same --cases and --repos"
        )
    return found


async def build(case: Case, clone: Path, folder: Path) -> Path:
    """The repository of a case in this folder; one that an earlier run has built there is used again.

    Raises GitError with a sentence where the clone does not hold what the case names.
    """
    place = folder / f"{case.id.replace('/', '-')}-{case.digest}"
    if place.is_dir():
        return place
    part = place.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        await _write(case, clone, Store(part))
    except GitError as error:
        raise GitError(f"{case.id} cannot be built from {clone}: {error}") from error
    os.replace(part, place)  # noqa: PTH105 - over nothing: two runs may build the same case
    return place


async def text(repo: Path, path: str, side: str = "head") -> str | None:
    """A file of a built case; None where it does not exist."""
    done = await git.run("cat-file", "blob", f"{side}:{path}", cwd=str(repo))
    return None if done.status else done.out.decode("utf-8", "replace")


class Store:
    """The repository under construction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._env = {"GIT_DIR": str(folder / ".git"), "GIT_INDEX_FILE": str(folder / ".git" / "case-index")}

    async def git(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """The output of a git command in it."""
        out = await git.output(*arguments, cwd=str(self.folder), env={**self._env, **(env or {})}, stdin=stdin)
        return out.decode("utf-8", "surrogateescape").strip()

    async def begin(self, clone: Path) -> None:
        """An empty repository that finds the clone's contents."""
        await git.output("init", "--quiet", "--initial-branch=none", "--template=", ".", cwd=str(self.folder))
        found = await git.run("rev-parse", "--git-path", "objects", cwd=str(clone))
        if found.status:
            raise GitError(f"it is not a git repository ({found.err[:200]})")
        objects = (clone / os.fsdecode(found.out).strip()).resolve()
        info = self.folder / ".git" / "objects" / "info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "alternates").write_text(f"{objects}\n")

    async def tree(self, commit: str) -> str:
        """The tree of a commit."""
        return await self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")

    async def whole(self, tree: str) -> str:
        """The tree without files whose content the clone lacks, as one without its largest blobs does."""
        rows = [row.split("\t", 1) for row in (await self.git("ls-tree", "-r", "-z", tree)).split("\0") if row]
        blobs = {meta.split()[2] for meta, _ in rows if meta.split()[1] == "blob"}
        told = await self.git("cat-file", "--batch-check", stdin="\n".join(sorted(blobs)).encode())
        gone = {line.split()[0] for line in told.split("\n") if line.endswith(" missing")}
        paths = [path for meta, path in rows if meta.split()[2] in gone]
        if not paths:
            return tree
        await self.git("read-tree", tree)
        names = "\0".join(paths).encode("utf-8", "surrogateescape")
        await self.git("update-index", "--force-remove", "-z", "--stdin", stdin=names)
        return await self.git("write-tree", "--missing-ok")

    async def edit_tree(self, tree: str, edits: Sequence[Edit]) -> str:
        """The tree with these edits; the line numbers of all of them are those before the first."""
        if not edits:
            return tree
        await self.git("read-tree", tree)
        for path in dict.fromkeys(edit.path for edit in edits):
            await self._edit(tree, path, [edit for edit in edits if edit.path == path])
        return await self.git("write-tree", "--missing-ok")

    async def _edit(self, tree: str, path: str, edits: Sequence[Edit]) -> None:
        if edits[0].delete:
            await self.git("update-index", "--force-remove", "--", path)
            return
        row = await self.git("ls-tree", tree, "--", path)
        quoted = {line.path for edit in edits for line in edit.lines if isinstance(line, Quote) and line.path}
        texts = {name: _decode(await self._blob(tree, name)) for name in {path, *quoted}}
        made = await self.git("hash-object", "-w", "--stdin", stdin=_encode(_edit(path, texts, edits)))
        mode = row.split()[0] if row else "100644"
        await self.git("update-index", "--add", "--cacheinfo", f"{mode},{made},{path}")

    async def _blob(self, tree: str, path: str) -> bytes:
        row = await self.git("ls-tree", tree, "--", path)
        return await git.output("cat-file", "blob", row.split()[2], cwd=str(self.folder), env=self._env) if row else b""

    async def commit(self, branch: str, tree: str, message: str, date: str, *parents: str) -> str:
        """A commit on a branch, and its id."""
        when = {f"GIT_{role}_DATE": f"{date}T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
        asked = [word for parent in parents for word in ("-p", parent)]
        done = await self.git("commit-tree", tree, *asked, stdin=message.encode(), env={**WHO, **when})
        await self.git("update-ref", f"refs/heads/{branch}", done)
        return done


async def _write(case: Case, clone: Path, store: Store) -> None:
    await store.begin(clone)
    before = await _tree(store, case.base)
    around = await store.edit_tree(await store.whole(before), case.around)
    base = await store.edit_tree(around, case.before)
    head = await _head(case, store, base)
    said = case.body if case.body is not None else await _body(case, store)
    first = await store.commit("base", base, "base", case.date)
    await store.commit("head", head, f"{case.title}\n\n{said}".strip(), case.date, first)
    await store.git("symbolic-ref", "HEAD", "refs/heads/head")
    await asyncio.to_thread((store.folder / ".git" / "case-index").unlink, missing_ok=True)


async def _head(case: Case, store: Store, base: str) -> str:
    if case.variant and case.head:
        over = await store.edit_tree(await store.whole(await _tree(store, case.head)), case.around)
        return await store.edit_tree(over, case.change)
    if case.change:
        return await store.edit_tree(base, case.change)
    if case.recipe is None:
        return await store.whole(await _tree(store, case.head))
    row = await store.git("ls-tree", case.base, "--", case.recipe.omitted_file)
    source = await _tree(store, case.recipe.source_commit)
    await store.git("read-tree", source)
    mode, _, blob = row.split()[:3]
    await store.git("update-index", "--cacheinfo", f"{mode},{blob},{case.recipe.omitted_file}")
    tree = await store.git("write-tree", "--missing-ok")
    if tree != case.recipe.head_tree:
        raise GitError(f"its head comes out as the tree {tree}, and the case records {case.recipe.head_tree}")
    return await store.whole(tree)


async def _tree(store: Store, commit: str) -> str:
    try:
        return await store.tree(commit)
    except GitError:
        raise GitError(f"the commit {commit} is not there (`git fetch origin {commit}` may bring it)") from None


async def _body(case: Case, store: Store) -> str:
    commit = case.head or (case.recipe.source_commit if case.recipe else "")
    return await store.git("log", "-1", "--format=%b", commit) if commit else ""


def _decode(blob: bytes) -> str:
    return blob.decode("utf-8", "surrogateescape")


def _encode(content: str) -> bytes:
    return content.encode("utf-8", "surrogateescape")


def _edit(path: str, texts: Mapping[str, str], edits: Sequence[Edit]) -> str:
    """A file with its edits, in its own line ends. `texts`: that file, and those that the edits quote."""
    end = "\r\n" if "\r\n" in texts[path] else "\n"
    if not edits[0].start:
        return end.join([*_lines(edits[0], texts), ""])
    lines = texts[path].split(end)
    for edit in sorted(edits, key=lambda edit: -edit.start):
        lines[edit.start - 1 : edit.end] = _lines(edit, texts)
    return end.join(lines)


def _lines(edit: Edit, texts: Mapping[str, str]) -> list[str]:
    """The lines of an edit, those that it quotes taken from the tree. Raises GitError for one that is not there."""
    found = []
    for line in edit.lines:
        if isinstance(line, str):
            found.append(line)
            continue
        rows = texts[line.path or edit.path].replace("\r\n", "\n").split("\n")
        if not 1 <= line.line <= len(rows):
            raise GitError(f"{line.path or edit.path} has no line {line.line} to quote")
        text = rows[line.line - 1]
        for start, stop, put in sorted(line.put, reverse=True):
            text = text[:start] + put + text[stop:]
        found.append(text)
    return found
