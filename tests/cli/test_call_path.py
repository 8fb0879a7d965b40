"""The way from `deeprepo review` to a request that leaves, as the interpreter sees it: how many calls, through how many files.

A process with threads does the review itself (bot/wiring/local.py), and the provider's double is a thread of this one. So there is
one stack to walk, from the command's function to the library that sends. A task's caller is the code that created it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

import pytest
from fakes import Repository
from recorded import branches, deeprepo

import bot
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Server

CALLS, FILES = 14, 9
PRODUCT = Path(bot.__file__).parent
COMMAND = (PRODUCT / "cli" / "review.py", "command")


class Walk:
    """The stack of the first call into the provider's library."""

    def __init__(self) -> None:
        self.path: list[CodeType] = []
        self._created: dict[FrameType, list[CodeType]] = {}  # of each task's outermost frame: the calls that led to it

    @contextmanager
    def walking(self) -> Iterator[None]:
        """Look at every call of this thread."""
        sys.setprofile(self._looked)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _looked(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or self.path:
            return
        code = frame.f_code
        if code.co_name == "create_task" and code.co_filename.endswith("base_events.py"):
            self._created[frame.f_locals["coro"].cr_frame] = self._calls(frame.f_back)
        elif code.co_name == "post" and frame.f_globals["__name__"].startswith("openai."):
            self.path = self._calls(frame.f_back)

    def _calls(self, frame: FrameType | None) -> list[CodeType]:
        """The calls that led to this frame, the first one first."""
        calls: list[CodeType] = []
        while frame is not None:
            calls.append(frame.f_code)
            if frame in self._created:
                return [*self._created[frame], *reversed(calls)]
            frame = frame.f_back
        return calls[::-1]

    def product(self) -> list[CodeType]:
        """Of them, the functions of the product from the command on; a comprehension is a part of its function."""
        own = [code for code in self.path if PRODUCT in Path(code.co_filename).parents]
        begin = next(at for at, code in enumerate(own) if (Path(code.co_filename), code.co_name) == COMMAND)
        return list(dict.fromkeys(code for code in own[begin:] if not code.co_name.startswith("<")))


@pytest.mark.parametrize("strategy", ["direct", "fanout"])
def test_a_request_leaves_after_few_calls_through_few_files(repository: Repository, strategy: str) -> None:
    """At most 14 calls through 9 files, which a failure of this test lists."""
    branches(repository)
    walk = Walk()
    with doubles.in_thread(Server({"findings": [], "answer": "Nothing is wrong."})) as server, walk.walking():
        models = ("--worker", "compatible/model", "--root", "compatible/model", "--strategy", strategy)
        done = deeprepo("review", *models, cwd=repository.folder, DEEPREPO_BASE_URL=server.openai_url)
    assert done.returncode == 0, done.stderr
    calls = walk.product()
    files = dict.fromkeys(str(Path(code.co_filename).relative_to(PRODUCT.parent)) for code in calls)
    listed = "\n".join(
        f"{number:3} {Path(code.co_filename).relative_to(PRODUCT.parent)}: {code.co_qualname}"
        for number, code in enumerate(calls, 1)
    )
    assert len(calls) <= CALLS, f"{len(calls)} calls:\n{listed}"
    assert len(files) <= FILES, f"{len(files)} files:\n{listed}"
