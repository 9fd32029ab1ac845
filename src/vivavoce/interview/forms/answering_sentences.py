"""Sentences that can answer a question; error messages, refusals, plans, requests and questions cannot."""

from __future__ import annotations

import re
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
"""What a label before a number may be about for the number to be an answer: others name what was not asked for."""
_FEWEST: Final = 2
"""Words of a service's that make a sentence one about the service."""


def is_fault(sentence: str) -> bool:
    """Whether a sentence is what a server or a tool says when it fails.

    >>> is_fault("503 Service Unavailable"), is_fault("The standard error is 4.")
    (True, False)
    """
    words = {word[0].lower() for pattern in (_SERVICE_WORD, _TO_A_USER) for word in pattern.finditer(sentence)}
    return bool(_FAULT.search(sentence)) or (len(words) >= _FEWEST and bool(_SERVICE_WORD.search(sentence)))


def answers(sentence: str) -> bool:
    """Whether a sentence can answer a question that was asked.

    >>> [answers(said) for said in ("She needs 57 bolts.", "I get 57.", "Please see page 4.", "I need 5 minutes.", "Is it 12?")]
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
    """Whether a text refuses to answer somewhere, or holds an error message.

    >>> refuses("I can't help with that. In an emergency call 911."), refuses("It can't be more. It is 12.")
    (True, False)
    """
    return bool(_REFUSES.search(text) or _FAULT.search(text))
