"""Words that ask, doubt, deny, report or condition in one reading, and name or count something in the other. Pure.

The other reading is taken only where grammar leaves no choice: after an article, before the word that it counts with, as a value, or as
code. Elsewhere the word keeps the reading that decides nothing.
"""

import re

_THE = r"(?<![\w-])(?:the|an|every|our|your|my|their|its)"
_A = rf"(?:{_THE}|\AA|(?<![\w-])(?-i:a))"  # a capital A within a sentence is a letter: "plan A till noon"
_BE = r"(?<![\w-])(?:is|are|be|being|been|was|were|gets)"
_NUMBER = (
    r"(?:\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|ein\w{0,2}|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|zw\u00f6lf"
    r"|un[ao]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce)"
)
_TIME = r"(?:second|minute|hour|day|night|week|month|quarter|year)"
_UNIT = r"(?:call|customer|file|line|loop|order|process|release|request|round|row|run|session|user)"
_END = r"(?=[ ]{0,3}(?:[.;:!)]|\Z))"
_NO_CLAUSE = r"(?! (?:that|the|an?|all|both|no|its?|they|this|these|those|there|everything|everyone|nobody|nothing|he|she|we|you|i|my|our|your|their)\b)"
_SUFFIX = (
    r"(?:c|cpp|cs|css|go|h|html|java|js|json|jsx|kt|lua|md|php|pl|py|rb|rs|sh|sql|swift|toml|ts|tsx|txt|vue|yaml|yml)"
)
_OF_TILL = r"(?:is|has|asks|takes|sends|keeps|gives|makes|knows|refuses|rejects|validates|verifies|adds|reads|writes|holds|gets|computes|enforces|rounds|prints)"
_AFTER_VALUE = r"(?=[ ]{0,3}(?:[.,;:!)]|\Z)|[ ](?:and|or|by|for|from|in|here|before|after|at|there)\b)"

# As code without backticks: a call, an argument, a directive, a file, a part of a longer name.
_AS_CODE = (
    r"(?<![\w.])[\w.]{1,60}\(\)",
    rf"(?<![\w/])[\w/]{{1,60}}\.{_SUFFIX}\b(?![./]?\w)",
    r"(?<![\w-])[#@$%]\w{1,30}\b",
    r"(?<![\w-])\w{1,30}(?:=(?=[\w\"'-])|::)",
    r"(?<![\w-])(?:if|unless|when|once|until|till|case|sans|deny|false|not|never|maybe|will|can|may|check|show|how|has|do|what|who)-(?=\w)(?!(?:so|and|or)\b)",
    r"(?<![\w-])if/(?:else|elif)\b",
    r"(?<![\w-])(?:math\.)?sin(?:\(|(?= and cos\b))",
)
# As a noun, after an article that stands right before it, or in a compound that has no other reading.
_AS_NOUN = (
    rf"{_THE} (?:if|unless|when|whenever|once|until|except|might)\b(?!['-])",
    rf"{_A} (?:till|wish|dispute|dice|say)\b(?!['-])",
    r"(?<![\w-])(?:per|cash) till\b",
    rf"(?:\A|(?<=[:;] ))till (?={_OF_TILL}\b)",
    rf"{_A} (?:not|nor|never|without|otherwise|maybe) (?=(?:operator|gate|type|clause|branch|keyword|monad)\b)",
    r"(?<![\w-])(?:deny|wish) ?list\b|(?<![\w-])deny (?=(?:rule|policy)\b)",
    r"(?<![\w-])imaginary (?=(?:part|number|unit|axis)s?\b)",
    r"(?<![\w-])(?:claims? (?=(?:table|set)\b)|(?:jwt|token|id) claims?\b)",
    r"(?<![\w-])(?:dispute|quote|suggestion)s? (?=(?:table|form|page|queue|service|row|list)s?\b)",
    rf"{_A} assert(?:ion)?s?(?= (?:in|at|above|before|after|on|checks|stops|fails|holds)\b)",
    r"(?<![\w-])(?:two|three|both) dice\b",
    r"(?<![\w-])(?:une|la|cette|chaque|toute) personne\b",
    r"(?<![\w-])(?:un|le|du|au|chaque) pas\b",
    r"(?<![\w-])(?:una|cada) cita\b",
    r"(?<![\w-])comment (?=(?:line|row|field|id|block|author|thread|text)s?\b)",
    r"(?<![\w-])sans serif\b",
)
# As a number, or as how often.
_AS_NUMBER = (
    r"(?<![\w-])once (?:per|more|again|and for all|or twice)\b",
    r"(?<![\w-])(?:at|than|at most|at least) once\b",
    rf"(?<![\w-])(?:exactly|precisely) once\b{_NO_CLAUSE}",
    rf"(?<![\w-])(?:only|just) once(?:{_END}| (?:by|during|per)\b)",
    rf"(?<![\w-])once (?:an?|each|every) (?:{_TIME}(?:{_END}|,| (?:and|by|during|for|from)\b)|{_UNIT}{_END})",
    r"(?<=\w )once (?:by|for|during|from)\b",
    rf"(?<![\w-])(?:is|are|be|gets) (?:\w{{1,30}} )?once\b(?:{_END}|,)",
    rf"(?<![\w-]){_NUMBER} (?:bis|hasta) (?={_NUMBER}\b)",
    r"(?<![\w-])von (?-i:[A-Z]|Montag|Anfang) bis (?=(?-i:[A-Z]|Freitag|Samstag|Sonntag|Ende)\b)",
    rf"(?<![\w-])bis zu (?={_NUMBER}\b)",
    rf"(?<![\w-])(?:tienen?|admiten?|aceptan?|permiten?) hasta (?={_NUMBER}\b)",
    r"(?<![\w-])as long as (?=\d)",
    r"(?<![\w-])(?:value|index|number|result|sum|date|price|total|amount) lies (?=(?:in|on|under|outside|inside)\b)",
    r"(?<![\w-])lies? (?=(?:between|within|below|above|beyond)\b)",
)
# As a verb of its own, or a manner.
_AS_VERB = (
    rf"{_BE} used to\b",
    rf"{_BE} provided\b{_NO_CLAUSE}",
    rf"{_A} provided\b(?! that\b)|(?<![\w-])provided (?=by\b)",
    r"(?<![\w-])falls (?=(?:back|through|to|into|within|below|onto|out|over|off|outside|between|short|behind|from|on)\b)",
    r"(?<![\w-])(?:sorted|ordered|grouped|rounded|scaled|formatted|split) according\b",
    r"(?<![\w-])access is denied\b",
)
# As a value, a month or a name: their letters decide.
_AS_VALUE = (
    rf"\b(?:[Rr]eturns?|(?:set|defaults?|evaluates?|equal|compared) to|[Tt]rue (?:or|and)|==?) (?:false|False|FALSE|None|NONE)\b{_AFTER_VALUE}",
    r"\b(?:is|are|stays?|always|be|or) None\b(?! of\b)",
    r"\bfalse (?=(?:branch|value|case|arm)\b)|\btrue/false\b",
    r"\b(?:verdadero o falso|vrai ou faux|wahr oder falsch)\b",
    r"\bNOT NULL\b|\bWHEN (?=MATCHED\b)|\bIF (?:NOT )?EXISTS\b",
    r"\b(?:[Ii]n|[Ss]ince|[Ff]rom|[Bb]y|[Dd]uring|[Ff]or|[Ll]ast|[Ee]very|[Aa]fter|[Bb]efore|[Tt]he|of|next|each|early|late|a) May\b(?! (?:be|have|not|well|also|still|never)\b)",
    r"\bMay (?=\d{4}\b|\d{1,2}(?:st|nd|rd|th|,)|(?:to|and) Ju(?:ne|ly)\b)|(?<=\d )May\b|(?<=\d\. )May\b|\bApril (?:and|to) May\b",
    r"\b(?:Will|May)(?='s )",
    r"\bSI(?=[ -](?:units?|Einheit(?:en)?|unit\u00e9s|unidad(?:es)?|prefix(?:es)?)\b)",
    r"\bMaybe(?=[<.\[]\w)|\b(?:a|the) Maybe\b",
)
_CASED = re.compile("|".join(_AS_VALUE))
_OTHER = re.compile("|".join((*_AS_CODE, *_AS_NOUN, *_AS_NUMBER, *_AS_VERB)), re.IGNORECASE)
_ONCE_AT_THE_END = re.compile(rf"(?<=\w )once\b{_END}", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|did|held|ran|sent|went|\w{2,30}ed)\b", re.IGNORECASE)  # once: formerly


def without_names(text: str) -> str:
    """Replace each word that names or counts something here, and in another place would ask, doubt, deny, report or condition."""
    plain = _OTHER.sub("x ", _CASED.sub("x ", text))
    return plain if _PAST.search(plain) else _ONCE_AT_THE_END.sub("x ", plain)
