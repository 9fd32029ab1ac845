"""Converts a reply to plain text: without Unicode variants, markdown, LaTeX, JSON, special tokens and foreign answer labels.

All forms that read an answer from words read this plain text, so that a mark around an answer never decides how it is read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from vivavoce.interview.forms.form import READ

AROUND: Final = " \t\r\n.,:;!?*_`\"'"
"""Characters that may surround an answer without being part of it."""
RIGHT_MARKS: Final = "✓✔✅☑🗸👍💯"
WRONG_MARKS: Final = "✗✘❌✖☒❎✕👎🚫⛔"

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT = re.compile(r"(\w|\))?([⁰¹²³⁴-⁹⁺⁻]{1,20})")
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_SAME_MARKS: Final = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»「」『』《》〈〉〝〞", '"'),
        **dict.fromkeys("‘’‚‛‹›´", "'"),
        **dict.fromkeys("‐‑−﹣", "-"),
        **dict.fromkeys("‒―", "–"),
        **dict.fromkeys("⇒⟶⟹➔➜➝➞➡↦", "→"),
        **dict.fromkeys("【〔", "["),
        **dict.fromkeys("】〕", "]"),
        "。": ". ",
        "、": ", ",
        "⁄": "/",
        "٬": ",",
        "٫": ".",
        "⋅": "·",
    }
)

_SPECIAL: Final = r"(?:<\|[\w▁ ]{1,30}\|>|</?(?:s|eos|bos|pad|end_of_turn|start_of_turn)>|\[/?INST\])"
_LEADING_TOKENS = re.compile(rf"\A\s*(?:{_SPECIAL}\s*(?:(?:assistant|model)\b[ \t]*:?\s*)?){{1,8}}")
_TERMINAL_CODE = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]")
_FIRST_TOKEN = re.compile(_SPECIAL)
_LINE_BREAK_TAG = re.compile(r"</?(?:br|p|div|li|ul|ol)\b[^<>]{0,40}>", re.IGNORECASE)
_FORMAT_TAG = re.compile(
    r"</?(?:em|strong|span|code|mark|font|a)\b[^<>]{0,200}>|<(?P<short>[biu])>(?=.{0,500}?</(?P=short)>)|</[biu]>",
    re.IGNORECASE | re.DOTALL,
)
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_POWER_TAG = re.compile(r"<sup>([^<>]{1,40})</sup>", re.IGNORECASE)
_ANSWER_TAG = re.compile(
    r"<\s{0,2}(?P<tag>(?:final[ _-]?)?answer|final|ans)\s{0,2}>\s{0,9}(?P<said>[^<>]{1,2000}?)"
    r"\s{0,9}(?:</\s{0,2}(?P=tag)\s{0,2}>|\Z)",
    re.IGNORECASE,
)
_BRACKETED_LABEL = re.compile(r"\[(?:final )?answer\][ \t:]{0,4}", re.IGNORECASE)
_BRACKETED_END = re.compile(r"\[/(?:final )?answer\]", re.IGNORECASE)
_WRAPPED_NUMBER = re.compile(r"(?<!\S)<(-?\d[\d.,]{0,20}%?)>")
_JSON_OBJECT = re.compile(r"\{[^{}]{2,2000}\}")
_JSON_KEYS: Final = (
    *("answer", "final_answer", "finalanswer", "final answer", "correct_answer", "correct_option", "final_choice", "choice"),
    *("selected_option", "selected_answer", "selected", "option", "letter", "prediction", "label"),
)
_VERDICT_KEYS: Final = (
    *("is_correct", "correct", "is_right", "valid", "is_valid"),
    *("verdict", "result", "status", "evaluation", "grade", "feedback"),
)
_CALLED_WRONG: Final = ("false", "no", "incorrect", "wrong", "not correct", "rejected", "invalid")

_ERROR_KEYS: Final = frozenset(
    {"error", "errors", "code", "status", "status_code", "message", "detail", "details", "type", "param", "request_id"}
)
"""Fields in which a server reports an error."""

_STRUCK = re.compile(
    r"~~[^~\n]{1,200}~~|\\(?:[bx]?cancel|sout|st)\s{0,2}\{[^{}\n]{0,200}\}|<(?P<tag>del|strike)>[^<>]{1,200}</(?P=tag)>"
    r"|(?<=[\w:.,;] )<s>[^<>\n]{1,200}</s>|<s>[^<>\n]{1,200}</s>(?=[ ]{0,2}[\w$€£-])",
    re.IGNORECASE,
)
_TICKED = re.compile(r"^[ \t]*(?:[-*][ ])?[\[(][xX✓✔][\])][ ]", re.MULTILINE)
_NOT_TICKED = re.compile(r"^[ \t]*(?:[-*][ ])?[\[(][ ]?[\])][ ].*$\n?", re.MULTILINE)
"""A line of a list of boxes that is not ticked."""
_HIGHLIGHT = re.compile(r"(?<![=!<>\w])==(?=[^\s=])([^=\n]{1,200})(?<!\s)==(?![=\w])")
_EMOJI_AT_END = re.compile(
    rf"(?<=[\w.!)\"'%°*])[ ]{{0,2}}(?:(?![{RIGHT_MARKS}{WRONG_MARKS}])[\U0001f1e6-\U0001faff\u2600-\u27bf]\ufe0f?){{1,8}}"
    r"[ \t]{0,3}$",
    re.MULTILINE,
)
_MARK_AT_END = re.compile(rf"[ ]{{0,2}}(?:[{RIGHT_MARKS}]\ufe0f?){{1,3}}\s{{0,3}}\Z")
_MARKS = re.compile(f"[{RIGHT_MARKS}{WRONG_MARKS}]")

_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mbox|rm|bf)\s{0,2}\{([^{}]{0,300})\}")
_BOXED = re.compile(r"\\(?:boxed|fbox|framebox)\s{0,2}\{((?:[^{}]|\{[^{}]{0,100}\}){0,300})\}")
_LATEX_SIGNS: Final = {
    r"\times": "×",
    r"\cdot": "·",
    r"\div": "÷",
    r"\pi": "π",
    r"\infty": "∞",
    r"\circ": "°",
    r"\degree": "°",
    r"\pm": "±",
    r"\approx": "≈",
    r"\leq": "≤",
    r"\le": "≤",
    r"\geq": "≥",
    r"\ge": "≥",
    r"\left": "",
    r"\right": "",
    r"\displaystyle": "",
    r"\%": "%",
    r"\$": "",
    r"\{": "{",
    r"\}": "}",
    r"\_": "_",
    r"\&": "&",
    r"\#": "#",
}
_LATEX_SIGN = re.compile("|".join(f"{re.escape(sign)}(?![A-Za-z])" for sign in sorted(_LATEX_SIGNS, key=len, reverse=True)))
_LATEX_FUNCTION = re.compile(r"\\(log|ln|sin|cos|tan|exp|max|min|lim|sqrt(?!\s?[\[{]))\b")
_SUBSCRIPT = re.compile(r"(?<=[A-Za-z)])_(?:\{(\d{1,3})\}|(\d))")
_HEADING = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t]{1,3}(?:the )?(?:final )?answer[ \t]{0,3}:?[ \t]{0,3}\n\s{0,9}(?=[^\s#])",
    re.I | re.M,
)
_ONE_FIELD = re.compile(
    r"\s{0,9}(?:<[A-Za-z][\w-]{0,30}>\s{0,9}){1,4}([^<>\n]{1,300}?)(?:\s{0,9}</[A-Za-z][\w-]{0,30}>){1,4}\s{0,9}"
)
"""Invented tags around a whole reply."""
_THIN_SPACE = re.compile(r"(?<=\d)(?:\\[,; ]|\{,\}|[\u00a0\u2009\u202f])(?=\d{3})")
_NOISE = re.compile(
    r"\bUS[ ]?(?=\$[ ]?\d)|\*\*|```[a-z+#]{0,12}(?=\s*$)|`{1,3}(?=\s)|`"
    r"|(?<!\w)~~|~~(?!\w)|\$(?!\d)|\$(?=[^$\n]{1,200}\$(?!\d))"
    r"|\\[()\[\],!;]|^[ \t]{0,4}\"",
    re.M,
)
_DOLLAR_BEHIND = re.compile(r"(?<![\w.,])(\d[\d.,]{0,30}) ?\$(?!\w)")
_STARRED_POWER = re.compile(r"(?<=\d)\*\*(?=\d)")
_EMPHASIS = re.compile(
    r"(?<![\w*_~])(\*|_|__|~)(?=[^\s*_~])([^\n]{0,300}?[^\s*_~])\1(?![\w*_~])|(?<![\w*_~])(\*|_|~)([^\s*_~])\3(?![\w*_~])"
)
_WRAPPED: Final = (("<<", ">>"), ("<", ">"), ("{", "}"), ("[", "]"), ("(", ")"), ('"', '"'), ("'", "'"))

_ANSWER_ELSEWHERE: Final = (
    "antwort|réponse|reponse|respuesta|resposta|risposta|antwoord|svaret|svar|vastaus|ответ|відповідь|odpowiedź|"
    "odpověď|odpoveď|válasz|răspunsul|răspuns|cevap|yanıt|απάντηση|jawaban|đáp án|câu trả lời|उत्तर|الإجابة|الجواب|תשובה|"
    "การตอบ|คำตอบ"
)
_IN_ASCII: Final = tuple(filter(str.isascii, _ANSWER_ELSEWHERE.split("|")))
"""A text in ASCII without any of these words has no foreign label, which is slow to look for."""
_FOREIGN_LABEL = re.compile(
    r"(?:\b(?:die|la|el|le|o|a|de|het|det|den|my|meine|ma|mi|the)[ ])?"
    r"(?:\b(?:richtige|korrekte|bonne|juiste|riktiga|rette|правильный|верный|poprawna|prawidłowa|doğru)[ ])?"
    rf"(?:\b(?:{_ANSWER_ELSEWHERE})\b|(?<!如果)(?<!假如)(?<!もし)(?:正确|最终|正しい|最终的)?(?:答案|答え|正解|回答|选项)|(?:정답|답변|답)|(?:故|因此)?选)"
    r"(?:[ ](?:correcta|correcte|correta|corretta|finale?|final|الصحيحة|الصحيح|đúng))?"
    r"[ ]{0,2}(?::|=|(?:ist|lautet|est|es|é|è|is|är|er|jest|is)\b[ ]?:?|(?:是|为|は|은|는)[ ]?:?)[ ]{0,2}"
    r"(?:(?:la|le|el|die|der|das|a|o|il)?[ ]?(?:letra|lettre|lettera|buchstabe|opción|opcion|option|opção)[ ]"
    r"|(?:la|le|l')[ ](?=[A-Z]\b))?",
    re.IGNORECASE,
)
_COPULA_AT_END = re.compile(
    r"(?<=[\w\"')\]])(?:です|だ|である|[にと]な(?:ります|る)|でしょう|번?(?:입니다|이다|예요|이에요))(?=[\s.!]|$)"
)
_LABEL_WITHOUT_COLON = re.compile(
    r"^([ \t]{0,3}(?:the )?(?:final )?answer)[ ]{1,3}"
    r"(?:(?:[-–—]{1,2}|[-=]{1,2}>|→)[ ]{1,3}(?![\d.,+-]|is\b)|(?=\S{1,24}\s{0,3}$))",
    re.IGNORECASE | re.MULTILINE,
)
_OTHER_LABEL = re.compile(
    r"\s{0,9}(?:(?:my|the) )?(?:ans|choice|selection|response|result|correct|letter|verdict|pick|solution|output|conclusion)"
    r"(?:\.[ ]|[ ]{0,2}(?::|=|→)|[ ]is\b)[ ]{0,3}(?=\S)",
    re.IGNORECASE,
)


def normalized(text: str) -> str:
    """The text in one Unicode spelling: NFKC, ASCII digits, plain quotation marks and hyphens, powers as `^3`.

    Characters that show nothing, such as a zero-width space or a byte order mark, are left out.

    >>> normalized("７ × 10³"), normalized("„Jean‑Luc“"), normalized("2½"), normalized("٦٣")
    ('7 × 10^3', '"Jean-Luc"', '2 1/2', '63')
    """
    if text.isascii():
        return text
    text = _SUPERSCRIPT.sub(_power, _MIXED_FRACTION.sub(" ", text))
    text = unicodedata.normalize("NFKC", text).translate(_SAME_MARKS)
    return "".join(map(_visible, text)) if not text.isascii() else text


def fold(text: str) -> str:
    """A text in comparable form: without case, white space, Unicode variants, and marks around it.

    >>> fold(' **Marie  Curie.** ') == fold("“marie curie”")
    True
    >>> fold("Besanc\u0327on") == fold("BESANÇON")
    True
    """
    flat = " ".join(normalized(text).casefold().replace("–", "-").replace("—", "-").split())
    flat = unicodedata.normalize("NFKC", flat)
    return flat.strip(AROUND) or flat


def plain(reply: str) -> str:
    """The end of a reply as plain text; a boxed, tagged or JSON answer becomes an "Answer:" line of its own.

    >>> plain("So $x$ is \\\\boxed{\\\\text{D}}").split()
    ['So', 'x', 'is', 'Answer:', 'D']
    >>> [plain(r).strip() for r in ("<answer>B</answer>", '```json\\n{"answer": "D"}\\n```', "正解はDです", "B<|eot_id|>")]
    ['Answer: B', 'Answer: D', 'Answer: D', 'B']
    """
    return _plain(reply[-READ:])


@lru_cache(maxsize=32)  # a form reads the same reply in several ways, and the grader looks at it again
def _plain(end: str) -> str:
    text = before_tokens(_STRUCK.sub("", normalized(_THIN_SPACE.sub(",", _TERMINAL_CODE.sub("", end)))))
    if _is_error(text):
        return ""
    if "<" in text:
        text = _POWER_TAG.sub(r"^\1", _FORMAT_TAG.sub("", _LINE_BREAK_TAG.sub("\n", text)))
        text = _WRAPPED_NUMBER.sub(r"\1", _ANSWER_TAG.sub(r"\nAnswer: \g<said>\n", text))
        if field := _ONE_FIELD.fullmatch(text):
            text = field[1]
    if "{" in text and '"' in text:
        text = _JSON_OBJECT.sub(_field, text)
    if "\\" in text:
        text = _LATEX_FUNCTION.sub(r"\1", _SUBSCRIPT.sub(r"\1\2", _LATEX_TEXT.sub(r"\1", text)))
        text = _LATEX_SIGN.sub(lambda sign: _LATEX_SIGNS[sign[0]], text)
        text = _BOXED.sub(r"\nAnswer: \1\n", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if text.count("$") == 1:  # two may enclose a formula
        text = _DOLLAR_BEHIND.sub(r"$\1", text)
    text = _HIGHLIGHT.sub(r"\1", _NOISE.sub("", _STARRED_POWER.sub("^", text)))
    for _ in range(2):
        text = _EMPHASIS.sub(lambda match: match[2] or match[4], text)
    text = _HEADING.sub("Answer: ", text)
    text = _LABEL_WITHOUT_COLON.sub(r"\1: ", _BRACKETED_LABEL.sub("Answer: ", _BRACKETED_END.sub("\n", text)))
    if not text.isascii() or any(map(text.lower().__contains__, _IN_ASCII)):
        text = _COPULA_AT_END.sub("", _FOREIGN_LABEL.sub("Answer: ", text))
    if _TICKED.search(text):
        text = _NOT_TICKED.sub("", text)
    text = _without_signs(text)
    if len(text.strip().splitlines()) == 1 and (label := _OTHER_LABEL.match(text)):
        text = f"Answer: {text[label.end() :]}"
    return text


def calls_answer_wrong(fields: Mapping[str, object]) -> bool:
    """Whether another field of an object says that the answer in it is wrong.

    >>> calls_answer_wrong({"answer": "C", "is_correct": False}), calls_answer_wrong({"answer": "C", "correct": "A"})
    (True, False)
    """
    document = {str(name).lower(): value for name, value in fields.items()}
    answer = fold(answer) if isinstance(answer := document.get("answer"), str) else ""
    verdicts = [document[key] for key in _VERDICT_KEYS if key in document]
    words = [fold(verdict) for verdict in verdicts if isinstance(verdict, str)]
    return any(verdict is False for verdict in verdicts) or any(word in _CALLED_WRONG and word != answer for word in words)


def unwrapped(text: str) -> str:
    """A text without the marks, quotation marks and brackets around the whole of it.

    >>> unwrapped('"Paris".'), unwrapped("<B>"), unwrapped("(a) or (b)")
    ('Paris', 'B', '(a) or (b)')
    """
    text = text.strip(AROUND) or text.strip()
    for opening, closing in _WRAPPED:
        inner = text[len(opening) : -len(closing)]
        if text.startswith(opening) and text.endswith(closing) and inner and not {*opening, *closing} & set(inner):
            return unwrapped(inner)
    return text


def lines(text: str) -> list[str]:
    """The lines that are not empty, without white space and emphasis around them."""
    stripped = (line.strip().strip("*_").strip() for line in text.splitlines())
    return [line for line in stripped if line]


def before_tokens(text: str) -> str:
    """The text up to the first special token that a server left in; tokens at its start are skipped.

    >>> before_tokens("Answer: 80%<|eot_id|>")
    'Answer: 80%'
    """
    if "<" not in text and "[" not in text:
        return text
    text = _LEADING_TOKENS.sub("", text)
    end = _FIRST_TOKEN.search(text)
    return text[: end.start()] if end else text


def _without_signs(text: str) -> str:
    """A text without emoji at the ends of its lines, and without a tick after its last answer."""
    if text.isascii():
        return text
    text = _EMOJI_AT_END.sub("", text)
    return _MARK_AT_END.sub("", text) if len(_MARKS.findall(text)) == 1 else text


def _is_error(text: str) -> bool:
    """Whether a reply is an object that only reports an error."""
    if not text.strip().startswith("{"):
        return False
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return bool(fields) and _ERROR_KEYS.issuperset(map(str.lower, fields))


def _power(match: re.Match[str]) -> str:
    digits = match[2].translate(_SUPERSCRIPTS)
    return f"{match[1]}^{digits}" if match[1] else digits


def _visible(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    if character.isdecimal() and not character.isascii():
        return str(unicodedata.decimal(character))
    return character


def _field(match: re.Match[str]) -> str:
    """An object with an answer as a statement, or nothing if it calls the answer wrong; other text unchanged."""
    try:
        fields = json.loads(match[0])
    except ValueError:
        return match[0]
    if calls_answer_wrong(fields):
        return "\n"
    named: Callable[[str], object] = {str(name).lower(): value for name, value in fields.items()}.get
    value = next((entry for key in _JSON_KEYS if (entry := named(key)) is not None), None)
    return f"\nAnswer: {value}\n" if isinstance(value, str | int | float) else match[0]
