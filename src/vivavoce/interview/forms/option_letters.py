"""Letters of options in a reply's prose, with the judgement about them: right, wrong, something else, or none.

A letter counts only if it is set apart: in brackets, at the start of a line or clause, or after a word such as "option". The
letters of "vitamin C" and "plan B" are parts of names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final, Literal

from vivavoce.interview.forms.form import MISLEADING, NEGATION
from vivavoce.interview.forms.option_texts import FALSE, begins_like, is_whole, text_at, text_behind
from vivavoce.interview.forms.plain import RIGHT_MARKS, WRONG_MARKS

Judgement = Literal["right", "answer", "wrong", "open", ""]
"""The judgement: right, the answer, wrong, described otherwise, or none."""
WINDOW: Final = 80
"""Characters before a letter that are examined."""
FOLLOWING: Final = 400
"""Characters after a letter that are examined."""

CLOSING: Final = ".,:;!?)]}>\"'"

_LETTER = re.compile(
    r"(?<![\w'^+=.°\\-])(?<!\w\w/)(?P<open>[(\[{<\"']{0,2}[ ]?)(?<!\w)(?P<letter>[A-Z])(?P<close>[ ]?[)\]}>]{1,2}|[\"']{0,2})"
    r"(?![\w^+=]|'\w|-\w|\.\w|(?<=[F-Z])\(\w)"
)
_LEAD = re.compile(
    r"option|options|choice|choices|letter|letters|answer|answers|alternative|alternatives|statement|statements|item"
    r"|items|choose|chose|choosing|pick|picking|select|selecting|say|think|guess|believe|with|for|is|be|it's|that's"
    r"|was|leave|leaves|leaving|match|matches|prefer|out|eliminate|eliminates|eliminated|eliminating|exclude|excludes"
    r"|excluded|excluding|reject|rejects|rejected|rejecting|discard|discarded|dismiss|dismissed|doubt|not|nor|neither"
    r"|either|both|or|and|but|so|thus|therefore|hence|that|because|since|as|only|if|than|of|except|unlike|avoid"
    r"|definitely|certainly|probably|surely|clearly|arguably|possibly|maybe|perhaps|likely|obviously|simply|also|to|from|between|then"
    r"|while|whereas|said|rather|makes|making|take|taking|mark|tick|circle|check|although|though|over|against|nicht|pas|opción"
    r"|opção|opzione|lettre|letra|lettera|buchstabe",
    re.IGNORECASE,
)
"""Words after which a letter is not part of a name."""
_CHOOSING = re.compile(
    r"(?:\b(?:choose|choosing|take|taking|pick|picking|select|selecting|say|answer|think|guess|believe|go(?:ing)? (?:with|for)"
    r"|opt(?:ing)? for|settle on"
    r"|vote for|bet (?:is )?on|leaves?(?: us with| only)?|leaving(?: only)?|it's|it is|that's|that is|this is|it was"
    r"|(?:must|would|should|will|has to|have to) be|should have said|(?:one|choice|pick|bet|vote"
    r"|selection) is)(?: that)?(?: it's| it is)?"
    r"(?: (?:the )?(?:option|choice|letter|answer))?"
    r"|^\W{0,4}(?:(?:so|thus|therefore|hence|definitely|certainly|clearly|surely|probably|obviously|likely|maybe|perhaps"
    r"|simply|only)"
    r"[,:]?[ ]{0,2}){1,3}(?:option|choice|letter)?)[: ]{0,3}\Z",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"(?:\b(?:rather than|no to|far from|refus(?:e|es|ed) to (?:pick|choose|select)|no way(?: that)?(?: it's| it is)?"
    r"|disagree with|ignor(?:e|es|ed|ing)|skip|forget|drop|instead of|over|unlike|except(?: for)?"
    r"|other than|besides|without|than|versus|vs\.?|against|avoid(?:ing)?"
    r"|(?:rul|eliminat|exclud|reject|discard|dismiss|cross|throw|strik)(?:e|es|ed|ing|s)?(?: out| off)?"
    r"|doubt(?: that)?(?: it's| it is)?"
    r"|nicht|kein|pas|non|não|не|niet|inte|ikke|nie|değil|bukan|không|no es)"
    r"(?:\s(?:that|options?|choices?|answers?|letters?|for|both|either|the|la|die|der|o|a)){0,3}\s{0,3})\Z",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(r"\b(?:any|every|all)\w{0,5}(?:\s\w{1,10})?\sbut\s{1,3}(?:(?:option|choice)\s)?\(?\Z", re.IGNORECASE)
_WRONG_LABEL = re.compile(
    r"(?:\b(?:not|never|wrong|incorrect|false|eliminated|excluded|ruled out|rejected|discarded|dismissed)\b"
    rf"|{FALSE})[^:\n]{{0,30}}:\s{{0,3}}(?:(?:option|choice|letter)\s)?\Z"
    r"|\b(?:mistakes?|errors?|pitfalls?|traps?|misconceptions?)\b[^:.\n]{0,30}:[^.\n]{0,40}\Z"
    r"|\b(?:distractor|decoy|trap|red herring)(?: is| was|:)\s{0,3}(?:(?:option|choice|letter)\s)?\(?\Z",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:false|least|worst|bad|poor|neither|nor|none of|mistakes?|errors?|traps?|tempting|confus\w{1,3})\b"
    rf"|\b(?:{MISLEADING})\s(?:answer|option|choice)\b",
    re.IGNORECASE,
)
_HYPOTHESIS = re.compile(
    r"(?:^|[.;!?\n(])\W{0,4}(?:if|had|were|suppose)\b[^.;!?\n]{0,80}\b(?:would|could|might)\b[^.;!?\n]{0,20}\Z", re.IGNORECASE
)
_LOOKED_AT = re.compile(
    r"\b(?:consider(?:ing)?|look(?:ing)? at|examin(?:e|ing)|check(?:ing)?|compar(?:e|ing)(?: with| to)?|evaluat(?:e|ing)"
    r"|analy[sz](?:e|ing)|start(?:ing)? with|regarding|see)\s(?:(?:option|choice)\s)?\Z",
    re.IGNORECASE,
)
_OTHERS = (
    r"(?:some|many|most(?! (?:likely|probable|plausible|accurate|appropriate|suitable|reasonable|sensible|logical|fitting)\b)"
    r"|people|others|students?|users?|everyone|they)"
)
_PERSON: Final = (
    r"(?:he|she|someone|somebody|everybody|nobody|no one"
    r"|(?:the|a|an|another|my|your|his|her|our|their)(?: (?!(?:i|we|final|only|chosen|best|correct|own|answer|option|choice"
    r"|letter|one|have|that|which)\b)\w{1,12}){1,2}"
    r"|(?-i:(?!(?:So|Thus|Hence|Therefore|Then|Finally|Now|Also|Just|Have|Has|I|We|Only|Option|Answer|Choice|Letter|And|But"
    r"|Logic|Reason|Evidence|Intuition|It|That|This|Which|Overall|Clearly|Consequently|Correct|Final|The|My|One)\b)"
    r"[A-Z][\w-]{1,15}(?: [A-Z][a-z]{1,15})?))"
)
_FRIEND: Final = (
    r"(?:he|she|someone|somebody|everybody|nobody|no one|(?:the|a|an|another|my|your|his|her|our|their)(?: \w{1,12})?"
    r" (?:friend|teacher|student|colleague|classmate|professor|brother|sister|mother|father|user|neighbou?r|candidate|model))"
)
BY_OTHERS: Final = (
    rf"\b(?:(?:{_OTHERS}|you)(?: \w{{1,12}})?\s(?:says?|thinks?|believes?|claims?|argues?|said|thought|chose|picked"
    rf"|answered|guessed)"
    rf"|{_PERSON}\s(?:chose|picked|selected|answered|guessed|marked|ticked|circled|voted for|went (?:with|for)|opted for)"
    rf"|(?:{_FRIEND}|(?-i:(?!(?:So|Thus|Hence|Therefore|Then|I|We|Logic|Reason|Evidence|Intuition|It|That|This|Which)\b)"
    rf"[A-Z][\w-]{{1,15}}))\s(?:says|thinks|believes|claims|argues|said|thought|believed|claimed|argued)"
    rf"|{_OTHERS}(?: \w{{1,12}}){{0,2}}\s(?:choose|pick|select|answer|guess|go (?:with|for)|fall for)"
    rf"|{_PERSON}\s(?:would|might|will)\s(?:choose|pick|select|say|answer|go (?:with|for))"
    r"|(?:earlier|previous|former|prior|initial|original) (?:answer|guess|choice|pick) (?:was|had been)"
    r"|(?:your|their|his|her|\w{1,12}'s)(?: \w{1,12})?\s(?:answer|choice|pick|guess|option|selection)(?: was)?)\b"
)
"""Words for statements by others than the reply's author."""
_SUPPOSED = re.compile(
    rf"\b(?:if|wenn|falls|если|jeśli|whether|suppose|supposing|assum\w{{1,4}}|unless)\b|{BY_OTHERS}",
    re.IGNORECASE,
)
_RANKED = re.compile(
    r"\b(?:(?:second|third|fourth|2nd|3rd|4th|next)[ -](?:best(?! (?:step|move|action|thing))|most|closest|likeliest|likely"
    r"|one|choice|option|pick|guess|answer|candidate|preference|bet|favou?rite|place|rank)"
    r"|number two|next in line|runners?[ -]?up|close second|distant second"
    r"|(?:backup|back-up|fallback|fall-back|alternative|reserve)"
    r"(?: (?:answer|choice|option|pick|guess))?(?= (?:is|would|was|will|could)\b|\Z))\b",
    re.IGNORECASE,
)
_RANKED_BEHIND = re.compile(
    r"(?:[\s,]{1,3}(?:as|is|was|being|(?:would|could|might) be|comes?|in)\s(?:(?:a|an|the|my)\s)?|\s?\()"
    r"(?:(?:close |distant )second|runner-?up|second(?:[ -](?:best|choice|place|option|most likely)"
    r"|(?=\s{0,2}(?:$|[.,;)\n])))|backup|fallback"
    r"|next[ -]best)\b",
    re.IGNORECASE,
)
_SO_IS = re.compile(r"\b(?:so|neither|nor) (?:is|are|was|does|do|can) \(?\Z", re.IGNORECASE)
_UNDECIDED = re.compile(
    r"(?:\b(?:cannot|can not|unable to|could not|not able to|(?:hard|difficult|impossible|tough) to|no (?:idea|clue)|no way to)"
    r"|\b(?:ca|could)n't)\b[^.;:!?\n]{0,30}\b(?:decide|choose|tell|say|determine|distinguish|know|rule|exclude|eliminate"
    r"|discard|dismiss|separate|sure|certain|about|whether)\b"
    r"|(?:\bnot|n't)\s(?:\w{1,12}\s)?(?:know|sure|certain|clear|convinced)\b|\b(?:unsure|uncertain|unclear)\b",
    re.IGNORECASE,
)
_DOUBTED = re.compile(r"\b(?:perhaps|maybe|possibly|probably)\b", re.IGNORECASE)
_UNLESS = re.compile(
    r"(?:(?!\b(?:because|since)\b)[^.;:,\n]){0,60}?,?\s(?:only )?(?:if|when|unless|provided|assuming|as long as)\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"[.,;:!?\n–—]|\bbut\b|\b(?:so|hence|thus|therefore|instead(?! of)|however)\b", re.IGNORECASE)
_LINK = re.compile(
    r"[\s,/&+|(]{0,4}(?:\b(?:or|to|through|then|and|nor|also|as well as|plus|maybe|perhaps|possibly"
    r"|even)\b[\s,]{0,3}){0,4}(?:options?\s)?\(?"
)
_CONJUNCTION = re.compile(r"\b(?:and|or|nor)\b", re.IGNORECASE)
"""Comes before the last letter of a list."""
_STOP = re.compile(r"\s{0,2}[,;]\s{0,3}")

_BE = r"(?:is|are|was|were|'s|looks|seems|appears|sounds|remains|(?:must|would|should|will|has to|have to) be)(?: to be)?"
_ADVERBS = (
    r"(?:(?:indeed|thus|therefore|then|clearly|definitely|certainly|obviously|surely|probably|likely|most|the|my|our"
    r"|also|both|all|only|single"
    r"|one|absolutely|overall|very|final|still|by far|hence|here|actually|in fact|undoubtedly|almost certainly|simply"
    r"|just|easily)\s{1,3}){0,5}"
)
_MORE = (
    r"(?=\s{0,3}(?:[.,;:!)\]\"'*\n–—]|$|-\s|(?:because|since|as|here|given|and|so|but|while|whereas|answer|choice|option|one|response|description"
    r"|explanation|statement|among|of the|of these|of all|out of|based|according|due|for (?:this|the|me)|to me"
    r"|in (?:this|my)|from|to (?:the|this) question|not)\b))"
)
_PREDICATE = r"[\s,]{0,3}(?:(?:which|that|and)\s{1,2})?"
_RIGHT = re.compile(
    rf"{_PREDICATE}(?:{_BE}\s{{1,3}}{_ADVERBS}(?P<word>correct|right|the one(?=\s{{0,3}}(?:[.,!\n]|$))|best|closest"
    rf"|preferable|answer|choice|pick|solution|better"
    r"|(?<=most )(?:likely|plausible|probable|appropriate|suitable|accurate|fitting|reasonable|sensible|logical"
    r"|consistent|precise))"
    rf"(?:\s{{1,2}}(?P<noun>answer|choice|option|one|response))?{_MORE}"
    r"|\s(?:the|my) (?:only )?(?:correct|right|best) (?P<named>answer|choice|option)\b"
    r"|(?:is|was) (?:what|the one) (?:i|we)(?:'d| would)? (?:choose|pick|say|select|go (?:with|for))"
    r"|(?P<idiom>it is|fits better|fits best|fits perfectly|fits exactly"
    r"|matches better|matches best|matches exactly|fits|makes (?:the most "
    r"|perfect |most )?sense)"
    r"(?=\s{0,3}(?:[.,;:!\n]|$)|\s(?:because|since|here)\b))",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(r"[^.;\nA-Z]{0,40}\bbut\b[^.;\nA-Z]{0,20}(?:\b(?:wrong|incorrect|false|not)\b|n't\b)(?!\s\(?[A-Z])")
_FAULTY = (
    r"(?:incorrect|wrong|false|untrue|invalid|inaccurate|implausible|impossible|unlikely|improbable|mistaken|flawed"
    r"|misleading|irrelevant"
    r"|unrelated|inconsistent|incompatible|excluded|eliminated|ruled out|rejected|discarded|dismissed|refuted|out|off"
    r"|nonsense|absurd"
    r"|(?:an? |the )?(?:\w{1,12} )?(?:distractor|trap|decoy|red herring|mistake|error|misconception|wrong \w{1,12}"
    r"|incorrect \w{1,12})"
    r"|too \w{1,20}|not|no|never|hardly|barely|far from|anything but|less \w{1,20}|neither)"
)
_WRONG = re.compile(
    rf"{_PREDICATE}(?:(?:{_BE}|(?:can|could|may|might) be|(?:has|have) been|gets?)\s{{1,3}}{_ADVERBS}{_FAULTY}\b"
    r"|(?:is|are|was|does|do|did|can|could|would|should|will|has|have|must|may|seems|looks)(?:n't|\s{0,2}not)\b"
    r"|(?:cannot|fails|contradicts|violates|conflicts|misses|lacks|ignores|confuses|misstates|falls short|goes against"
    r"|makes (?:no|little) sense)\b)",
    re.IGNORECASE,
)
_MAY_BE_WRONG = re.compile(
    rf"{_PREDICATE}(?:(?:may|might|could)(?: well)? be {_ADVERBS}(?:incorrect|wrong|false|untrue|mistaken)\b"
    r"|(?:may|might)(?: well)? be (?:ruled out|eliminated|excluded)\b"
    r"|(?:is|are)(?:n't|\s{0,2}not)\s(?:certain|clear|sure|decided)\b)",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(
    r"[)\]]?\s?:\s(?:no (?:idea|clue)|not sure|unsure|unclear|unknown|uncertain|undecided|maybe|perhaps|possibl[ey]"
    r"|(?:i )?don't know)\b|[\s,\"']{1,4}(?:says|said|claims|claimed)\s(?!i\b)",
    re.IGNORECASE,
)
_THIS = (
    r"[\s:.,()|–—=-]{0,6}(?:(?:this|that|it)(?:'s)?\s{1,2}(?:option\s|choice\s|answer\s|statement\s)?(?:(?:is|was|seems"
    r"|looks)\s{1,2})?)?"
)
_END = r"(?=\s{0,3}(?:[.,;:!)\]\n|–—]|$|-\s|(?:because|since|as|and)\b))"
_SHORT = re.compile(
    rf"{_THIS}(?:(?P<wrong>(?:(?:clearly|also|definitely|obviously)\s)?(?:incorrect|wrong)|not (?:correct|right|true"
    r"|the answer)|(?<=this |that )(?:cannot|can't|isn't|is not|does not|doesn't|won't|fails)(?: \w{1,20}){0,2}"
    rf"|[{WRONG_MARKS}]"
    rf"|(?P<untrue>false|×|(?<!\.\s)(?:no|nope)|(?:no|nope)(?!,)))|(?P<right>(?:(?:clearly|definitely|obviously"
    rf"|the)\s)?(?:correct|right)(?: answer| choice| option)?"
    rf"|[{RIGHT_MARKS}]|(?P<true>true|yes)))\ufe0f?{_END}",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"(?:(?P<right>[{RIGHT_MARKS}]|\[[xX]\])|(?P<wrong>[{WRONG_MARKS}]|\[ ?\]))\ufe0f?[ \t]{{0,3}}(?:[-*]\s)?\Z"
)
_LINE_MARK = re.compile(rf"[^\n]{{0,200}}?(?:(?P<right>[{RIGHT_MARKS}])|(?P<wrong>[{WRONG_MARKS}]))\ufe0f?[ \t]{{0,3}}(?:\n|$)")
_CLOSES = re.compile(
    rf"\s{{0,3}}[{RIGHT_MARKS}{WRONG_MARKS}]"
    r"|\s{0,3}(?:$|[.,;:!)\]\n"
    r"|–—(/&+]|-\s|(?:because|since|as|for|in|on|at|from|due|with|given|which|and|or|nor|but|here|instead|again"
    r"|rather|over|not|to [A-Z]|through|it is|the (?:correct|right|best))\b)"
    r"|\s{1,3}(?:[A-Z][a-z]|[\"'(]|(?:too|as well)\s{0,2}(?:$|[.,;!?\n]))"
)
_VERB = re.compile(
    r"\s{0,2}(?:is|are|was|isn't|wasn't|can|can't|cannot|could|may|might|must|should|would|will|won't|does|doesn't|do"
    r"|has|seems|looks|appears"
    r"|fits|fails|makes|contradicts|violates|matches)\b"
)
_QUESTION = re.compile(r"[^.;!\n]{0,60}\?")
_IS = re.compile(r"\s{0,3}(?:is|=)\s{1,3}")
_SEPARATORS: Final = " \t.,:;)(]}>\"'–—→=/|-"
_LABEL_END: Final = " :*_([\"'"
_OTHER_MATTER = re.compile(
    r"\b(?:confidence|certainty|difficulty|grade|rating|score|level|category|version|error|code|status)"
    r"[\s*_\"']{0,3}:[\s*_\"'(]{0,4}\Z",
    re.IGNORECASE,
)
"""A label for something other than the answer."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Letters that are named together, and the statement about them."""

    letters: frozenset[str]
    judged: Judgement
    chosen: bool
    """Whether words such as "I pick" lead up to them."""
    stands: bool
    """Whether they are a choice: followed by a stop, a reason or the option's own text."""
    loosely: bool
    """Whether the statement about them is "true" or "no", which may answer another question."""
    start: int
    end: int


def mentions(text: str, options: Sequence[str]) -> Iterator[Mention]:
    """The letters of a text in their order; those linked by a comma or "or" together.

    >>> reply = "Not A or (B). C is the answer; vitamin D is not."
    >>> [(sorted(mention.letters), mention.judged) for mention in mentions(reply, ())]
    [(['A', 'B'], 'wrong'), (['C'], 'answer')]
    """
    linked, is_complete = list[re.Match[str]](), False
    for match in [*(letter for letter in _LETTER.finditer(text) if not _is_word(text, letter)), None]:
        if match and linked and _LINK.fullmatch(text, linked[-1].end(), match.start()):
            between = text[linked[-1].end() : match.start()]
            if not (is_complete and _STOP.fullmatch(between)):
                is_complete = is_complete or bool(_CONJUNCTION.search(between))
                linked.append(match)
                continue
        for letters in _subjects(text, linked, options) if linked and not is_complete else [linked]:
            if any(_is_set_apart(text, letter) for letter in letters) and (mention := _mention(text, letters, options)):
                yield mention
        linked, is_complete = [match] if match else [], False


def _subjects(text: str, linked: list[re.Match[str]], options: Sequence[str]) -> list[list[re.Match[str]]]:
    """Consecutive letters, with the last one separate if the others are denied and it is called right: "Not A, B is right"."""
    last = linked[-1]
    before = text[max(0, linked[0].start() - WINDOW) : linked[0].start()]
    rest = text[last.end() : last.end() + FOLLOWING]
    if len(linked) > 1 and denied(before) and judgement(rest, last["letter"], options)[0] in ("right", "answer"):
        return [linked[:-1], [last]]
    return [linked]


def judgement(rest: str, letter: str, options: Sequence[str]) -> tuple[Judgement, bool]:
    """The statement about a letter in the words after it, and whether it is only "true", "no" or the like.

    >>> judgement(") Nice is the best choice.", "C", ("Lyon", "Paris", "Nice")), judgement(". is wrong", "A", ())
    (('answer', False), ('wrong', False))
    """
    rest = rest[:FOLLOWING]
    bare = rest.lstrip(".:)]}>\"'")
    own = text_behind(rest, options, within_words=True)
    if own and own[0] == letter:
        bare = rest = own[1]
    elif begins_like(rest.lstrip(_SEPARATORS), letter, options):
        return "", False
    elif (match := _IS.match(bare)) and (named := text_at(bare[match.end() :], options)) and named[0] == letter:
        return "right", False
    if right := _RIGHT.match(bare):
        if _BUT_NOT.match(bare, right.end()):
            return "wrong", False
        is_answer = right["noun"] or right["named"] or right["word"] in ("answer", "choice", "pick", "solution", "the one")
        return "answer" if is_answer else "right", False
    if _MAY_BE_WRONG.match(bare) or _LEFT_OPEN.match(rest):
        return "open", False
    if _WRONG.match(bare):
        return "wrong", False
    if short := _SHORT.match(rest):
        return ("wrong" if short["wrong"] else "right"), bool(short["untrue"] or short["true"])
    if mark := _LINE_MARK.match(rest):
        line = rest.split("\n", 1)[0]
        if sum(line.count(sign) for sign in RIGHT_MARKS + WRONG_MARKS) == 1 and not _LETTER.search(line):
            return ("wrong" if mark["wrong"] else "right"), False
    return ("open" if _VERB.match(bare) else ""), False


def denied(before: str) -> bool:
    """Whether the words before a letter deny it.

    >>> denied("I don't think it's "), denied("Not the first, so "), denied("I would rule out option ")
    (True, False, True)
    """
    if _ALL_BUT.search(before) or (_WRONG_LABEL.search(before) and not _LETTER.search(before.rpartition("\n")[2])):
        return True
    words = clause(before)
    return bool(NEGATION.search(words) or _FAULT.search(words) or _AGAINST.search(words))


def supposed(before: str) -> bool:
    """Whether the words before a letter only suppose it, ask about it, or report what others think.

    >>> supposed("If it were warmer, the answer would be "), supposed("If it is warm, the answer is ")
    (True, False)
    """
    words = clause(before)
    return bool(_SUPPOSED.search(words) or _RANKED.search(words) or _HYPOTHESIS.search(before) or _LOOKED_AT.search(before))


def clause(before: str) -> str:
    """The last clause of some words."""
    return before[max((turn.end() for turn in _TURN.finditer(before)), default=0) :]


def _is_word(text: str, match: re.Match[str]) -> bool:
    """Whether a letter is an article or a pronoun."""
    if match["letter"] not in "AI" or match["open"].strip() or match["close"].strip():
        return False
    rest = text[match.end() : match.end() + WINDOW]
    if _CLOSES.match(rest) and not re.match(r"[ \t]{1,3}[A-Z]", rest):
        return False
    return match["letter"] == "I" or not _VERB.match(rest)


def _is_set_apart(text: str, match: re.Match[str]) -> bool:
    """Whether a letter is more than a part of a name."""
    before = text[max(0, match.start() - WINDOW) : match.start()].rstrip(" \t\ufe0f")
    if _OTHER_MATTER.search(before):
        return False
    return (
        bool(match["open"].strip())
        or not before
        or not (before[-1].isalnum() or before[-1] == "'" or unicodedata.category(before[-1]) in ("Mn", "Mc"))
        or bool(_LEAD.fullmatch(before.split()[-1].strip('("*')))
    )


def _mention(text: str, linked: Sequence[re.Match[str]], options: Sequence[str]) -> Mention | None:
    first, last = linked[0], linked[-1]
    letters = {match["letter"] for match in linked}
    before = text[max(0, first.start() - WINDOW) : first.start()]
    rest = text[last.end() : last.end() + FOLLOWING]
    letter = last["letter"]
    judged, loosely = judgement(rest, letter, options)
    if mark := _MARK.search(before):
        judged = "wrong" if mark["wrong"] else "right"
    is_denied = denied(before)
    if is_denied:
        judged = "" if judged == "wrong" else "wrong"
    elif supposed(before):
        judged = "open"
    if _UNDECIDED.search(clause(before)) or (judged == "wrong" and (_DOUBTED.search(clause(before)) or _UNLESS.match(rest))):
        judged = "open"
    if _SO_IS.search(before) or _RANKED.search(clause(before.rstrip(_LABEL_END))) or _RANKED_BEHIND.match(rest):
        return None
    if _QUESTION.match(rest) and (before.strip() or rest.strip(CLOSING + " \n")):
        return None
    named = text_behind(rest, options, within_words=True)
    if named and named[0] != letter:
        words = judgement(named[1], named[0], ())[0]
        if is_whole(named[1]) or words in ("right", "answer") or (rest.startswith(":") and words == "open"):
            letters.add(named[0])
            judged = ""
    own = bool(named and named[0] == letter)
    closed = own or bool(_CLOSES.match(rest)) or bool(last["close"].strip() and not _VERB.match(rest) and rest[:1] != " ")
    return Mention(
        frozenset(letters),
        judged,
        chosen=bool(_CHOOSING.search(before)) and closed and not is_denied and judged != "open",
        stands=closed and not is_denied and judged != "open",
        loosely=loosely,
        start=first.start(),
        end=last.end(),
    )


def decided(mentions: Sequence[Mention], options: Sequence[str]) -> set[str]:
    """The options that are called right; without any, the only one that is not called wrong. Later words count."""
    verdicts = dict[str, Mention]()
    for mention in mentions:
        if mention.judged in ("right", "answer", "wrong"):
            verdicts |= dict.fromkeys(sorted(mention.letters), mention)
    right = {letter for letter, mention in verdicts.items() if mention.judged != "wrong"}
    wrong = set(verdicts) - right
    every = set(ascii_uppercase[: len(options)])
    if right:
        firm = not any(verdicts[letter].loosely for letter in right)
        return right if firm or len(wrong) > 1 or right | wrong >= every else set()
    return every - wrong if len(wrong) > 1 and len(every - wrong) == 1 else set()
