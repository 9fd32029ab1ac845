"""Choices that are stated in other languages than English: "Die Antwort ist also B.", "答案选B", "B es la correcta".

What decides is a word for "answer" or "correct" and a letter in the same clause, without a negation. The words between them do not
matter, so that neither the grammar nor the copula of a language has to be known.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ANSWER: Final = (
    r"antwort|lösung|réponse|reponse|respuesta|solución|resposta|resposta|risposta|soluzione|antwoord|svaret|svar|fasit|vastaus|svarið|ответ"
    r"|відповідь|отговор\w{0,3}|одговор|odpowied[zź]\w?|odpověď|odpoveď|odgovor|válasz|megoldás|răspuns\w{0,3}|cevap|cevabı|yanıt|απάντηση"
    r"|jawaban\w{0,3}|jawapan\w{0,3}|sagot|jibu|vastus|atsakymas|atbilde|erantzuna|đáp án|câu trả lời|përgjigj\w{1,3}|javob|жауап"
    r"|उत्तर|जवाब|উত্তর|பதில்|సమాధానం|ഉത്തരം|ಉತ್ತರ|જવાબ|ਉੱਤਰ|پاسخ|جواب|الإجابة|الاجابة|الجواب|תשובה|התשובה|პასუხი|պատասխան\w?"
)
_CORRECT: Final = (
    r"richtig\w{0,2}|korrekt\w{0,2}|correcte|correcta|correta|corretto|corretta|bonne|giusta|certa|juiste?|riktiga?t?|rette|rigtige?"
    r"|oikea|правильн\w{2,3}|верн\w{2,3}|poprawn\w|prawidłow\w|správn\w|helyes|corect\w?|doğru|σωστή|benar|betul|सही|সঠিক|صحيح\w?|الصحيح\w?"
    r"|نכונה|הנכונה|točan|ispravan|teisingas|đúng"
)
_EASTERN: Final = (
    r"答案|(?<![不非])正确|(?<![不非])正確|答え|(?<!不)正解|回答|解答|(?:故|因此|所以|应|應|该|該|本题|本題|此题|我)?(?:选择|選擇|选项|選項|选|選)(?!项[是为]?不)"
    r"|정답|답변|답|คำตอบ|ข้อที่ถูก|စာ"
)
_ANY = rf"(?<!\w)(?:{_ANSWER}|{_CORRECT})(?!\w)|{_EASTERN}"
_SAID = r"(?P<said>[(\[\"']{0,2}(?<![A-Za-zÀ-ɏ0-9'])[A-Z][)\]\"']{0,2})(?![A-Za-z0-9À-ɏ]|-\w)(?:'[dt][ıiuü]r\b)?"
_WORDS = rf"(?i:{unicodedata.normalize('NFKC', _ANY)})"
_LATER = re.compile(rf"{_WORDS}(?P<between>[^\n.!?;。A-Z]{{0,40}}?){_SAID}")
_EARLIER = re.compile(
    rf"(?:^|[\n.:,;。，])\s{{0,3}}(?:[^\W\d_]{{1,10}}\s)?{_SAID}(?P<between>[^\n.!?;。A-Z]{{0,30}}?){_WORDS}"
)
_NEGATION = re.compile(
    r"\b(?:nicht|kein\w{0,2}|falsch\w{0,2}|ne|n'est|pas|faux|fausse|no|non|não|nao|nunca|sbagliat\w|errad\w|incorrect\w{0,2}|niet|geen|onjuist\w?"
    r"|inte|ikke|ei|feil|fel|forkert\w?|не|ні|неверн\w{2,3}|неправильн\w{2,3}|nie|není|neni|niepoprawn\w|nem|nu|greșit\w?|değil|yanlış|δεν|bukan|tidak"
    r"|salah|không|sai|नहीं|गलत|না|ليس\w?|لا|غير|خطأ|לא|inkorrekt\w{0,2}|if|not|or|and|oder|ou|ή|или|lub|nebo|vagy|sau|veya|atau|hoặc|hay|या|أو|או)\b"
    r"|[不非错錯误誤]|ない|なく|ません|間違|아니|아닌|틀|ไม่|ผิด|或|または|혹은|또는|หรือ",
    re.IGNORECASE,
)
_HAS_WORD = re.compile(_WORDS)
_CLAUSE = re.compile(r"[\n.!?;。।,，]")
_AROUND: Final = 40
"""Characters around a choice that may deny it or name another one."""


def stated_in_other_languages(text: str) -> str:
    """A reply in which choices stated in other languages are lines such as "Answer: B".

    >>> stated_in_other_languages("Die Antwort ist also B.").split(), stated_in_other_languages("答案不是B")
    (['Answer:', 'B', '.'], '答案不是B')
    """
    if text.isascii() and not _HAS_WORD.search(text):
        return text
    return _EARLIER.sub(_as_statement, _LATER.sub(_as_statement, text))


def _as_statement(found: re.Match[str]) -> str:
    before = _CLAUSE.split(found.string[max(0, found.start() - _AROUND) : found.start()])[-1]
    after = _CLAUSE.split(found.string[found.end() : found.end() + _AROUND])[0]
    denied = _NEGATION.search(f"{before} {found['between']} {after}")
    if denied:
        return found[0]
    ends = found.re is _EARLIER or re.match(r"\s[^\x00-\x7f]", after)
    return f"\nAnswer: {found['said']}" + "\n" * bool(ends)
