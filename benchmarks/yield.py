"""Count the true and false results of each rule on mined cases, hand-made mistakes and labeled commits.

    python -m benchmarks.yield [--repos FOLDER] [--mistakes FOLDER] [--only mined ...] [--limit 40] [--markdown]

- mined: real commits with the update of one user left out. A result that names that user is true by construction.
- mistakes: changes made by hand, as JSON files in the folder of --mistakes. A result on a harmless one is false. A finding on a broken
  one is true: each breaks one thing.
- ordinary: the commits in `benchmarks/yield_labels.toml`, with a label for each result, written by somebody who looked at the source.

A class is what the reader sees: a proven or an unproven finding, an open item, or a line of the collapsed list. Results without a label are
counted apart. A rule that was never true and was false once is named below the table: it should be removed.
"""

import argparse
import asyncio
import importlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchmarks import places
from benchmarks.table import Row, report
from bot.errors import DeepRepoError
from bot.values import Finding, Review, TypedChange, Verdict
from bot.wiring.review import local_review
from deeprepo.impact.language import language_of
from deeprepo_evals.reviews import build, case_files
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.cases import Case

T = TypeVar("T")
LABELS = Path(__file__).with_name("yield_labels.toml")
SETS = ("ordinary", "mistakes", "mined")
SHAPE = re.compile(
    r"\w+(?:-\w+)+|\b[a-z]+[A-Z]\w*|`[^`]*`|\S*[/._:]\S*|\b[A-Z]\w*\b|\d+"
)  # of a sentence: what differs from one place to the next
LABEL_WORDS = {True: "true", False: "false", None: "unlabelled"}
CLAIMS = ("use: ", "word: ")  # kinds of open items that claim something; others only say what was not checked
WHO = {"GIT_AUTHOR_NAME": "bench", "GIT_AUTHOR_EMAIL": "b@example.invalid", "GIT_COMMITTER_NAME": "bench", "GIT_COMMITTER_EMAIL": "b@example.invalid"}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """One result: what a review says of one place."""

    where: str  # the set
    case: str
    rule: str
    kind: str  # "proven", "unproven", "open" or "collapsed"
    path: str
    line: int
    text: str
    true: bool | None = None

    @property
    def language(self) -> str:
        """The language of the file that it is about, or the ending of the file's name."""
        language = language_of(self.path)
        return language.name if language is not None else Path(self.path).suffix or Path(self.path).name


def main() -> int:
    """Review every case for which there is a clone; print the table. The exit code is 1 if a rule should be removed."""
    asked = _arguments()
    told: list[Told] = []
    reviewed = Counter[str]()
    for where in asked.only or SETS:
        for case, rows in _set(where, asked):
            told += rows
            reviewed[where] += 1
            print(f"{where} {case}: {len(rows)} results", file=sys.stderr, flush=True)
    if not reviewed:
        print(f"no case has a clone in {asked.repos}", file=sys.stderr)
        return 2
    print(f"Reviewed: {', '.join(f'{count} {where}' for where, count in reviewed.items())}.\n")
    (_print_markdown if asked.markdown else _print)(_table(told))
    useless = [rule for rule, counts in _by_rule(told).items() if counts[False] and not counts[True]]
    print("\nNever true and false at least once: " + (", ".join(sorted(useless)) or "none") + "\n")
    details = {"reviewed": dict(reviewed), "results": [asdict(one) for one in told]}
    return report("yield", [Row("rules to remove", len(useless), 0), Row("results", len(told))], details)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--repos", type=places.clones, default=places.REPOS, help="clones, as OWNER+NAME/repo and the like"
    )
    parser.add_argument("--mistakes", type=Path, help="a folder of hand-made mistakes")
    parser.add_argument("--only", action="append", choices=SETS, help="default: all three")
    parser.add_argument(
        "--limit",
        type=int,
        default=0,
        help="every so many cases of a set are taken that at most this many are reviewed",
    )
    parser.add_argument("--markdown", action="store_true", help="print the table for a page")
    return parser.parse_args()


def _set(where: str, asked: argparse.Namespace) -> Iterator[tuple[str, list[Told]]]:
    if where == "ordinary":
        yield from _ordinary(asked)
    elif where == "mistakes":
        yield from _mistakes(asked)
    else:
        yield from _mined(asked)


def _some(cases: Sequence[T], limit: int) -> Sequence[T]:
    """At most so many of the cases, from all of their list."""
    return cases if not limit or len(cases) <= limit else [cases[len(cases) * at // limit] for at in range(limit)]


def _reviewed(repo: Path, base: str, head: str) -> Review | None:
    with tempfile.TemporaryDirectory(prefix="yield-") as scratch:
        try:
            request = TypedChange(str(repo), base=base, head=head)
            return asyncio.run(local_review(request, {"strategy": "offline"}, scratch))
        except DeepRepoError as error:
            print(f"{repo} {head}: {error}", file=sys.stderr)
            return None


def _told(where: str, case: str, review: Review) -> Iterator[Told]:
    """Every result of a review, without labels."""
    for one in review.reported:
        finding = one.finding
        kind = "proven" if finding.verdict == Verdict.PROVEN else "unproven"
        yield Told(where, case, _rule(finding), kind, finding.path, finding.start, finding.title)
    for kind, rows in (("open", review.coverage.open), ("collapsed", review.coverage.relying)):
        for row in rows:
            yield Told(
                where, case, f"{row.kind}: {_shape(row.reason)}", kind, row.path, row.line, f"{row.name} {row.reason}"
            )


def _rule(finding: Finding) -> str:
    source = finding.basis.sources[0].name if finding.basis.sources else ""
    return f"{source} {finding.rule}" if finding.rule else source


def _shape(reason: str) -> str:
    """A reason without the names in it."""
    return " ".join(SHAPE.sub("…", reason).split())[:60]


def _mined(asked: argparse.Namespace) -> Iterator[tuple[str, list[Told]]]:
    offline = importlib.import_module("benchmarks.offline")
    cases = [case for case in case_files.read(offline.MINED) if clone_of(asked.repos, case.clone) is not None]
    for case in _some(cases, asked.limit):
        clone = clone_of(asked.repos, case.clone)
        if clone is None:
            continue
        with tempfile.TemporaryDirectory(prefix="case-") as scratch:
            try:
                repo = asyncio.run(build.build(case, clone, Path(scratch)))
            except DeepRepoError as error:
                print(f"{case.id}: {error}", file=sys.stderr)
                continue
            review = _reviewed(repo, "base", "head")
        if review is not None:
            hits = {
                (one.finding.path, one.finding.start)
                for one in review.reported
                if any(offline._hits(one.finding, defect) for defect in case.defects)  # noqa: SLF001 - one judgement for both benches
            }
            yield case.id, [replace(row, true=_is_hit(row, case, hits)) for row in _told("mined", case.id, review)]


def _is_hit(row: Told, case: Case, hits: set[tuple[str, int]]) -> bool | None:
    """True for what names the forgotten user; what else a review says of a mined case has no label."""
    if row.kind in ("proven", "unproven"):
        return (row.path, row.line) in hits or None
    forgotten = {span.file for defect in case.defects for span in defect.spans if not span.in_diff}
    symbols = [defect.symbol for defect in case.defects if defect.symbol]
    return (row.path in forgotten and any(re.search(rf"\b{re.escape(one)}\b", row.text) for one in symbols)) or None


def _ordinary(asked: argparse.Namespace) -> Iterator[tuple[str, list[Told]]]:
    document = tomllib.loads(LABELS.read_text("utf-8"))
    for commit in _some(document["commit"], asked.limit):
        clone = clone_of(asked.repos, commit["repository"])
        review = _reviewed(clone, f"{commit['sha']}^", commit["sha"]) if clone is not None else None
        if review is not None:
            case = f"{commit['repository']} {commit['sha'][:10]}"
            yield case, [replace(row, true=_label(row, commit)) for row in _told("ordinary", case, review)]


def _label(row: Told, commit: Mapping[str, object]) -> bool | None:
    """The label of a place, or of all results of a kind in the commit; a label may leave out the line or the path."""
    if row.kind == "open" and not row.rule.startswith(CLAIMS):
        return None
    labels = commit.get("label", ())
    for label in labels if isinstance(labels, list) else ():
        is_source = row.rule.startswith(label.get("source", ""))
        if is_source and all(label.get(key) in (None, getattr(row, key)) for key in ("path", "line", "kind", "rule")):
            return bool(label["true"])
    return None


def _mistakes(asked: argparse.Namespace) -> Iterator[tuple[str, list[Told]]]:
    files = sorted(asked.mistakes.glob("*.json")) if asked.mistakes is not None else []
    for file in _some(files, asked.limit):
        case = json.loads(file.read_text("utf-8"))
        clone = clone_of(asked.repos, case["repo"].replace("+", "/"))
        if clone is None:
            continue
        with tempfile.TemporaryDirectory(prefix="mistake-") as folder:
            repo = Path(folder, "repo.git")
            subprocess.run(["git", "clone", "-q", "--bare", "--shared", str(clone), str(repo)], check=True)
            review = _reviewed(repo, case["base"], _committed(repo, case))
        if review is not None:
            rows = list(_told("mistakes", file.stem, review))
            yield file.stem, [replace(row, true=_of_mistake(row, harmless=case["harmless"])) for row in rows]


def _of_mistake(row: Told, *, harmless: bool) -> bool | None:
    if row.kind == "open" and not row.rule.startswith(CLAIMS):
        return None
    if harmless:
        return False if row.kind != "collapsed" else None
    return True if row.kind in ("proven", "unproven") else None


def _committed(repo: Path, case: Mapping[str, object]) -> str:
    """Write the commit of a mistake into a bare clone, and return its name."""
    env = {**WHO, "GIT_INDEX_FILE": str(repo / "index-of-case"), "PATH": "/usr/local/bin:/usr/bin:/bin"}

    def git(*words: str, given: bytes | None = None) -> bytes:
        return subprocess.run(["git", *words], cwd=repo, env=env, input=given, capture_output=True, check=True).stdout

    base = str(case["base"])
    git("read-tree", base)
    edits = case["edits"] if isinstance(case["edits"], list) else []
    moved = {edit["to"]: edit["from"] for edit in edits if "from" in edit}
    by_path: dict[str, list[Mapping[str, object]]] = defaultdict(list, {path: [] for path in moved})
    for edit in edits:
        if edit.get("remove"):
            git("update-index", "--index-info", given=f"0 {'0' * 40}\t{edit['path']}\n".encode())
        elif "from" not in edit:
            by_path[edit["path"]].append(edit)
    for path, mine in by_path.items():
        old = moved.get(path, path)
        mode, _, blob = (*git("ls-tree", base, "--", old).decode().partition("\t")[0].split(), "100644", "", "")[:3]
        lines = git("cat-file", "blob", blob).decode(errors="surrogateescape").split("\n") if blob else []
        for edit in sorted(mine, key=lambda one: -int(str(one["line"]))):
            at = int(str(edit["line"])) - 1
            if "delete" in edit:
                inserted = edit["insert"] if isinstance(edit["insert"], list) else []
                lines[at : at + int(str(edit["delete"]))] = inserted
            else:
                start, length = int(str(edit["col"])), int(str(edit["old"]))
                lines[at] = lines[at][:start] + str(edit["new"]) + lines[at][start + length :]
        text = "\n".join(lines).encode(errors="surrogateescape")
        name = git("hash-object", "-w", "--stdin", given=text).decode().strip()
        if old != path:
            git("update-index", "--index-info", given=f"0 {'0' * 40}\t{old}\n".encode())
        git("update-index", "--add", "--cacheinfo", f"{mode},{name},{path}")
    tree = git("write-tree").decode().strip()
    return git("commit-tree", tree, "-p", base, "-m", str(case["message"])).decode().strip()


def _by_rule(told: Sequence[Told]) -> dict[str, Counter[bool | None]]:
    """True and false findings and open items of each rule; the collapsed list claims nothing."""
    counts: dict[str, Counter[bool | None]] = defaultdict(Counter)
    for one in told:
        if one.kind != "collapsed":
            counts[one.rule][one.true] += 1
    return counts


def _table(told: Sequence[Told]) -> list[tuple[str, ...]]:
    """Rule, class, true, false, unlabelled, in which sets, and in which languages."""
    groups: dict[tuple[str, str], list[Told]] = defaultdict(list)
    for one in told:
        groups[one.rule, one.kind].append(one)
    order = {"proven": 0, "unproven": 1, "open": 2, "collapsed": 3}
    rows = []
    for (rule, kind), mine in sorted(groups.items(), key=lambda item: (order[item[0][1]], item[0][0])):
        counts = Counter(one.true for one in mine)
        where = Counter((one.where, LABEL_WORDS[one.true]) for one in mine if one.true is not None)
        words = ", ".join(f"{count} {label} {name}" for (name, label), count in sorted(where.items()))
        languages = Counter((one.language, one.true) for one in mine if one.true is not None)
        shares = [
            f"{name} {languages[name, True]}" + (f" ({languages[name, False]} false)" if languages[name, False] else "")
            for name in sorted({name for name, _ in languages})
        ]
        rows.append((rule, kind, *(str(counts[label]) for label in (True, False, None)), words, ", ".join(shares)))
    return rows


HEAD = ("rule", "class", "true", "false", "no label", "where", "languages")


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[at]) for row in (HEAD, *rows)) for at in range(len(HEAD))]
    for row in (HEAD, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_markdown(rows: Sequence[tuple[str, ...]]) -> None:
    for row in (HEAD, ("---",) * len(HEAD), *rows):
        print(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")


if __name__ == "__main__":
    raise SystemExit(main())
