"""Where planted cases are kept: their JSON, and one bare repository that holds all their trees and nothing else.

FOLDER/cases/ID.json            as in the cases of real pull requests
FOLDER/cases/twins/ID.json      the same change in two trees
FOLDER/repos/planted+NAME       the clone that they name
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.checkout import git
from bot.errors import UsageError
from deeprepo_evals.plant.history import Change
from deeprepo_evals.plant.store import WHO, quote_path
from deeprepo_evals.plant.values import CLASSES, Label

DATE = "2026-01-01"


class Shelf:
    """The repository of one set of cases. `source`: the git folder that the trees come from."""

    def __init__(self, folder: Path, name: str, source: str | None) -> None:
        self.folder, self.name, self.source = folder, name, source
        self.repo = folder / "repos" / f"planted+{name}"
        self.clone = f"planted/{name}"

    async def open(self) -> None:
        """An empty repository, or the one of an earlier run, which finds the source's contents."""
        try:
            self.repo.mkdir(parents=True, exist_ok=True)
            (self.folder / "cases" / "twins").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.folder} cannot hold the cases: {error.strerror}") from error
        await git.output("init", "--quiet", "--bare", "--template=", ".", cwd=str(self.repo))
        if self.source is not None:
            found = await git.output("rev-parse", "--git-path", "objects", cwd=self.source)
            store = (Path(self.source) / found.decode().strip()).resolve()
            self._borrowed_objects.parent.mkdir(parents=True, exist_ok=True)
            self._borrowed_objects.write_text(f"{store}\n")

    async def close(self) -> None:
        """Copy what the cases need, and stop borrowing."""
        if self.source is not None:
            await git.output("repack", "-a", "-d", "-q", cwd=str(self.repo))
            self._borrowed_objects.unlink()

    async def commit(self, branch: str, tree: str, files: Mapping[str, bytes], message: str, over: str = "") -> str:
        """A commit of a tree with these files exchanged; its id."""
        modes = {path: await self._mode(tree, path) for path in files} if tree else {}
        said = message.encode("utf-8", "surrogateescape")
        rows = [b"commit refs/heads/" + branch.encode() + b"\n", b"author " + WHO + b"\n", b"committer " + WHO + b"\n"]
        rows.append(b"data %d\n%s\n" % (len(said), said))
        if over:
            rows += [b"from " + over.encode() + b"\n"]
        root = await self._id(tree) if tree else ""
        rows.append(b"M 040000 " + root.encode() + b' ""\n' if root else b"deleteall\n")
        for path, blob in sorted(files.items()):
            rows.append(b"M " + modes.get(path, "100644").encode() + b" inline " + quote_path(path) + b"\n")
            rows.append(b"data %d\n%s\n" % (len(blob), blob))
        stream = b"".join(rows) + b"\ndone\n"
        await git.output("fast-import", "--quiet", "--done", "--force", cwd=str(self.repo), stdin=stream)
        return await self._id(f"refs/heads/{branch}")

    async def add(self, change: Change) -> Path:
        """Write one planted pull request; the path of its JSON."""
        name = f"{self.name}-{change.id}"
        base = await self.commit(f"{name}-base", change.base, change.before, "base")
        said = f"{change.title}\n\n{change.body}".strip()
        head = await self.commit(f"{name}-head", change.head, change.after, said, over=base)
        return self.write(name, await self._case_fields(name, change, base, head))

    def write(self, name: str, case_fields: Mapping[str, Any], *, twin: bool = False) -> Path:
        """A case as a file."""
        path = self.folder / "cases" / ("twins" if twin else "") / f"{name}.json"
        path.write_text(json.dumps(case_fields, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return path

    async def _case_fields(self, name: str, change: Change, base: str, head: str) -> dict[str, Any]:
        stat = (await git.output("diff", "--numstat", base, head, cwd=str(self.repo))).decode("utf-8", "replace")
        rows = [row.split("\t") for row in stat.splitlines()]
        paths = await git.output("ls-tree", "-r", "--name-only", head, cwd=str(self.repo))
        return {
            "id": name,
            "kind": "planted",
            "origin": "a change with a planted defect",
            "repo": self.clone,
            "clone_from": self.clone,
            "base_sha": base,
            "head_sha": head,
            "title": change.title,
            "body": change.body,
            "date": DATE,
            "language": change.language,
            "files_changed": len(rows),
            "lines_changed": sum(int(n) for row in rows for n in row[:2] if n.isdigit()),
            "tree_files": paths.count(b"\n"),
            "defects": [defect(label) for label in change.labels],
        }

    async def _mode(self, tree: str, path: str) -> str:
        row = (await git.output("ls-tree", tree, "--", path, cwd=str(self.repo))).decode()
        return row.split()[0] if row else "100644"

    async def _id(self, revision: str) -> str:
        out = await git.output("rev-parse", "--verify", "--end-of-options", revision, cwd=str(self.repo))
        return out.decode().strip()

    @property
    def _borrowed_objects(self) -> Path:
        return self.repo / "objects" / "info" / "alternates"


def defect(label: Label) -> dict[str, Any]:
    """A label in the words of the cases."""
    return {
        "spans": [{"file": label.path, "start": label.line, "end": label.end, "in_diff": True}],
        "description": f"{label.function}(): {label.why}.",
        "consequence": f"Seen by {label.trigger}.",
        "category": CLASSES[label.kind][0],
        "class": label.kind,
        "scope": label.scope,
        "severity": "high",
        "evidence_files": sorted({line.path for line in label.proof if line.path != label.path}),
        "evidence": [{"file": line.path, "line": line.number} for line in label.proof],
        "callers": [{"file": line.path, "line": line.number} for line in label.callers],
        "label": "mutation",
        "before": label.before,
        "symbol": label.function,
    }
