"""Render a repository owner's templates, in a separate process with tight limits and without environment.

An owner's template only determines the layout. Values are escaped as in our own templates. If the process
reaches a limit, for example in an endless loop, the comment is rendered with our own template.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.render.disarm import Safe, encodable
from bot.render.words import Phrases

MOST_SOURCE, MOST_OUTPUT = 64_000, 1_000_000  # characters of a template, and of its output
TEMPLATE_SECONDS, TEMPLATE_MEMORY = 2, 512 << 20  # CPU seconds and bytes
# A limit for systems that cannot limit CPU time. On others, only a very busy machine reaches it, because
# templates cannot wait.
WAIT_SECONDS = 60
AT_LINE = re.compile(r"line (\d{1,9}): (.*)")
SAFE = "our own markdown"  # the key that marks a `Safe` text in JSON


class BrokenTemplate(Exception):  # noqa: N818 - the owner's error, reported to the owner
    """An owner's template cannot be used. The message is the reason."""


def fill(source: str, each: Sequence[Mapping[str, Any]], phrases: Phrases) -> list[Safe]:
    """Render the template once for each mapping of values. Raises BrokenTemplate."""
    return [Safe(text) for text in json.loads(_run_process(source, {"each": list(each), "phrases": asdict(phrases)}))]


def check(source: str) -> tuple[int | None, str] | None:
    """Return the line and the reason if a template cannot be compiled, else None."""
    try:
        _run_process(source, {})
    except BrokenTemplate as error:
        match = AT_LINE.fullmatch(str(error))
        return (int(match[1]), match[2]) if match else (None, str(error))
    return None


def _run_process(source: str, more: Mapping[str, Any]) -> bytes:
    if len(source) > MOST_SOURCE:
        raise BrokenTemplate(f"it is longer than {MOST_SOURCE:,} characters")
    request = json.dumps(_pack({"source": source, **more}))
    command = [sys.executable, "-E", "-s", "-m", "bot.render.sandbox"]
    try:
        result = subprocess.run(
            command,
            input=encodable(request).encode(),
            capture_output=True,
            timeout=WAIT_SECONDS,
            env={},
            cwd=Path(__file__).parents[2],
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenTemplate(f"it did not end within {WAIT_SECONDS} seconds") from None
    if result.returncode:
        raise BrokenTemplate(_reason(result.returncode, result.stderr.decode("utf-8", "replace")))
    return result.stdout


def _reason(status: int, stderr: str) -> str:
    last = (stderr.strip().split("\n") or [""])[-1]
    if status < 0 or "MemoryError" in last:
        return f"it used more than {TEMPLATE_SECONDS} seconds or {TEMPLATE_MEMORY >> 20} MB"
    return last.rpartition("jinja2.exceptions.")[2][:300] or f"it exited with {status}"


def _pack(value: Any) -> Any:  # noqa: ANN401 - any value of a template
    if isinstance(value, Safe):
        return {SAFE: str(value)}
    if isinstance(value, Mapping):
        return {key: _pack(item) for key, item in value.items()}
    return [_pack(item) for item in value] if isinstance(value, list | tuple) else value


def _unpack(pairs: dict[str, Any]) -> Any:  # noqa: ANN401 - any value of a template
    return Safe(pairs[SAFE]) if set(pairs) == {SAFE} else pairs


def _main() -> None:
    import resource

    for kind, most in (
        (resource.RLIMIT_CPU, TEMPLATE_SECONDS),
        (resource.RLIMIT_AS, TEMPLATE_MEMORY),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with suppress(ValueError, OSError):  # not every system has every limit; the timeout always applies
            resource.setrlimit(kind, (most, most))

    from jinja2 import FunctionLoader, StrictUndefined, TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from bot.render import templates

    request = json.loads(sys.stdin.buffer.read(), object_hook=_unpack)
    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(templates.includable_source),
        undefined=StrictUndefined,
        finalize=templates.escaped,
        **templates.OPTIONS,
    )
    environment.filters.update(templates.filters())
    if "each" not in request:
        try:
            environment.from_string(request["source"])
        except TemplateSyntaxError as error:
            sys.exit(f"line {error.lineno}: {error.message}")
        return
    phrases = Phrases(**request["phrases"])
    texts = [templates.render_source(environment, request["source"], values, phrases) for values in request["each"]]
    if sum(map(len, texts)) > MOST_OUTPUT:
        sys.exit(f"it printed more than {MOST_OUTPUT:,} characters")
    sys.stdout.buffer.write(json.dumps(texts).encode())


if __name__ == "__main__":
    _main()
