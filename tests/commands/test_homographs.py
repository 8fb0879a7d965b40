"""Words with two readings, in sentences that people write."""

import pytest

from bot.commands import rejecting, statements

NAMES = [
    "The till asks for the payment before it calls refund()",
    "Each order passes our till, and the till drops empty ones",
    "Till has a lock for each drawer",
    "The importer calls this once per file",
    "The form sends each order once a day",
    "The queue delivers each order exactly once",
    "This is called at most once in main()",
    "All rows are read at once by the importer",
    "The loader reads the table once",
    "The table is loaded once, at startup",
    "The report of May has ten rows",
    "The migration ran in May 2026 and created one shelf",
    "Since May the form sends whole cents",
    "The will of the customer is stored before",
    "Will's service drops empty orders",
    "The loop runs through the `if` above it",
    "The `unless` guard and `until_paid` stop empty orders",
    "The flag until_paid is set by the form",
    "maybe_total() always returns whole cents",
    "A guard with an if stops empty orders above",
    "The If-Modified-Since header is set by the proxy",
    "The id is provided by our own form",
    "The name is used to look the order up",
    "The request falls back to the default of ten rows",
    "The value lies between 0 and 1",
    "The quota of each customer is ten rows",
    "The pension of each row is an integer",
    "The helper returns False for empty orders",
    "The column is NOT NULL in the schema",
    "The parameter is always None here",
    "The dice are rolled by the server",
    "Comment lines are dropped by the parser",
    "Since version 3 the form drops empty orders",
    "The imaginary part is zero for each row",
    "Der Bericht hat 5 bis 10 Zeilen",
    "Der Bericht hat bis zu zehn Zeilen",
    "Un informe tiene hasta 20 filas",
    "La personne qui commande a toujours un panier",
    "The deny list of the proxy has these names",
    "The proxy sets true/false for each order",
]
CONDITIONS = [
    "The queue drops empty orders till noon",
    "Till the queue is up, the form drops empty orders",
    "Till orders arrive, the form drops them",
    "We keep plan A till the queue drops empty orders",
    "The queue drops empty orders once it is up",
    "Once a customer pays, the queue drops empty orders",
    "Once a request arrives, the queue drops empty orders",
    "Only once the queue is up are empty orders dropped",
    "The queue dropped empty orders once",
    "It was safe once",
    "The queue may drop empty orders",
    "I think it may be that the queue drops empty orders",
    "The queue May be the one that drops empty orders",
    "It is safe provided the queue drops empty orders",
    "It is provided that the queue drops empty orders",
    "The queue used to drop empty orders",
    "Falls die Schlange leere Auftr\u00e4ge verwirft",
    "Die Schlange verwirft leere Auftr\u00e4ge bis zum Abend",
    "La cola descarta pedidos hasta el lunes",
    "La file rejette les commandes si elle tourne",
    "Personne ne rejette les commandes vides",
    "If-and-when the queue is up, orders are dropped",
    "That the queue drops empty orders is False",
    "The bot lies in its comment about the queue",
    "Maybe the queue drops empty orders",
    "Since when does the queue drop empty orders",
    "Comment la file rejette les commandes vides",
    "Variant A if the flag drops empty orders",
    "The queue drops None of the empty orders",
    "The bot quotes that the queue drops empty orders",
]  # fmt: skip


@pytest.mark.parametrize("sentence", NAMES)
def test_a_word_that_names_or_counts_conditions_nothing(sentence: str) -> None:
    """Alone and at the end of a rejection."""
    assert statements.states(sentence, f"{sentence}.", ["stranger"])
    rejection = f"Won't fix: {sentence[0].lower()}{sentence[1:]}."
    assert rejecting.reason(rejection) == rejection


@pytest.mark.parametrize("sentence", CONDITIONS)
def test_the_same_word_in_its_other_reading_decides_nothing(sentence: str) -> None:
    """A condition, a doubt, a denial, a report or a question."""
    assert not statements.states(sentence, f"{sentence}.", ["stranger"])
    if statements.is_conditional(sentence):
        assert rejecting.reason(f"Not a bug: {sentence}.") == ""


@pytest.mark.parametrize("after", ["Not a bug.", "So it is a false positive.", "This is by design."])
def test_a_rejection_after_a_fact_takes_nothing_back(after: str) -> None:
    """Although it has a word of denial."""
    fact = "The queue drops empty orders."
    assert statements.states(fact, f"{fact} {after}")
    assert not statements.states(fact, f"{fact} That is not a false positive.")
    assert not statements.states(fact, f"{fact} Why is that a false positive?")


@pytest.mark.parametrize(
    "body",
    [
        "I think it may be by design.",
        "Probably a false positive.",
        "By design, I think.",
        "Not a bug, probably.",
        "By design (as far as I know).",
        "Ich glaube, das ist kein Fehler.",
        "Creo que es un falso positivo.",
    ],
)
def test_who_is_not_sure_rejects_nothing(body: str) -> None:
    """Before the rejection and after it."""
    assert rejecting.reason(body) == ""
