"""What a comment states: whole sentences of its writer's own prose that ask, doubt, deny and condition nothing. Pure.

Words decide, in the languages that comments have; a sentence that cannot be read for a denial states nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.commands.homographs import without_names
from bot.commands.reading import paragraphs
from bot.findings.quotes import fold

MIN_WORDS, MOST_SENTENCES = 3, 6  # words that state a fact, and how many sentences may
SHORT = 3  # words of a retort: "Not so.", "Says who?"
LATIN = 0x24F  # the last letter of the scripts whose words are known here
_BOUNDARY = re.compile(r"(?<=[.!?\u2026])[ \t]++(?![a-z])|\n(?![a-z])")
_WHOLE = re.compile(r"[.!?\u2026][\"'\u201d\u2019)\]*_]*\Z")
_ASKS = re.compile(r"[?\u00bf\u037e\u061f\u203d\u2047-\u2049\uff1f]")
_ASKING = re.compile(
    r"(?:does|do|did|is|are|was|were|am(?= i\b)|has|have|had|can|could|will|would|should|shall|may|might|who|whose|whom|what|why|where|how"
    r"|prove|show|explain|check|verify|confirm|ask|convince|imagine|pretend|suppose"
    r"|wer|was|wie|wo|warum|wieso|weshalb|ist|sind|hat|kann|zeig\w{0,2}|beweis\w{0,3}"
    r"|qui\u00e9n|qu\u00e9|c\u00f3mo|d\u00f3nde|acaso|qui|comment|o\u00f9|pourquoi|est-ce|(?:since|seit|desde|depuis) (?:when|what|which|how|wann|welche\w?|wie|cu[a\u00e1]ndo|qu[e\u00e9]|quand|combien|quel\w{0,3}))\b",
    re.IGNORECASE,
)
_INTERJECTION = re.compile(r"\A(?:(?:@[\w\[\]-]{1,120}[,:;]?|(?:no|nope|nein|non),)[ \t\n]+)+", re.IGNORECASE)
_QUOTES = re.compile(
    r"[\"\u00ab\u00bb\u2018\u201a\u201c-\u201f\u2039\u203a\u300c-\u300f\uff02]|&#?\w+;|(?<!\w)'\w|\w'(?!\w)"
)
_MARKUP = re.compile(r"[*_`~]")
_CODE = re.compile(r"`[^`]{0,400}`")
_NEGATION = (
    r"not|never|no(?!-)|none|nobody|nothing|nowhere|neither|nor|hardly|barely|scarcely|unlikely|impossible|cannot|without|\w{1,20}n't"
    r"|(?:ca|do|does|did|is|are|was|were|wo|wouldn|could|should|have|has)nt|no longer|used to|formerly|previously|except|otherwise|instead of|rather than"
    r"|nicht|nie|niemals|kein\w{0,2}|nichts|niemand\w{0,2}|nirgends|weder|kaum|ohne|au\u00dfer"
    r"|nunca|jam\u00e1s|nadie|nada|ning\u00fan|ningun[ao]s?|tampoco|ni|apenas|sin|salvo"
    r"|ne|n'\w{1,30}|pas|jamais|aucune?s?|rien|personne|gu\u00e8re|sauf|sans"
    r"|non(?!-)|n\u00e3o|nao|niet|geen|nooit|ikke|ingen|inte|aldrig|ej|nem|de\u011fil|hay\u0131r"
)
_DOUBT = (
    r"believ\w{1,4}|disbeliev\w{1,4}|doubt\w{0,8}|think|thinks|thought|guess\w{0,3}|suppos\w{1,6}|assum\w{1,7}|imagin(?:e[ds]?|ing|ation)|wonder(?:s|ed|ing)?"
    r"|hop(?:e|es|ed|ing)|wish\w{0,3}|seems?|maybe|perhaps|possibly|probably|presumably|might|may|could|would|afaik|afaics|iirc|imh?o"
    r"|as far as i (?:know|remember|can (?:tell|see))"
    r"|zweif\w{1,5}|glaub\w{0,4}|denke?n?|denkst|vermut\w{1,5}|angeblich\w{0,2}"
    r"|vielleicht|m\u00f6glicherweise|wahrscheinlich|vermeintlich\w{0,2}|k\u00f6nnten?|w\u00fcrden?|d\u00fcrften?|h\u00e4tten?|w\u00e4ren?"
    r"|dud(?!es?\b|ley\b|man\b)\w{1,4}|creo|cree|crees|creen|creer|creemos|quiz\u00e1s?|tal vez|posiblemente|probablemente|supuest\w{1,6}|supon\w{1,5}|podr\u00eda\w{0,2}|ser\u00eda\w{0,2}"
    r"|dout\w{1,4}|croi(?!x\b)\w{1,3}|croyons|croyez|pens(?!ion)\w{1,4}|peut-\u00eatre|probablement|soi-disant|pourrait|serait|aurait"
)
_FALSITY = (
    r"false|falsely|wrong|wrongly|untrue|incorrect\w{0,2}|mistaken\w{0,2}|pretend\w{0,4}"
    r"|nonsense|bogus|rubbish|bullshit|lies?|lying|liar|myth|invented|made up|den(?:y|ies|ied)|refut\w{1,4}|disput\w{1,4}|disagree\w{0,2}|contrary"
    r"|surpris\w{1,4}|joke|joking|kidding|yeah right|as if|rumou?r\w{0,2}|hearsay|not (?:true|so|right|correct)"
    r"|falsch\w{0,2}|unwahr\w{0,2}|unsinn|quatsch|gelogen|l\u00fcgt?|bestreit\w{1,3}|bezweif\w{1,5}|irr\w{1,3}"
    r"|fals[ao]s?|mentiras?|incorrect[ao]s?|equivoca\w{1,4}|faux|fausses?|mensonges?|incorrecte?s?"
)
_SPEECH = (
    r"claim\w{0,3}|assert\w{0,3}|alleg(?:e[ds]?|ing|edly|ations?)|argu(?:e|es|ed|ing)|insist\w{0,3}|say|says|said|saying|tells?|told|wrote|written|quot(?:e[ds]?|ing|ations?)|according|apparently|reportedly"
    r"|so-called|suggest\w{0,4}|behaupt\w{1,4}|sag(?:t|en|te|ten|st)|gesagt|meint|meinte|laut|schrieb\w{0,2}|zitat|zitier\w{1,3}"
    r"|dice[ns]?|dijo|dicho|afirm\w{1,4}|asegura\w{0,2}|seg\u00fan|escribi\u00f3|cita|disent|dit|affirm\w{1,4}|pr\u00e9tend\w{0,4}|selon|\u00e9crit|cite"
)
_CONDITION = (
    r"if|unless|whether|when|whenever|once|until|till|provided|as long as|in case|wenn|falls|ob|sofern|solange|sobald|bis"
    r"|si|s'ils?|cuando|mientras|hasta|quand|lorsque|d\u00e8s|tant que"
)


# What rejects a finding. Said after a fact, it does not take the fact back.
REJECTION = re.compile(
    r"\b(?:wo'?n'?t|will not|not going to|no need to) (?:be )?fix(?:ed|ing)?\b|\bwontfix\b"
    r"|\b(?:not a|isn't a|is no|no) (?:bug|defect|problem|issue)\b|\bfalse positive\b|\bfalse alarm\b"
    r"|\b(?:by|as) design(?:ed)?\b|\bworks? as intended\b|\b(?:this|that|it) ?(?:'s|is) (?:intended|intentional|deliberate|on purpose)\b"
    r"|\bkein (?:bug|fehler|problem)\b|\bfehlalarm\b|\bwird nicht (?:behoben|gefixt)\b|\b(?:so gewollt|mit absicht|absichtlich)\b"
    r"|\bno es un (?:error|bug|problema)\b|\bfalso positivo\b|\bno se (?:va a arreglar|arreglar\u00e1|corregir\u00e1)\b|\b(?:por dise\u00f1o|a prop\u00f3sito|es intencionado)\b"
    r"|\b(?:pas un bug|pas une erreur|pas un probl\u00e8me)\b|\bfaux positif\b|\bne sera pas corrig\u00e9\b|\b(?:par conception|c'est voulu|fait expr\u00e8s)\b",
    re.IGNORECASE,
)


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


_REFUSED = _words(_NEGATION, _DOUBT, _FALSITY, _SPEECH, _CONDITION)
_RETRACTED = _words(_DOUBT, _FALSITY, _SPEECH)  # by the sentence after it
_REPORTED = _words(_SPEECH)  # by the sentence before it
_DOUBTED = _words(_DOUBT)
_NO = _words(_NEGATION)
_IF = _words(_CONDITION)


def sentences(body: str) -> Iterator[tuple[str, ...]]:
    """The sentences of each paragraph that its writer wrote as prose; a sentence may go on over lines."""
    for text in paragraphs(body):
        yield tuple(part.strip() for part in _BOUNDARY.split(text.replace("\u2019", "'")) if part.strip())


def asks(sentence: str) -> bool:
    """Whether a sentence asks something or orders a proof, with its sign or without."""
    plain = without_names(_CODE.sub("x", sentence))
    return bool(_ASKS.search(plain) or _ASKING.match(_INTERJECTION.sub("", plain)))


def is_conditional(sentence: str) -> bool:
    """Whether a sentence holds only under a condition."""
    return bool(_IF.search(without_names(_CODE.sub("x", sentence))))


def doubts(text: str) -> bool:
    """Whether the writer of these words is not sure of them."""
    return bool(_DOUBTED.search(without_names(text)))


def states(words: str, body: str, others: Iterable[str] = ()) -> bool:
    """Whether a comment states these very words: whole sentences of it, each plain, and none taken back by the one after.

    `others`: the logins of other people who have spoken; a sentence that names one of them reports what they said.
    """
    statement = _core(words)
    if len(statement.split()) < MIN_WORDS:
        return False
    logins = [re.escape(login) for login in others if login]
    names = _words(*logins) if logins else None
    blocks = [*sentences(body)]
    return any(
        _core(" ".join(block[first:end])) == statement
        and all(_is_plain(sentence, names) for sentence in block[first:end])
        and (not first or _WHOLE.search(block[first - 1]) is not None)
        and not reports(block[first - 1] if first else _at(blocks, number - 1, -1), names)
        and not _takes_back(block[end] if end < len(block) else _at(blocks, number + 1, 0))
        for number, block in enumerate(blocks)
        for first in range(len(block))
        for end in range(first + 1, min(len(block), first + MOST_SENTENCES) + 1)
    )


def _at(blocks: Sequence[Sequence[str]], number: int, index: int) -> str:
    return blocks[number][index] if 0 <= number < len(blocks) and blocks[number] else ""


def _core(text: str) -> str:
    """A text without what is no part of its statement: who is addressed, an interjection at its beginning, emphasis, the sign at its end."""
    plain = _MARKUP.sub("", fold(text.replace("\u2019", "'")))
    return _INTERJECTION.sub("", plain).rstrip(".!\u2026 ").lower()


def _is_plain(sentence: str, names: re.Pattern[str] | None) -> bool:
    """Whether a sentence states what it says: no question, quotation, doubt, denial or condition, and nobody else is named."""
    codes = _CODE.findall(sentence)
    text = _CODE.sub("x", _INTERJECTION.sub("", sentence))
    return not (
        asks(sentence)
        or _QUOTES.search(text)
        or _REFUSED.search(without_names(text))
        or (names is not None and names.search(sentence))
        or any(" " in code.strip("` ") for code in codes)
        or any(ord(letter) > LATIN and letter.isalpha() for letter in text)
    )


def reports(sentence: str, names: re.Pattern[str] | None = None) -> bool:
    """Whether what comes after these words is somebody else's."""
    return bool(_REPORTED.search(without_names(sentence)) or (names is not None and names.search(sentence)))


def _takes_back(sentence: str) -> bool:
    """Whether a sentence denies the one before it."""
    rejection = REJECTION.search(sentence)
    if rejection and not _NO.search(sentence[: rejection.start()]) and not asks(sentence):
        sentence = f"{sentence[: rejection.start()]}x{sentence[rejection.end() :]}"
    plain = without_names(sentence)
    retort = len(sentence.split()) <= SHORT and (_NO.search(plain) or asks(sentence))
    return bool(retort or _RETRACTED.search(plain))
