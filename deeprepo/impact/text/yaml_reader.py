"""The one reader of YAML: plain data, and the tree with its lines, within bounds.

Files are hostile: what is nested deeper than any person writes is refused while the tree is composed, because the parser's own composer
recurses where nothing stops it. What a scalar becomes is the reader's matter: a subclass of `Reader` says it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from yaml.composer import Composer

from deeprepo.impact.text.lines import YAML_BREAKS, Places

DEEPEST = 200
TIMESTAMP, MERGE = "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:merge"


class UnreadableYamlError(ValueError):
    """Text that is not YAML which can be used. `line`: where, from 1, if that is known. `is_refused`: others may read it, this program does not."""

    def __init__(self, problem: str, line: int | None = None, *, is_refused: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.line, self.is_refused = problem, line, is_refused


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Reader(*((_Loader,) if issubclass(_Loader, Composer) else (Composer, _Loader))):  # type: ignore[misc]
    """Builds plain data as YAML says. `takes_aliases`: some hundred bytes with aliases of aliases stand for more than a machine can hold."""

    takes_aliases = True

    def __init__(self, text: str) -> None:
        _Loader.__init__(self, text)
        self.anchors: dict[str, yaml.Node] = {}
        self.depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - PyYAML's own
        """Compose the next node, if it is not nested too deeply."""
        if not self.takes_aliases and self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            problem = f"the alias *{event.anchor} is not supported: write the value out"
            raise UnreadableYamlError(problem, event.start_mark.line + 1, is_refused=True)
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableYamlError("it is nested too deeply")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def types(only: str = "", *, but: str = "") -> dict[str, list[tuple[str, Any]]]:
    """Return what tells the type of a scalar by its look: of one type alone, or of all but one."""
    resolvers: dict[str, list[tuple[str, Any]]] = Reader.yaml_implicit_resolvers
    return {letter: [row for row in rows if row[0] == (only or row[0]) != but] for letter, rows in resolvers.items()}


def read(text: str, reader: type[Reader] = Reader) -> tuple[yaml.Node | None, Any]:
    """Read a text of one document: its tree with its lines, and its data. Raises `UnreadableYamlError`."""
    with _opened(text, reader) as loader:
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)


def documents(text: str, reader: type[Reader] = Reader) -> Iterator[Any]:
    """Read the documents of a text, one after the other. Raises `UnreadableYamlError`."""
    with _opened(text, reader) as loader:
        while loader.check_data():
            yield loader.get_data()


def faulty_lines(source: bytes) -> frozenset[int] | None:
    """Return the line on which a file stops being YAML, as git counts lines; None if it is nested too deeply to tell. No anchor is followed."""
    text, depth = source.decode("utf-8", "replace"), 0
    try:
        with _opened(text, Reader) as reader:
            while reader.check_event() and depth <= DEEPEST:
                event = reader.get_event()
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
    except UnreadableYamlError as error:
        return frozenset({Places(text, YAML_BREAKS).row(error.line or 1)})
    return None if depth > DEEPEST else frozenset()


@contextmanager
def _opened(text: str, reader: type[Reader]) -> Iterator[Reader]:
    """Give the reader of a text, and translate what PyYAML raises: of its own, of a date that no month has, of a text without an encoding."""
    loader = None
    try:
        loader = reader(text)
        yield loader
    except UnreadableYamlError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        last = len(YAML_BREAKS.split(text))  # what ends with the text is told one line behind it
        raise UnreadableYamlError(problem, None if mark is None else min(mark.line + 1, last)) from error
    except RecursionError:
        raise UnreadableYamlError("it is nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise UnreadableYamlError(str(error)) from error
    finally:
        if loader is not None:
            loader.dispose()
