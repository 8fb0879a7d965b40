"""A callback of Elixir and what answers it are two halves: one that goes, is renamed or takes another number of arguments leaves the other open."""

from collections.abc import Mapping

import pytest
from small_changes import Files, Places

Case = tuple[
    Files, str, tuple[str, str], str
]  # the files, the one that changes, what is written there, and who is left

WORKER = "defmodule Shop.Worker do\n  @callback handle(term, keyword) :: :ok when term: any\n  @callback label() :: binary\n%send\n"
PLAIN = WORKER % ""
OPTIONAL = WORKER % "  @optional_callbacks handle: 2\n"
GIVING = WORKER % (
    "  defmacro __using__(_) do\n    quote do\n      @behaviour Shop.Worker\n      def handle(_, _), do: :ok\n      defoverridable handle: 2\n    end\n  end\n"
)
MAIL = 'defmodule Shop.Mail do\n%s\n  @impl true\n  def handle(name, opts) do\n    {name, opts}\n  end\n\n  @impl true\n  def label, do: "mail"\nend\n'
NAMED = MAIL % "  @behaviour Shop.Worker"
ALIASED = MAIL % "  alias Shop.Worker, as: W\n  @behaviour W"
GROUPED = MAIL % "  alias Shop.{Cart, Worker}\n  @behaviour Worker"
USED = MAIL % "  use Shop.Worker, retries: 1"
THROUGH = MAIL % "  use Shop.Job"
JOB = "defmodule Shop.Job do\n  defmacro __using__(_) do\n    quote do\n      @behaviour Shop.Worker\n    end\n  end\nend\n"
CALLER = "defmodule Shop.Run do\n  def run(worker), do: worker.handle(1, [])\n  def default, do: Shop.Worker\nend\n"
FAILURE = "defmodule Shop.Failure do\n  defstruct [:module, :reason]\n  def message(%{module: module, reason: reason}), do: module.format(reason)\nend\n"
HANDING = "defmodule Shop.Mail do\n  alias Shop.Failure\n  def fail(reason), do: %Failure{module: __MODULE__, reason: reason}\n  def format(reason), do: reason\nend\n"
LENGTH = "defmodule Shop.Length do\n  def of(map), do: map\nend\n"
PROTOCOL = "defprotocol Shop.Size do\n  def size(value)\n  def unit(value)\nend\n"
SIZES = "defmodule Shop.Sizes do\n  defimpl Shop.Size, for: Map do\n    def size(map), do: map.size\n    def unit(_), do: 1\n  end\nend\n"
W, M, C, P, S = "lib/shop/worker.ex", "lib/shop/mail.ex", "lib/shop/run.ex", "lib/shop/size.ex", "lib/shop/sizes.ex"
HANDLE = "  @callback handle(term, keyword) :: :ok when term: any\n"
ANSWER = "  @impl true\n  def handle(name, opts) do\n    {name, opts}\n  end\n\n"

LEFT: Mapping[str, Case] = {
    "callback-removed": ({W: PLAIN, M: NAMED}, W, (HANDLE, ""), M),
    "callback-renamed": ({W: PLAIN, M: NAMED}, W, ("handle(", "perform("), M),
    "callback-arity": ({W: PLAIN, M: NAMED}, W, ("(term, keyword)", "(term)"), M),
    "callback-new": ({W: PLAIN, M: NAMED}, W, (HANDLE, f"{HANDLE}  @callback stop(term) :: :ok\n"), M),
    "callback-asked-for": (
        {W: OPTIONAL, M: NAMED.replace(ANSWER, "")},
        W,
        ("  @optional_callbacks handle: 2\n", ""),
        M,
    ),
    "callback-aliased": ({W: PLAIN, M: ALIASED}, W, ("handle(", "perform("), M),
    "callback-grouped": ({W: PLAIN, M: GROUPED}, W, (HANDLE, ""), M),
    "callback-used": ({W: GIVING, M: USED}, W, ("@callback handle(", "@callback perform("), M),
    "callback-used-elsewhere": ({W: PLAIN, M: THROUGH, "lib/shop/job.ex": JOB}, W, (HANDLE, ""), M),
    "callback-called": ({W: PLAIN, C: CALLER}, W, (HANDLE, ""), C),
    "callback-called-with-others": ({W: PLAIN, C: CALLER}, W, ("(term, keyword)", "(term)"), C),
    "handed-itself": (
        {"lib/shop/failure.ex": FAILURE, M: HANDING},
        M,
        ("format(", "format_it("),
        "lib/shop/failure.ex",
    ),
    "macrocallback": (
        {W: PLAIN.replace("@callback h", "@macrocallback h"), M: NAMED.replace("def h", "defmacro h")},
        W,
        ("handle(", "perform("),
        M,
    ),
    "answer-removed": ({W: PLAIN, M: NAMED}, M, (ANSWER, ""), W),
    "answer-renamed": ({W: PLAIN, M: NAMED}, M, ("handle(", "perform("), W),
    "answer-arity": ({W: PLAIN, M: NAMED}, M, ("(name, opts)", "(name)"), W),
    "answer-private": ({W: PLAIN, M: NAMED}, M, ("def handle", "defp handle"), W),
    "answer-aliased": ({W: PLAIN, M: ALIASED}, M, (ANSWER, ""), W),
    "answer-grouped": ({W: PLAIN, M: GROUPED}, M, ("handle(", "perform("), W),
    "answer-of-use": ({W: GIVING.replace("def handle", "def other"), M: USED}, M, (ANSWER, ""), W),
    "answer-of-use-elsewhere": ({W: PLAIN, M: THROUGH, "lib/shop/job.ex": JOB}, M, (ANSWER, ""), W),
    "answer-optional-renamed": ({W: OPTIONAL, M: NAMED}, M, ("handle(", "perform("), W),
    "answer-given-renamed": ({W: GIVING, M: USED}, M, ("handle(", "perform("), W),
    "answer-without-parentheses": ({W: PLAIN, M: NAMED}, M, ("def label,", "def name,"), W),
    "behaviour-renamed": ({W: PLAIN, M: NAMED}, W, ("Shop.Worker", "Shop.Work"), M),
    "behaviour-renamed-alias": ({W: PLAIN, M: GROUPED}, W, ("Shop.Worker", "Shop.Work"), M),
    "behaviour-renamed-use": ({W: GIVING, M: USED}, W, ("Shop.Worker", "Shop.Work"), M),
    "protocol-itself-renamed": ({P: PROTOCOL, S: SIZES}, P, ("Shop.Size", "Shop.Length"), S),
    "module-renamed": (
        {P: LENGTH, S: SIZES.replace("map.size", "Shop.Length.of(map)")},
        P,
        ("Shop.Length", "Shop.Width"),
        S,
    ),
    "protocol-renamed": ({P: PROTOCOL, S: SIZES}, P, ("size(", "length("), S),
    "protocol-removed": ({P: PROTOCOL, S: SIZES}, P, ("  def unit(value)\n", ""), S),
    "protocol-new": ({P: PROTOCOL, S: SIZES}, P, ("  def unit(value)\n", "  def unit(value)\n  def more(value)\n"), S),
    "implementation-removed": ({P: PROTOCOL, S: SIZES}, S, ("    def unit(_), do: 1\n", ""), P),
    "implementation-renamed": ({P: PROTOCOL, S: SIZES}, S, ("size(", "length("), P),
}
KEPT: Mapping[str, Case] = {
    "callback-optional-new": (
        {W: PLAIN, M: NAMED}, W, (HANDLE, f"{HANDLE}  @callback stop(term) :: :ok\n  @optional_callbacks stop: 1\n"), M
    ),
    "callback-type": ({W: PLAIN, M: NAMED}, W, ("keyword)", "list)"), M),
    "callback-of-another": ({W: PLAIN, M: NAMED.replace("Shop.Worker", "Shop.Other")}, W, (HANDLE, ""), M),
    "called-with-more": ({W: PLAIN, C: CALLER.replace("(1, [])", "(1, 2, [])")}, W, (HANDLE, ""), C),
    "called-beside-nothing": ({W: PLAIN, C: CALLER.replace("Shop.Worker", "1")}, W, (HANDLE, ""), C),
    "answer-optional-removed": ({W: OPTIONAL, M: NAMED}, M, (ANSWER, ""), W),
    "answer-given-removed": ({W: GIVING, M: USED}, M, (ANSWER, ""), W),
    "answer-now-of-use": (
        {W: PLAIN, M: NAMED, "lib/shop/job.ex": JOB.replace("Worker\n", "Worker\n      def handle(_, _), do: 1\n")},
        M, (NAMED, THROUGH.replace(ANSWER, "")), W,
    ),
    "answer-with-default": ({W: PLAIN, M: NAMED}, M, ("(name, opts)", "(name, opts, more \\\\ 1)"), W),
    "answer-clause-removed": (
        {W: PLAIN, M: NAMED.replace("  @impl true\n  def label", "  def handle(:b, _), do: 1\n\n  @impl true\n  def label")},
        M, ("  def handle(:b, _), do: 1\n", ""), W,
    ),
    "answer-given-up-with-the-behaviour": (
        {W: PLAIN, M: NAMED}, M, (NAMED, NAMED.replace("  @behaviour Shop.Worker\n", "").replace(ANSWER, "").replace("  @impl true\n", "")), W
    ),
    "not-handed": (
        {"lib/shop/failure.ex": FAILURE, M: HANDING.replace("__MODULE__", "nil"), S: SIZES.replace("unit", "format")},
        M, ("format(", "format_it("), "lib/shop/failure.ex",
    ),
    "helper-renamed": (
        {W: PLAIN, M: NAMED.replace("  @impl true\n  def label", "  def help(a), do: a\n\n  @impl true\n  def label")},
        M, ("def help(", "def aid("), W,
    ),
}  # fmt: skip


HELPERS = "defmodule Shop.Mix.Tasks.Helpers do\n  def other(a), do: a\n  def load(a), do: a\nend\n"


@pytest.mark.parametrize("path", ["lib/mix/tasks/helpers.ex", "lib/shared/odds.ex"])
@pytest.mark.parametrize("use", ["Shop.Mix.Tasks.Helpers.load(1)", "Helpers.load(1)"])
def test_a_module_is_found_whose_path_does_not_spell_its_name(path: str, use: str, places: Places) -> None:
    """A changed file is called what it says, whatever its folder is."""
    user = f"defmodule Shop.Run do\n  alias Shop.Mix.Tasks.Helpers\n  def run, do: {use}\nend\n"
    other = "defmodule Shop.Other do\n  def load(a), do: a\nend\n"
    files = {path: HELPERS, "lib/shop/run.ex": user, "lib/shop/other.ex": other}
    assert "lib/shop/run.ex" in places(files, {path: HELPERS.replace("load(", "loads(")})


@pytest.mark.parametrize("case", LEFT)
def test_the_other_half_is_open(case: str, places: Places) -> None:
    """The half that the change leaves behind is named."""
    files, path, (old, new), left = LEFT[case]
    assert old in files[path]
    assert left in places(files, {path: files[path].replace(old, new)})


@pytest.mark.parametrize("case", KEPT)
def test_a_half_that_still_fits_is_not_open(case: str, places: Places) -> None:
    """A callback that nobody has to answer, or that is answered still, is not."""
    files, path, (old, new), kept = KEPT[case]
    assert old in files[path]
    assert kept not in places(files, {path: files[path].replace(old, new)})
