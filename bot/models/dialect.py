"""What the dialects share: a request is sent once more in another form if its form is refused, and what was learnt is kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.models import prices
from bot.models.billing import Arrival, billing
from bot.models.connection import Connection, FormRefused
from bot.models.forms import Forms, RequestForm
from bot.models.stream import Assembly
from bot.values import Allowance, Completion, Prompt, Usage

JSON_ONLY = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one API is spoken."""

    body: Callable[[str, Prompt, RequestForm], dict[str, Any]]  # of a request
    read: Callable[[Mapping[str, Any], Prompt, RequestForm, str, Allowance | None], Completion]  # a reply
    assembly: Callable[[], Assembly]  # that puts a stream together
    usage_of_failed: Callable[[Mapping[str, Any], Prompt], Usage]  # the tokens of a reply of no use, as far as it came


class HttpModel:
    """One model behind an API. Satisfies `ports.Model`. Requests at the server == calls + `asked_again`."""

    def __init__(self, name: str, dialect: Dialect, forms: Forms, connection: Connection) -> None:
        self.name = name
        self._dialect, self._forms, self._connection = dialect, forms, connection

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def asked_again(self) -> int:
        """How many requests were sent once more in another form."""
        return self._forms.asked_again

    async def complete(self, prompt: Prompt) -> Completion:
        """One request; one more for each form that the server refuses."""
        form, refused_forms, dialect = self._forms.form, set[RequestForm](), self._dialect
        while True:
            arrival = Arrival(dialect.assembly())
            try:
                with billing(arrival, prompt, dialect.usage_of_failed):
                    response = await self._connection.send(dialect.body(self.name, prompt, form), arrival)
                    completion = dialect.read(response.reply, prompt, form, self.name, response.allowance)
            except FormRefused as error:
                form = self._forms.next(form, refused_forms, error.refusal, prompt)
            else:
                self._forms.learn(form, refused_forms)
                return completion

    def price(self, usage: Usage) -> float | None:
        """Dollars for this usage, None where the price is unknown."""
        return prices.dollars(self.name, usage)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()
