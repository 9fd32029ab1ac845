"""Words around a number that show that it is not an answer: bounds, negations, names, dates, unfinished sums."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from vivavoce.interview.forms.spelled_numbers import A_SIZE, SPELLED

BOUND: Final = "states a bound, a range or what it is not"
PART: Final = "the number is part of something else"
UNDONE: Final = "states a sum that is left undone"
UNCLEAR: Final = "leaves open how much the number is"

_NEAR: Final = 100
"""Number of characters on either side of a number that are examined for words belonging to it."""
_CLAUSE: Final = 400
"""Number of characters before it that are examined for a negation."""
_FOREIGN_BOUND: Final = (
    r"wenigstens|mindestens|höchstens|maximal|minimal|(?:mehr|weniger) als|über|unter|fast|knapp|bis(?: zu)?|ab|zwischen"
    r"|(?:au|du) (?:moins|plus|maximum|minimum)|(?:plus|moins) de|jusqu'à|presque|entre"
    r"|(?:al|a lo|como) (?:menos|más|sumo|mínimo|máximo|mucho)|por lo menos|(?:más|menos) de|hasta|casi"
    r"|(?:al)?meno|al (?:massimo|minimo|più)|(?:più|meno) di|fino a|quasi|(?:pelo|ao|no) (?:menos|mínimo|máximo)"
    r"|(?:mais|menos) (?:de|do que)|até|(?:ten )?minstens?|(?:meer|minder) dan|hoogstens|tot|bijna"
    r"|moins|menos|minst|högst|(?:mer|mere|fler|mindre) (?:än|end|enn)|nästan|næsten|nesten|højst|(?:co )?(?:najmniej|najwyżej)"
    r"|(?:więcej|mniej) niż|ponad|poniżej|do|nejméně|nejvýše|(?:více|méně) než|přes|en (?:az|fazla|çok)"
    r"|paling (?:sedikit|banyak)"
    r"|(?:lebih|kurang) dari|ít nhất|nhiều nhất|(?:hơn|dưới|trên)|vähintään|enintään|yli|alle|legalább|legfeljebb"
)
"""Function words of other languages that make a number a bound; for other scripts see `_IN_A_SCRIPT`."""
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:at (?:the )?(?:very )?(?:least|most|minimum|maximum|best|worst)"
    r"|(?:more|less|fewer|greater|larger|higher|lower|smaller|bigger|longer|shorter|older|younger|better|worse) than"
    r"(?: or equal to)?|(?<!left )over|under|above|below|beyond|exceed(?:s|ed|ing)?|within|upwards? of|down to|in excess of"
    r"|(?:limited|capped|restricted|close) (?:to|at)|(?:start|begin)(?:s|ning|ing)? (?:at|from|with)|(?:north|south"
    r"|short|shy) of"
    r"|hardly|barely|scarcely|not quite|no (?:more|less|fewer) than"
    r"|(?<!add )(?<!adds )(?<!added )(?<!adding )(?<!sum )(?<!sums )(?<!comes )up to|as (?:many|much|few|little|low|high) as"
    r"|(?:a )?(?:minimum|maximum|max|min|ceiling|floor|cap)(?: of)?|m[áa]x(?:\.|imo)?|m[íi]n(?:\.|imo)?|massimo|almost|nearly"
    r"|approaching|between|from|anything but|all but|plus or minus|by no means|such as|e\.g\.|for (?:instance|example)"
    rf"|{_FOREIGN_BOUND})|[<>≤≥≠±∓~≲≳]\s?[<>=]?|\+/-)\s?(?:(?:the|a|an|about|around|some|only)\s)?[(\s]*$",
    re.IGNORECASE,
)
_COUNTER: Final = r"[^\W\d_a-zA-ZÀ-ɏ]{0,3}"
"""Letters of a script without capitals that count things, right after a number: 42個, 42명."""
_BOUND_AFTER = re.compile(
    rf"^\s?{_COUNTER}\s?"
    r"(?:以上|以下|以内|以外|未满|未満|不到|を(?:超|下回|上回)|より|이상|이하|미만|초과"
    r"|이내|[을를]? ?(?:넘|밑)|से (?:अधिक|कम|ज़्यादा|ज्यादा))"
    r"|^\s?[^\W\da-zA-ZÀ-ɏ]?(?:超|越|多|余|起|강|弱|強)|∞|^\s?[-–]?(?:odd|ish)\b"
    r"|^'[dt][ae]n (?:fazla|az|çok)\b|\b(?:au (?:moins|plus|m(?:ax|in)imum)|(?:como|al|no) m[áií][xn]i?mo"
    r"|(?:al|pelo|por lo) menos|min(?:destens|imal)|höchstens|maximal|almeno|al massimo|(?:und|et|y|e|i|и) (?:mehr"
    r"|darüber|darunter|plus|más|più|mais|więcej|более|больше|выше|менее))\b|على ال(?:أقل|أكثر)|أو (?:أكثر|أقل)"
    r"|^(?: \w+)? (?:onwards?|and (?:on|counting|change)|as an? (?:minimum|maximum|limit|bound)|(?:at )?best|at worst)\b"
    r"|^\s?\+(?!\s?[\d(])|^\s?(?:plus\b|(?:\w+\s)?(?:minimum|maximum|max|tops)\b\W*$)"
    r"|\b(?:or (?:more|less|fewer|higher|lower|greater|above|below|over|under|later|earlier|so|thereabouts)"
    r"|and (?:more|up|upwards?|above|over|below)|at (?:least|most)|(?:oder|ou|o|of|или|eller|lub) (?:mehr|weniger|plus"
    r"|moins|más|menos"
    r"|più|meno|mais|meer|minder|более|больше|менее|меньше|mer|mindre|więcej|mniej))\b|[<>≤≥≠±∓]",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"\b(?:not|never|neither|nor|cannot|no longer|other than|except|without|rather than|instead of|wrong|incorrect|nicht"
    r"|kein\w{0,2}|pas|non|nunca|jamais|nie|niet|geen|não|inte|ikke|ei|nem|bukan|tidak|không|není|не|ні|нет|δεν|לא|ليس"
    r"|no (?:es|son|é|hay|será))\b|n't\b|[不非没無]"
    r"|\b(?:some|others|many|people)\b(?: \w+)? (?:say|think|claim|argue|believe)\b|\bfar from\b",
    re.IGNORECASE,
)
WRONG: Final = (
    r"(?:\w{1,12}ly )?(?:(?:marked|graded|counted|scored|judged|deemed|considered|called|declared|labell?ed)(?: as)? )?"
    r"(?:wrong|incorrect|false|invalid|mistaken|inaccurate|absurd|impossible|nonsens\w{0,4}|implausible|unreasonable|unrealistic"
    r"|unacceptable|silly|inadmissible|rejected|refuted|disproved|discarded|dismissed|eliminated|excluded|withdrawn|retracted"
    r"|ruled out|crossed out|struck out|out of (?:the question|range)|an? (?:contradiction|joke|typo|trap|decoy|distractor"
    r"|red herring|placeholder|mistake|error|misprint))"
)
"""Words that say that a number cannot be the answer."""
_NOT_AFTER = re.compile(
    r"^\W*(?:\w+\W+){0,2}?(?:(?:is|are|was|were|seems) (?:not|never)|(?:is|are|was|were)n't)\W*"
    r"(?:$|(?:the|an?|my|it|right|correct|true|possible|enough|valid|among|one of|listed|offered)\b)"
    rf"|^\W*(?:is|are|was|were)(?:n't| not| never)\b|\b(?:is|are|was|were|be|seems) (?:too|wrong|incorrect"
    rf"|false)\b|^\W*(?:(?:is|was|would be|has been|gets?|got|seems) )?{WRONG}\b"
    r"|^\W*(?:makes? no sense|fails?|(?:does|can)(?:n't| ?not)(?= (?:be|work|fit|satisf|match|add|equal|hold|make"
    r"|seem|look)))\b|\ba contradiction\b|\bcontradict(?:s|ing)\b"
    r"|^\W*(?:is|was) what (?!i\b|we\b)(?:\w+ ){1,2}(?:got|gets|said|says|wrote|claim\w{0,3}|answered|thought|guess\w{0,2})\b"
    r"|\b(?:değil|nahi)\b|ではな|じゃな|ではあり|아니|아닙|नहीं"
    r"|^\W*(?:was|is) (?:what i|my|the) (?:first|initial|original|earlier|previous|old)\w{0,3}\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|may|could|either|or|whether|if|unless|depending|vielleicht|peut-être|quizás|forse)\b",
    re.I,
)
_LABEL = re.compile(
    r"\b(?:sections?|chapters?|steps?|pages?|pp?\.|eqs?\.?|equations?|questions?|problems?|exercises?|fig\.?|figures?"
    r"|tables?|rules?"
    r"|articles?|lines?|items?|no\.?|nr\.?|nos\.?|(?<!the )number|versions?|ver|v|routes?|highway|interstate|rooms?|floor"
    r"|gate|flight"
    r"|platform|bus|codes?|errors?|status|https?|options?|choice|parts?|volume|vol\.?|verse|appendix|notes?|footnote"
    r"|clause|paragraph"
    r"|law|act|class|grade|level|phase|stage|season|episode|day|week|group|team|player|agent|user|id|reference|ref\.?"
    r"|cases?|call"
    r"|dial|text|phone|press|channel|area|zone|block|lot|unit|apartment|apt\.?|box|row|column|slide|lesson|module|task"
    r"|test|attempt"
    r"|round|theorem|lemma|definition|proposition|corollary|examples?|sample|port|formula|point|layer|model|sin|cos|tan"
    r"|log|ln|exp"
    r"|sqrt|mod|root|confidence|certainty|issue|ticket|bug|pull request|psalm|verse|amendment|symphony|sonnet|opus|exhibit"
    r"|invoice)\s?[:(#]?\s?$|(?-i:\b(?!Answer\b|Total\b|Result\b)[A-Z])\w{0,20}\s?#$|(?:[§¶]{1,2}|\bn[°º])\s?$"
    r"|\w\s?\[$|\b(?:class|summer|winter|spring|autumn|fall|spirit|crisis|treaty|battle|war|revolution|generation) of\s'?$",
    re.IGNORECASE,
)
"""A word right before a number that numbers things or names a function."""
_OF = re.compile(
    r"\b(?:roots?|log(?:arithm)?s?|sine|cosine|tangent|factorial|squares?|cubes?|percent|hal(?:f|ves)|thirds?|quarters?"
    r"|double|triple|reciprocal|opposite|inverse|negative|multiples?|factors?|powers?|product|sum|difference"
    r"|%) of\s$|\b(?:twice|half|thrice|doubled?|tripled?|quadrupled?)\s$"
    rf"|{SPELLED.pattern} times\s$"
    r"|\b(?:hal(?:f|ves)|most|some|none|many|few|several|majority|part|rest|any|one|thirds?|quarters?|fifths?|tenths?|percent|%"
    r"|fraction|double|twice|triple) (?:of )?(?:the|these|those|his|her|their|our|its|all)\s$",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:until|till|since|as of|prior to|before|after) (?:the year |year |early |late )?$", re.IGNORECASE)
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_MONTH: Final = (
    r"(?:jan(?:uar[yi]?|vier)?|feb(?:ruar[yi]?)?|mar(?:ch|zo)?|märz|apr(?:il|ile)?|ma[iy]|jun[ei]?|jul[yi]?|aug(?:ust)?"
    r"|(?:sept?|o[ck]to?|nov|de[cz])(?:em)?(?:bre?|ber)?)\b\.?"
)
_MONTH_BEFORE = re.compile(rf"\b{_MONTH}\s$", re.IGNORECASE)
_TIME_OR_DATE_AFTER = re.compile(
    rf"^\s?(?:(?:st|nd|rd|th)\b|[ap]\.?m\b|o'clock|uhr\b|(?:of )?{_MONTH}(?![a-z]))", re.IGNORECASE
)
_LAST_WORD = re.compile(r"(?<![^\s(\[\"'])([^\s(\[\"]{1,40})\s$")
_NAME_AFTER = re.compile(
    r"^\s(?:by |from |(?=[A-Z][a-z]{1,20} [A-Z]))[A-Z][a-z]|^\s(?!(?:Newton|Joule|Kelvin|Celsius|Fahrenheit|Watt|Volt"
    r"|Amp|Pascal|Hertz"
    r"|Ohm|Euro|Dollar|Pound|Rupee|Yen|Cent|Degree|Meter|Metre|Kilo|Centi|Mega|Giga|Mile|Hour|Minute|Second|Day|Week|Month|Year"
    r"|Percent|Kč|Rs|Liter|Litre|Milli|Gram|Tag|Woche|Monat|Jahr|Stunde|Sekunde|Prozent|Stück|Foot|Feet|Inch|Square|Cubic)[a-z]{0,12}\b)[A-Z][a-z]{2,}"
)
"""Words after a number that make it part of a name: "12 Angry Men", "1984 by Orwell"; units may have a capital."""
_EVENT_AFTER = re.compile(
    r" (?:problem|bug|crisis|edition|election|film|movie|novel|song|census|season|model|version|agreement)\b", re.IGNORECASE
)
"""Words after a year that make it part of a name."""
_IN_A_SCRIPT = re.compile(r"[^\W\d_a-zA-ZÀ-ɏ]{1,20}[\s(]*$")
"""A word in a script without Latin letters right before a number: most of them may change its meaning."""
_KNOWN_IN_A_SCRIPT = re.compile(
    r"(?:всего|итого|осталось|останется|получится|получаем|составляет|стоит|равно|равен|равна|это|есть|будет|итог|ровно"
    r"|около|примерно|是|为|為|有|共|得|得到|等于|等於|约|約|は|が|元|共有"
    r"|약|모두|총|은|는|이|가|είναι|هو|है)[\s(]*$"
)
_OTHER_SIGN = re.compile(r"(?P<sign>[^\w\s])\s?$")
_HARMLESS_SIGNS: Final = frozenset("=+≈≅≃≡∴≐≔|~")
_SUM_BEFORE = re.compile(
    r"\b(?:adding|subtracting|deducting|(?:divid(?:e|es|ed|ing)|multipl(?:y|ies|ied|ying))(?: \w+){0,3} by)\s$"
    r"|[-+*/×·÷^√∛–—\\{]\s?[({]?$|\w\($|(?:^|\s)[-–—]\s$"
)
_SUM_AFTER = re.compile(
    r"^\s?(?:[-–—+*×·÷^√\\]\s?[\d(.\w√π\\]|/\s?[\d(]|x\s?[\d(]|/\s?[^\W\d]\b|(?:π|√|pi\b|e\^|mod\b)|(?:times|divided by"
    r"|plus|minus)\s[\d(])"
    r"|^\s?(?:squared|cubed|doubled|halved|tripled|quadrupled|factorial|choose|sqrt)(?!\w)"
    r"|^\s(?:\w+ )?(?:minus|plus) (?:some|a |an |the |what|another|its)"
    r"|^\s(?:\w+ )?(?:times|per|of|choose|than|plus|minus|divided by|over)\s(?-i:[b-zB-HJ-Z])\b(?![.']\w)"
    r"|^\s(?:to|from|on) (?:both|each|the other|either) sides?\b|^[(\[]"
)
_OF_ANOTHER_SIZE = re.compile(r"^\s(?:score|gross|grand|myriad)\b|\bbase[- ]?\d|\b(?:in|base) (?:binary|octal|hex|two)", re.I)
_BELOW = re.compile(r"\b(?:below|under) (?:zero|freezing|sea level|par|ground)\b|\bin (?:the red|debt)\b|\boverdrawn\b", re.I)
_IN_A_SIZE = re.compile(rf"\bin {A_SIZE.pattern}", re.IGNORECASE)
_PART_OF_ONE: Final = (
    r"(?:hal(?:f|ves)|thirds?|quarters?|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand|million)ths?)\b(?!-)"
)
_AND_A_PART = re.compile(rf"^\s(?:and (?:an?|one|two|three|\d) )?{_PART_OF_ONE}", re.IGNORECASE)
_ANOTHER_AFTER = re.compile(
    rf"^\s?(?:out of|of|in|and|to|or|-|point)\s?(?:{SPELLED.pattern})|^\s(?:{SPELLED.pattern})", re.IGNORECASE
)
_LEADING_WORDS: Final = (
    "a about all also altogether and approx approximately are around at be but by circa costs equal equals exactly "
    "finally for gets gives has have hence i'd i'm in is it's just leaves makes me of on only once overall result say "
    "so still sum that that's the then there there's these they're therefore this those thus total was we were will "
    "yes you'll tiene tienes hay il ci tem há ha você er sie wir ca answer correct ok okay to with euro euros"
)
_FUNCTION_WORDS: Final = frozenset(_LEADING_WORDS.split())
"""Words right before a number that do not make it part of a name."""
_LONGEST: Final = 2000
"""Characters at the end of a reply in which words about its number are searched."""
_ROUGHLY = re.compile(
    r"\b(?:about|around|roughly|approx(?:\.|imately)?|circa|nearly|almost|or so|etwa|ungefähr|rund|fast|environ|presque|quasi"
    r"|aproximadamente|alrededor|casi|cerca)\b|\bca\.|\b(?:repeating|recurring|periodisch)\b|\d\.?\d{0,3}\(\d|[~≈∼≃]|\\(?:approx|sim)\b|\d(?:\.\.\.|…)|[×x*]\s?10(?:\^|\*\*|[⁰¹²³⁴-⁹])"
    r"|\\(?:times|cdot)\s?10|\d[eE]\+?\d|\d[.,]?\d\s?(?:[mb]n\b|m\b|million|billion|trillion|milliard|mio|mrd|mill)",
    re.IGNORECASE,
)
"""Words and signs of an approximate number, or a number in a notation that leaves digits out."""
_DIRECTION: Final = re.compile(
    r"\b(?:de(?:crease|cline|ficit)|decreas\w+|declin\w+|f[ae]ll|fallen|drop\w*|los(?:e|es|t|s|ses)|lower|less|down|shr[aiu]nk"
    r"|reduc\w+|below|behind|before|under|debt|owe[sd]?|south\w*|west\w*|bce?|negative|gesunken|gefallen|verlust|rückgang|minus|unter"
    r"|baisse|perte|moins|sous|pérdida|caída|bajo|menos)\b|°\s?[swo]\b|^\W*\([$€£]?[\d.,]+\s?%?\)\W*$",
    re.IGNORECASE | re.MULTILINE,
)


def problem_before(before: str, number: str = "") -> str:
    """The reason why a number after these words of its clause is not an answer; empty if it may be one.

    >>> [problem_before(words) for words in ("x is at least ", "Boeing ", "The least number is ", "Exactly ")]
    ['states a bound, a range or what it is not', 'the number is part of something else', '', '']
    """
    before = before[-_CLAUSE:]
    near = before[-_NEAR:]
    if _is_odd(near) or _BOUND_BEFORE.search(near) or _NOT_BEFORE.search(before) or _OPEN.search(before):
        return BOUND
    if "\\" in before or _SUM_BEFORE.search(near) or _OF.search(near):
        return UNDONE
    if _IN_A_SIZE.search(near):
        return UNCLEAR
    if number == "24/7" or (_YEAR.fullmatch(number) and near.lower().endswith("euro ")):
        return PART
    if _LABEL.search(near) or _MONTH_BEFORE.search(near) or (_YEAR.fullmatch(number) and _SINCE.search(near)):
        return PART
    word = _LAST_WORD.search(near)
    return PART if word and _is_name(word[1]) else ""


def problem_after(after: str, number: str = "") -> str:
    """The reason why a number before these words of its clause is not an answer; empty if it may be one.

    >>> [problem_after(words) for words in (" or more", " and a half", " km")]
    ['states a bound, a range or what it is not', 'leaves open how much the number is', '']
    """
    near = after[:_NEAR]
    if _BOUND_AFTER.search(near) or _NOT_AFTER.search(near) or _OPEN.search(near):
        return BOUND
    if _SUM_AFTER.search(near):
        return UNDONE
    of_coins = near.startswith(" quarters") and number[-2:].isdecimal()
    if (
        (_AND_A_PART.search(near) and not of_coins)
        or A_SIZE.search(near)
        or _ANOTHER_AFTER.search(near)
        or _OF_ANOTHER_SIZE.search(near)
        or _BELOW.search(near)
    ):
        return UNCLEAR
    named = _TIME_OR_DATE_AFTER.search(near) or _NAME_AFTER.search(near) or near.startswith("-")
    return PART if named or (_YEAR.fullmatch(number) and _EVENT_AFTER.match(near)) else ""


def is_approximate(reply: str) -> bool:
    """Whether a reply says that a number is approximate, or writes one in a way that leaves digits out.

    >>> [is_approximate(reply) for reply in ("about 400", "3 × 10^8 m/s", "68 million", "0.666...", "400")]
    [True, True, True, True, False]
    """
    return _ROUGHLY.search(reply[-_LONGEST:]) is not None


def has_direction(reply: str, question: str) -> bool:
    """Whether words give a number a direction, so that its sign may be left out or said twice.

    >>> [has_direction(reply, "What is the change?") for reply in ("It fell by 12%.", "12%")]
    [True, False]
    """
    return _DIRECTION.search(f"{question}\n{reply[-_LONGEST:]}") is not None


def _is_odd(before: str) -> bool:
    """Whether a sign or a word of another script right before a number may change its meaning: ⩾ 33, ˗7, ⌊3.7, больше 33."""
    if _IN_A_SCRIPT.search(before) and not _KNOWN_IN_A_SCRIPT.search(before):
        return True
    match = _OTHER_SIGN.search(before)
    if match is None or match["sign"] in _HARMLESS_SIGNS:
        return before.endswith("|")
    sign = match["sign"]
    return sign in "⌊⌈" or (unicodedata.category(sign) in ("Sm", "Sk") and "ARROW" not in unicodedata.name(sign, ""))


def _is_name(word: str) -> bool:
    """Whether this word makes the number after it part of a name: Boeing 747, Q3 2024; not: Exactly 42, Total: 42."""
    bare = word.lower()
    if re.search(r"\d", word):
        return True
    return any(map(str.isupper, word)) and word[-1].isalnum() and bare not in _FUNCTION_WORDS and not bare.endswith("ly")
