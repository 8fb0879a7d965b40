"""What the benches over cases and twins share: their arguments, and each case built with its labels."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bot.errors import UsageError
from deeprepo_evals import public
from deeprepo_evals.reviews import build, labels
from deeprepo_evals.reviews import case_files as files
from deeprepo_evals.reviews.cases import TWINS, Case
from deeprepo_evals.reviews.labels import Label


def parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments of the benches over cases and twins."""
    told = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("--cases", type=Path, default=public.CASES, help="default: the cases of this project")
    told.add_argument(
        "--repos", type=Path, default=public.REPOS, help="a clone of each repository; `make fetch` brings them"
    )
    told.add_argument("--only", action="append", help="ids of cases; no table then")
    told.add_argument("--keep", type=Path, help="a folder where the built repositories are kept and used again")
    return told


def ended(bench: Callable[[], int]) -> int:
    """The exit code of a bench: 2, with the sentence, if it lacks what it needs."""
    try:
        return bench()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2


def cases(asked: argparse.Namespace, wanted: Callable[[Case], object]) -> Iterator[tuple[Case, Path]]:
    """The wanted cases for which there is a clone, each with the repository that was built of it."""
    found = [case for case in files.read(asked.cases, (), asked.only or ()) if not case.variant and wanted(case)]
    clones = _clones(found, asked.repos)
    for case in found:
        if case.id in clones:
            with folder(asked.keep) as built_in:
                yield case, asyncio.run(build.build(case, clones[case.id], built_in))


def twins(asked: argparse.Namespace) -> Iterator[tuple[str, Mapping[str, Path], Label]]:
    """The twins for which there is a clone: name, the repository of each variant, and what only the bad one holds."""
    found = [case for case in files.read(asked.cases, (TWINS,), asked.only or ()) if case.variant]
    clones = _clones(found, asked.repos)
    for case in found:
        if case.variant == "bad" and case.id in clones:
            pair = [other for other in found if other.twin == case.twin]
            with folder(asked.keep) as built_in:
                places = {one.id: asyncio.run(build.build(one, clones[case.id], built_in)) for one in pair}
                wanted = asyncio.run(labels.of(case, places))[0]
                yield case.twin, {one.variant: places[one.id] for one in pair}, wanted


def _clones(found: Sequence[Case], repos: Path) -> Mapping[str, Path]:
    clones = build.clones(found, repos) if found else {}
    absent = dict.fromkeys(case.twin or case.id for case in found if case.id not in clones)
    print(f"without a clone: {', '.join(absent) or 'none'}", flush=True)
    return clones


@contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    """Where repositories are built: kept, or thrown away afterwards."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="cases-") as scratch:
        yield Path(scratch)
