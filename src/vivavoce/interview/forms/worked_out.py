"""Analyses worked-out solutions: which sentences can answer a question, and which of their numbers is the result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FAULT = re.compile(
    r"\b(?:time[d-]?[ -]?out|unavailable|overloaded|rate[ -]limit(?:ed|s)?|quota (?:is )?exceeded|unauthori[sz]ed"
    r"|too many requests"
    r"|bad (?:gateway|request)|not found|internal (?:server )?error|(?:error|status|exit|response) code|exception|traceback"
    r"|try again|retry(?:ing)?|contact support|api key|access denied|payment required|out of memory"
    r"|connection (?:refused|reset|lost|closed)|exited with|server (?:returned|responded)|context (?:length|window)"
    r"|(?:request|connection|operation|job|process|task|session|query|generation|execution|download|upload|call|stream)s?"
    r" (?:(?:was|were|is|has been|have been|been) )?(?:aborted|cancell?ed|terminated|failed|interrupted|killed|dropped|expired"
    r"|rejected|denied|throttled)"
    r"|max_tokens|upstream|(?:results?|matches|records|items|issues|errors) (?:were )?found|all rights reserved|copyright"
    r"|waiting (?:list|room)|wait time|\$?\d{1,9} plan|give me|one moment|(?:call|contact|e-?mail|notify|reach|serve"
    r"|help|assist|be with) you)\b"
    r"|\b(?:réessay\w+|indisponible|inténtel\w+|no disponible|versuchen sie|nicht verfügbar|tente novamente|indisponível"
    r"|riprova\w*"
    r"|non disponibile|nothing (?:was )?found|no (?:answers?|match(?:es)?|results?|solutions?)(?: (?:was "
    r"|were )?found)?(?= [(.]|[.(]|$| after))"
    r"|다시 시도|사용할 수 없|稍后|稍後|しばらく"
    r"|\bthis (?:page|post|article|site|thread)\b|\bfound this (?:\w{1,12} )?(?:helpful|useful)\b"
    r"|\blast (?:updated|modified|edited|reviewed|visited)\b"
    r"|[©®]|^\W*\w{1,20}ing\s?(?:\.\.\.|…)|\b(?-i:[a-zA-Z]*[a-z](?:Error|Exception))\b"
    r"|\b(?:error|http)\b[ :#(]{1,3}\d|^\W*(?:\w+ )?error\b(?! (?:is|was|in|of|equals)\b)",
    re.IGNORECASE,
)
_SERVICE_WORD = re.compile(
    r"\b(?:limits?|tokens?|context|requests?|servers?|session|credits?|attempts?|tries|prompts?|queue|messages?|usage|chats?"
    r"|subscri\w{2,9}|upgrade|trial)\b",
    re.I,
)
_TO_A_USER = re.compile(
    r"\b(?:your?|reached|exceed(?:s|ed)?|maximum|remaining|allowed|failed|wait|limited|received|ask|per month)\b", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"\b(?:can(?:not|'t| not)|unable|won't|don't|not (?:able|sure|enough|possible|clear|given|known)|as an ai"
    r"|language model|training (?:data|cut)|trained (?:on|until|up|through|with)|knowledge|cut-?off"
    r"|unclear|unknown|impossible|insufficient|sorry|apolog\w{1,5}|unfortunately|guidelines?|more (?:time|information|context)"
    r"|clarif\w{1,8}|but (?:that|this|it)(?:'s| is| was) (?:only |just )?(?:a (?:joke|trap|trick|lie)|fiction|wrong|false"
    r"|incorrect|not (?:right|correct|true|real)))\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:i|we)(?:'m| am| are)? (?:can't|cannot|can not|won't|don't|do not|unable|not able|must decline|apologi[sz]e)\b"
    r"|\bsorry\b"
    r"|\bas an ai\b",
    re.IGNORECASE,
)
_OF_MYSELF = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|my|me|let me|let's|let us|we'll|we need|we should|we can|we must)\b", re.IGNORECASE
)
_MY_ANSWER = re.compile(
    r"\bi(?: \w{1,12}){0,2} (?:get|got|think|believe|say|suppose|calculated?|computed?|count(?:ed)?|find|found|obtain(?:ed)?"
    r"|estimated?|guess|make|come|came|arrived?|reckon|conclude|answer)\b|\bi'd (?:say|guess)\b|\bi'm (?:sure"
    r"|confident|certain)\b"
    r"|\bmy (?:\w{1,12} )?(?:answer|guess|estimate|result|calculation)\b|\b(?:gives?|leaves?) me\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\W{0,4}(?:(?:so|then|now|first|next|also|and|for|in an? \w{1,12}|if \w{1,20})[, ]{1,2}){0,2}(?:please\b|(?:see|call"
    r"|dial|try|wait"
    r"|contact|give|consider|note|check|refer|visit|read|look|choose|pick|enter|type|press|click|go|turn|open|select"
    r"|provide|remember"
    r"|recall|suppose|assume|imagine|think|start|begin|stop|use|add|subtract|multiply|divide|take|follow|review|reply|send"
    r"|ask|rate"
    r"|keep|text|find|solve|determine|compute|calculate|round|write|repeat|upgrade|subscribe|sign|log|buy|pay|download"
    r"|scan|scroll|skip|complete|submit|verify|confirm)\b)",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\bi (?:\w{1,8} ){1,2}\d{1,9} (?:\w{1,12} )?(?:questions?|ideas?|options?|possibilities|ways?|concerns?|thoughts?"
    r"|points?|issues?"
    r"|suggestions?|examples?|minutes?|seconds?)\b|\bhere(?: are|'s| is| come)\b|\bin (?:\w{1,10} )?(?:steps?|parts?"
    r"|stages?|phases?|ways)\b"
    r"|(?<!total )\b(?:in|of|into) \d{1,9} (?:\w{1,12} )?(?:steps?|parts?|stages?|phases?|ways|points?)\b"
    r"|\b(?:ways|methods|possibilities|options|approaches|interpretations) (?:to|of|for) (?:read|interpret|answer|solv"
    r"|approach|look"
    r"|think|understand|the (?:question|problem))"
    r"|\bto (?:consider|check|examine|look at|keep in mind|note|think about|account for|work (?:out|through)|address"
    r"|cover|discuss)\b"
    r"|\b(?:our|your (?!total|answer|result|sum|number of|average|profit|change)\w)|\bwe(?: are|'re|'ll| will) (?:open"
    r"|back|closed|here|get|be)\b"
    r"|^\W*(?:first(?:ly)?|initially|originally|at (?:first|the (?:start|beginning))|to (?:start|begin)(?: with)?)\b"
    r"|\b(?:first|second|third|next|initial) (?:step|part|stage|line)\b|\bwe (?:start|begin|note|are given|let|assume)\b"
    r"|\b(?:answer|question|problem|task|passage|exercise|puzzle|riddle)s? (?:(?:was|were|is|are"
    r"|has been) \w{2,12}(?:ed|en|sed)"
    r"|(?:has|have|had|depends?|contains?|consists?|mentions?|requires?|needs?|involves?|lists?|asks?|states?|says?"
    r"|offers?|lies|takes?"
    r"|will take|uses?|includes?))\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"\W*([^:\n.;!?]{1,60}):\W{0,9}[\w({]")
_OF_A_RESULT = re.compile(
    r"\b(?:total|sum|results?|answer|solution|final(?:ly)?|values?|difference|remain\w{0,5}|left|so|therefore|thus"
    r"|hence|conclusion"
    r"|numbers?|amount|output|altogether|overall|cost|price|profit"
    r"|area|volume|length|width|height|distance|speed|age|weight|perimeter|average|mean|résultat|somme|ergebnis|summe|gesamt|insgesamt|resultad?o?|risultato"
    r"|somma|totale?|uitkomst|wynik|результат|сумма|итого|всего|[a-z])\b",
    re.IGNORECASE,
)
"""Possible subjects of a label before a number that is an answer; other labels name something else."""
_FEWEST: Final = 2
"""Fewest words typical of a service that make a sentence one about the service."""


def is_fault(sentence: str) -> bool:
    """Whether a sentence is a typical error message of a server or a tool.

    >>> is_fault("503 Service Unavailable"), is_fault("The standard error is 4.")
    (True, False)
    """
    words = {word[0].lower() for pattern in (_SERVICE_WORD, _TO_A_USER) for word in pattern.finditer(sentence)}
    return bool(_FAULT.search(sentence)) or (len(words) >= _FEWEST and bool(_SERVICE_WORD.search(sentence)))


def answers(sentence: str) -> bool:
    """Whether a sentence can answer a question that was asked.

    >>> [answers(text) for text in ("She needs 57 bolts.", "I get 57.", "Please see page 4.", "I need 5 minutes.", "Is it 12?")]
    [True, True, False, False, False]
    """
    label = _LABELLED.match(sentence)
    if label and not _OF_A_RESULT.search(label[1]):
        return False
    if sentence.rstrip().endswith(("?", ":")) or is_fault(sentence) or _REFUSAL.search(sentence):
        return False
    if _ORDER.match(sentence) or _PLAN.search(sentence):
        return False
    return not _OF_MYSELF.search(sentence) or bool(_MY_ANSWER.search(sentence))


def refuses(text: str) -> bool:
    """Whether a text refuses to answer somewhere, or contains an error message.

    >>> refuses("I can't help with that. In an emergency call 911."), refuses("It can't be more. It is 12.")
    (True, False)
    """
    return bool(_REFUSES.search(text) or _FAULT.search(text))


_LETTER: Final = "[abnqruvwxyz]"
"""Letters for the unknown; other letters may be units: 2 m, 3 h, 5 g."""
_TIMES_UNKNOWN: Final = rf"(?<![A-Za-z])\d({_LETTER})(?![A-Za-z\d(])"
_UNKNOWN = re.compile(
    rf"{_TIMES_UNKNOWN}|(?<![A-Za-z\d])(?<!\d )({_LETTER})\s?[-–+*/^÷×]\s?\d"
    rf"|\d\s?[-–+*/÷×]\s?({_LETTER})(?![A-Za-z\d(]|\s?\d)"
)
"""A letter for the unknown, with a number before it, or with an arithmetic sign between the two."""
_EXPRESSION = re.compile(
    r"\s*(?:[(√-]?\s?\d[\d.,%]*[)!]?\s?(?:[-+*/×·÷^x–]\s?[(√-]?\s?\d[\d.,%]*[)!]?\s?)+|\d+\s?!\s?"
    r"|(?:sqrt|√|log\w{0,3}|ln|gcd|lcm|max|min)\s?\(?[\d., ]+\)?\s?|[a-z]\s?)\.?\s*"
)
"""The other side of an equation whose left side is a number: arithmetic without an unknown, or a letter alone."""
_NUMBER_ALONE = re.compile(r"\W{0,3}-?[$€£]?\s?\d[\d.,]*%?\s?(?:[A-Za-z°%]{1,12})?\s*")
_OPERATION = re.compile(
    r"\d\s?(?:squared|cubed|factorial|mod(?:ulo)?|(?:times|plus|minus|choose|over|multiplied by|divided by"
    r"|to the power of)\s-?\d|to the \w{3,12} power)"
    r"|\b(?:roots?|log(?:arithm)?|factorial|square|cube|average|mean|median|mode|range|sum|product|difference|quotient"
    r"|hal(?:f|ves)|(?:one|two|three|four)[ -]\w{4,8}|third|quarter|fifth|tenth|power) (?:of|von|de|between)\b"
    r"|\d\s?[-–+*/×·÷^]\s?\(?\d|\d x \d"
    r"|\d\s?(?:%|per ?cent) (?:of|von|de)\b|\b(?:twice|thrice|double|triple|half)\s\d",
    re.IGNORECASE,
)
"""Arithmetic in words."""
_IS = re.compile(
    r"\s(?:is|are|makes?|gives?|ist|sind|macht|est|es|son)\s"
    r"(?=(?:(?:about|approximately|roughly|around|exactly|just|only|simply)\s)?\W{0,2}\d)",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(r"n't\b|\b(?:if|whether|let|not|never|or|suppose|assume|assuming|could|might|may)\b", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\A\W{0,3}(?:(?:so|thus|hence|therefore|then|finally|altogether|overall|in total)\b,?\s)?"
    r"(?:(?:after|by|upon|when|having)\s(?:\w+\s)?\w+ing\b"
    r"|(?:since|because|as)\s(?:he|she|they|it|we|there"
    r"|each|the|every|(?-i:[A-Z])\w+)\b)[^;:.!?\n]{1,200},\s(?=[^,;:.!?\n]*[^\s,;:.!?\d][^,;:!?\n]*$)",
    re.IGNORECASE,
)
"""Introductory clause of a sentence, before its main statement."""
_TOTAL = re.compile(
    r"(\ba total of \S{1,30} [^\W\d]{1,20})\s(?:in|over|after|for|within|during|from|across|with|by|on)\s[^.;!?\n]{1,100}",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:after|in|over|within|for|during|every|per)\s(?:the (?:first|last|next) )?\d{1,9}"
    r" (?:second|minute|hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_MONTH: Final = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_NAME = re.compile(
    rf"\b(?:{_MONTH}\s(?:\d{{1,2}},\s)?\d{{4}}|\d{{1,4}}(?:st|nd|rd|th)|[A-Z][A-Za-z]*\d\w*|[A-Za-z]{{1,20}}-\d{{1,4}})\b"
    r"(?=[^.;!?\n]{0,80}\b(?:has|have|had|is|are|was|were|contains?)\s[^.;,!?\n]{0,20}?\d)"
)
"""A name with a number in it before a verb with another: C4H10 has 4, the 7th is 13."""
_NOTE = re.compile(
    r"(?<=\w) \((?!(?:or|and|plus|minus|of|out of|not|without|with|including|excluding|if|but|in)\b)"
    r"[^()\n]{0,100}\d[^()\n]{0,100}\)"
    r"|(?<=[.!?] )\([A-Z][^()\n]{1,300}\)"
)
"""Brackets with another number after a statement, e.g. in another unit."""
_CHECK = re.compile(
    r"(?<=[\d.!)\]*$;])\s{1,4}[\W_]{0,6}(?:let's |let us |to |(?:we|you) can |just to |as an? |quick |in )?"
    r"(?:(?:double-)?check(?:ing)?|verif(?:y|ying|ication)|proof)\b"
    r"(?P<check>[^\n]{0,300}=[^\n]{0,200})$",
    re.IGNORECASE,
)
"""A last sentence that puts a result to the test."""
_DOUBT = re.compile(r"\b(?:so|thus|therefore|hence|not|wrong|but|actually|should|instead)\b|n't\b|[≠✗✘❌?]", re.IGNORECASE)
_OPERATOR: Final = r"(?:\s?[-–+*/×·÷^²³]|\s(?:times|plus|minus|squared|cubed|(?:divided|multiplied) by)\b)"
_GROUNDS = re.compile(
    r"(?<=[\d%*])(?P<unit>\s[^\W\d_]{1,20}){0,3}"
    r"(?:(?:,|\s[–—-])?\s(?:because|since|given that)|,\s(?:as|given|for)|\sas(?=\s\W?\d))\s"
    r"(?P<grounds>[^.;!?\n]{0,200}=[^;!?\n]{0,200}"
    rf"|[^.;!?\n]{{0,100}}\d{_OPERATOR}[^.;!?\n]{{0,60}}\s(?:equals?|is|are|makes|gives)\s\W?\d[^;!?\n]{{0,100}})$",
    re.IGNORECASE,
)
"""An equation that only justifies the text before it."""
_GROUNDS_FIRST = re.compile(
    r"(?:(?<=\A)|(?<=\n)|(?<=[.!?]\s))(?:since|because|as|given that)\s[^.,;!?\n]{0,100}=[^,;!?\n=]{0,60},\s(?=[^\n]{0,200}\d)",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    r"(?:(?<=\A)|(?<=\n)|(?<=[.!?]\s))[^.:!?\n\d]{0,60}\b(?:sorted|order(?:ed)?|arranged?|sort(?:ing)?|list(?:ed)?)\b[^.:!?\n\d]{0,60}[:,]?\s"
    r"\d[\d.]{0,20}(?:,\s?(?:and\s)?\d[\d.]{0,20}){2,50}[.;]?(?=\s)",
    re.IGNORECASE,
)
"""Numbers that are only sorted."""
_PARTS = re.compile(
    r"(?P<lead>[^\n.:;!?(\d]{0,100}?(?P<total>\d{1,9})\s[^\n.:;!?(\d]{1,40}?)"
    r"(?:\s?:|\s?\(|\s[-–—])\s?(?P<parts>[^\n.;!?]{1,200})"
)
"""A total, perhaps followed by its parts."""
_WHOLE = re.compile(r"(?<![\w.,])\d{1,9}(?![\d%])(?!\.\d)")
_STEP = re.compile(
    r"(?:(?<=\A)|(?<=\n)|(?<=[.!?]\s))(?:let's |let us |we (?:can )?|now |next |then |first |finally )?"
    r"(?:break|calculat|comput|simplify|divid|subtract|add|multipl|us(?:e|ing) the|apply|evaluat|solv|expand|factor"
    r"|combin|work)"
    r"[^:=.!?\n]{0,80}(?::|\s(?:to|and|we) (?:get|obtain|find)|\sgiving)\s(?=[^\n.!?]{0,100}=)",
    re.IGNORECASE,
)
"""The description of a step, before its equation."""
_SO = re.compile(
    r"(?<=\S)(?:,|\s[-–—=]|;)\s(?:(?:and )?(?:so|thus|hence|therefore)|giving you"
    r"|which (?:means|gives|leaves|makes)|leaving|making)\s",
    re.IGNORECASE,
)
"""Words that introduce the conclusion of a sentence."""
_LONGEST: Final = 4
"""Most words of a result with its unit."""


def unknown_left(sides: Sequence[str]) -> bool:
    """Whether the last side before a result still contains an unknown.

    >>> unknown_left(["2x "]), unknown_left(["2x ", " 10, so x "]), unknown_left(["A ", " 2w "]), unknown_left(["3 x 4 "])
    (True, False, False, False)
    """
    if len(sides) > 1 and not _UNKNOWN.search(sides[0]):
        return False
    return len({letter for match in _UNKNOWN.finditer(sides[-1]) for letter in match.groups() if letter}) == 1


def is_turned_round(left: str, right: str) -> bool:
    """Whether an equation names its result first.

    >>> is_turned_round("28 ", " 7 × 4"), is_turned_round("7 ", "x"), is_turned_round("28 ", " 7 × n")
    (True, True, False)
    """
    return bool(_NUMBER_ALONE.fullmatch(left) and _EXPRESSION.fullmatch(right))


def result_of_words(sentence: str) -> str:
    """The result of arithmetic in words, at the end of a sentence; empty without one.

    >>> [result_of_words(reply) for reply in ("5 squared is 25.", "20% of 50 is 10", "He is 25.", "If half of 20 is 10.")]
    ['25', '10', '', '']
    """
    left, *more = _IS.split(sentence.rstrip(" .!"))
    last = more[0] if len(more) == 1 else ""
    if not last or not _OPERATION.search(left) or _LEFT_OPEN.search(left) or len(last.split()) > _LONGEST:
        return ""
    return last


def main_clause(sentence: str) -> str:
    """A sentence without its introductory clause, and without the parts of a total.

    >>> main_clause("So, after giving 3 to Tom, she has 5 left."), main_clause("After 3 days she has 5.")
    ('she has 5 left.', 'After 3 days she has 5.')
    >>> main_clause("It travels a total of 140 km in 2 hours."), main_clause("It travels 140 km in 2 hours.")
    ('It travels a total of 140 km.', 'It travels 140 km in 2 hours.')
    """
    return _TOTAL.sub(r"\1", _SUBORDINATE.sub("", sentence, count=1))


def within_time(sentence: str) -> str:
    """A sentence without the period that it is about.

    >>> within_time("So after 5 years you would have $12.")
    'So you would have $12.'
    """
    return _TIME.sub("", sentence).replace("  ", " ")


def without_side_remarks(text: str) -> str:
    """A text without checks of its result, equations that justify it, sorted numbers, and descriptions of steps.

    >>> without_side_remarks("x = 5. Check: 3(5) + 7 = 22"), without_side_remarks("It is 12, since 12 × 12 = 144.")
    ('x = 5.', 'It is 12.')
    >>> without_side_remarks("Sorted: 3, 5, 8. The middle value is 5."), without_side_remarks("Divide by 3: x = 5.")
    ('The middle value is 5.', 'x = 5.')
    """
    text = _CHECK.sub(lambda match: match[0] if _DOUBT.search(match["check"]) else "", text.rstrip())
    text = _GROUNDS.sub(lambda match: match[0] if _DOUBT.search(match["grounds"]) else f"{match['unit'] or ''}.", text)
    return _STEP.sub("", _IN_ORDER.sub("", _GROUNDS_FIRST.sub("", text)).strip())


def without_parts(text: str) -> str:
    """A text without the parts of a total.

    >>> without_parts("Un piano a 88 touches : 52 blanches et 36 noires."), without_parts("It has 88 keys: 50 of wood.")
    ('Un piano a 88 touches.', 'It has 88 keys: 50 of wood.')
    """
    return _PARTS.sub(lambda match: match["lead"] if _is_sum(match["total"], match["parts"]) else match[0], text)


def _is_sum(total: str, parts: str) -> bool:
    numbers = [int(part) for part in _WHOLE.findall(parts)]
    return len(numbers) > 1 and sum(numbers) == int(total) and "=" not in parts


def conclusion_of(sentence: str) -> str:
    """The conclusion of a sentence from its earlier part; empty without one.

    >>> conclusion_of("You save $12, so you pay $68."), conclusion_of("So you pay $68.")
    ('you pay $68.', '')
    """
    *before, last = _SO.split(sentence)
    return last if before and any(map(str.isdecimal, before[-1])) else ""


def without_names(text: str) -> str:
    """A text without digits in names that are followed by another number.

    >>> without_names("C4H10 has 4 atoms."), without_names("The 7th number is 13."), without_names("He came 7th.")
    ('N has 4 atoms.', 'The N number is 13.', 'He came 7th.')
    """
    return _NAME.sub("N", text)


def without_notes(line: str) -> str:
    """A line without brackets that give its number in another unit, give its parts, or are a separate sentence.

    >>> without_notes("72 km/h (20 m/s)"), without_notes("12 (or 13)"), without_notes("It is 12. (If it rained, 13.)")
    ('72 km/h', '12 (or 13)', 'It is 12. ')
    """
    kept = _NOTE.sub("", line)
    return kept if any(map(str.isdecimal, kept)) else line
