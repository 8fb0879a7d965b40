"""Read YAML within limits: plain data, and the node tree with its lines.

Files may be hostile. Deep nesting is refused while the tree is composed, because the parser's recursion has
no limit. Subclasses of `Reader` decide what scalars become.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.reader import ReaderError

from deeprepo.impact.text.lines import YAML_BREAKS, Places

DEEPEST = 200


class UnreadableYamlError(ValueError):
    """Unusable YAML.

    `line`: its 1-based line, if known. `is_refused`: valid YAML that this program does not accept.
    """

    def __init__(self, problem: str, line: int | None = None, *, is_refused: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.line, self.is_refused = problem, line, is_refused


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Reader(*((_Loader,) if issubclass(_Loader, Composer) else (Composer, _Loader))):  # type: ignore[misc]
    """Builds plain data.

    Without `takes_aliases`, aliases are refused, since a few hundred bytes of them can exhaust memory.
    """

    takes_aliases = True

    def __init__(self, text: str) -> None:
        _Loader.__init__(self, text)
        self.anchors: dict[str, yaml.Node] = {}
        self.depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - PyYAML's own
        """Compose the next node, unless it is nested too deeply."""
        if not self.takes_aliases and self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            problem = f"the alias *{event.anchor} is not supported: write the value out"
            raise UnreadableYamlError(problem, event.start_mark.line + 1, is_refused=True)
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnreadableYamlError("it is nested too deeply", self.peek_event().start_mark.line + 1)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:  # noqa: ANN401 - PyYAML's own
        """Build a node's value. A scalar such as 2026-13-45 has a type that it has no value of."""
        try:
            return super().construct_object(node, deep)
        except UnreadableYamlError:
            raise
        except (ValueError, TypeError) as error:
            kind = node.tag.rpartition(":")[2]
            raise UnreadableYamlError(f"this is not a valid {kind}", node.start_mark.line + 1) from error


def read(text: str, reader: type[Reader] = Reader) -> tuple[yaml.Node | None, Any]:
    """Read a text with one document as a node tree and data. Raises `UnreadableYamlError`."""
    with _opened(text, reader) as loader:
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)


def documents(text: str, reader: type[Reader] = Reader) -> Iterator[Any]:
    """Yield the documents of a text. Raises `UnreadableYamlError`."""
    with _opened(text, reader) as loader:
        while loader.check_data():
            yield loader.get_data()


def faulty_lines(source: bytes) -> frozenset[int] | None:
    """Return the line of a syntax error, in git's line count; None if the nesting is too deep.

    Aliases are not followed.
    """
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
    """Create a reader, and convert PyYAML's errors and other failures to `UnreadableYamlError`."""
    loader = None
    try:
        loader = reader(text)
        yield loader
    except UnreadableYamlError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        last = len(YAML_BREAKS.split(text))  # an error at the end of the text is reported one line after it
        line = None if mark is None else min(mark.line + 1, last)
        if isinstance(error, ReaderError):  # its position is a byte
            problem = str(error.reason)
            line = text.encode("utf-8", "surrogatepass").count(b"\n", 0, error.position) + 1
        raise UnreadableYamlError(problem, line) from error
    except RecursionError:
        raise UnreadableYamlError("it is nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise UnreadableYamlError(str(error)) from error
    finally:
        if loader is not None:
            loader.dispose()
