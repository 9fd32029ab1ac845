"""Recognizes options that replies name by their texts, or in other languages than English."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from vivavoce.interview.forms.plain import AROUND, fold, plain

REASON: Final = re.compile(r"\s{0,3}(?:(?:because|since)\b|[-–—(])", re.IGNORECASE)
_STOPS: Final = '.,:;!?)]}"'
_BETWEEN = re.compile(
    r"(?:[\s.,:;!?)(\]}>\"'\[→=/|]|[–—-](?![\d.])){0,8}(?:(?:i\.?e\.?|that is|which is|namely|meaning)[\s,:(]{1,3})?",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[.,:]\d|[-–]\w")
"""How a number or a word may continue after the text of an option."""
_QUOTE = re.compile(r"'(?!\w)")
_LETTER_IN_TEXT = re.compile(r"(?<![\w'])(?:[A-Z]|(?![ai])[a-z])(?![\w'])")
_LINKED: Final = r"(?:\s{1,3}(?:is\s{1,2})?|:\s{0,3})"
_LINK = re.compile(r"\s{0,3}:\s{0,3}|\sis\s{1,2}", re.IGNORECASE)
_BEFORE = r"(?<![\w./^*+=-])"
_AFTER = r"(?![\w/^*+=²]|[-.]\w| ?[·×^=])"
_DASHES: Final = str.maketrans("–—", "--")


def text_at(reply: str, options: Sequence[str], *, within_words: bool = False, letters: bool = False) -> tuple[str, str] | None:
    """The letter of the option whose text a text begins with, and what follows: a stop, or any word with `within_words`.

    >>> text_at("new york city, of course", ("New York", "New York City"))
    ('B', ', of course')
    """
    line, newline, below = reply.partition("\n")
    if newline and line.strip(AROUND):
        pair = text_at(line, options, within_words=within_words, letters=letters)
        if pair:
            return pair[0], f"{pair[1]}\n{below}"
    texts = folded(tuple(options))
    longest_text = max(map(len, texts), default=0)
    flat = " ".join(reply[: 2 * longest_text + 200].split()).lstrip(AROUND)
    start = flat.lower().translate(_DASHES)
    if len(start) != len(flat):
        flat = start
    used = tuple(ascii_lowercase[: len(options)])
    ends = _ends_word if within_words else _stops
    fitting = [
        text
        for text in texts
        if text and (letters or text not in used) and start.startswith(text) and ends(flat[len(text) :], text)
    ]
    longest = max(fitting, key=len, default="")
    if not longest:
        return None
    places = [index for index, text in enumerate(texts) if text == longest]
    if len(places) > 1:
        places = [index for index in places if " ".join(plain(options[index]).split()).strip(AROUND) == flat[: len(longest)]]
    return (ascii_uppercase[places[0]], flat[len(longest) :]) if len(places) == 1 else None


@lru_cache(maxsize=256)
def folded(options: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of options in comparable form."""
    return tuple(fold(plain(option)).lower() for option in options)


def places(option: str, flat: str) -> list[re.Match[str]]:
    """Where a folded text has the folded text of an option as whole words, and not as part of a number.

    >>> len(places("5 kg", "not 0.5 kg, but 5 kg"))
    1
    """
    # most options do not occur, and to compile a pattern takes longer than all the rest
    return list(re.finditer(rf"(?<!\w)(?<!\d[.,]){re.escape(option)}(?!\w)", flat)) if option in flat else []


def names_letters(text: str, letter: str, options: Sequence[str]) -> bool:
    """Whether a text names another option that consists of letters of options, such as the blood type AB.

    >>> names_letters("Between A and AB, AB.", "A", ("A", "B", "AB", "O")), names_letters("A.", "A", ("A", "B", "AB", "O"))
    (True, False)
    """
    used = ascii_uppercase[: len(options)]
    others = (option for other, option in zip(used, options, strict=False) if other != letter)
    return any(len(option) > 1 and set(option) <= set(used) and places(option, text) for option in others)


def letters_for_texts(text: str, options: Sequence[str]) -> str:
    """A reply in which texts of options that contain another option's letter, such as "vitamin C", are replaced by their own
    letters.

    >>> letters_for_texts("Vitamin C is the answer, not vitamin D.", ("Vitamin D", "Vitamin C", "Iron", "Zinc"))
    '(B) is the answer, not (A).'
    """
    letters, pattern = _with_letters(tuple(options))
    if pattern is None:
        return text

    def letter(match: re.Match[str]) -> str:
        words = fold(_LINK.sub(" ", match[0]))
        return f"({letters[words]})" if words in letters else match[0]

    return pattern.sub(letter, text)


@lru_cache(maxsize=256)
def _with_letters(options: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str] | None]:
    letters = dict[str, str]()
    texts = [fold(plain(option)) for option in options]
    used = ascii_uppercase[: len(options)]
    for letter, option, text in zip(used, options, texts, strict=True):
        inside = {match[0].upper() for match in _LETTER_IN_TEXT.finditer(option)}
        if inside & set(used) and " " in text and texts.count(text) == 1:
            letters[text] = letter
    if not letters:
        return letters, None
    longest_first = sorted(letters, key=len, reverse=True)
    either = "|".join(_LINKED.join(map(re.escape, text.split())) for text in longest_first)
    return letters, re.compile(rf"{_BEFORE}(?:{either}){_AFTER}", re.IGNORECASE)


def text_behind(rest: str, options: Sequence[str], *, within_words: bool = False) -> tuple[str, str] | None:
    """The option whose text follows a letter, with marks and words such as "that is" between them."""
    near = text_at(rest.lstrip(".):]}>\"' \t"), options, within_words=within_words, letters=True)
    return near or text_at(_BETWEEN.sub("", rest, count=1), options, within_words=within_words, letters=True)


def begins_like(reply: str, letter: str, options: Sequence[str]) -> bool:
    """Whether a text begins with the first two words of the option of this letter, and so repeats it."""
    index = ascii_uppercase.index(letter)
    own = folded(tuple(options))[index].split()[:2] if index < len(options) else []
    return bool(own) and [word.strip(AROUND) for word in reply.lower().split(maxsplit=2)[: len(own)]] == own


def is_whole(rest: str) -> bool:
    """Whether an option's text, followed by `rest`, is the whole statement, and not part of a list or sentence."""
    return not rest or bool(
        re.match(r"\s{0,2}(?:[.;!?)\]\n(]|,?\s{0,2}(?:because|since|as|which|of course)\b|[–—-]\s|[✓✔✅]|$)", rest)
    )


def _ends_word(rest: str, text: str) -> bool:
    return not rest or not (rest[0].isalnum() or _GOES_ON.match(rest))


def _stops(rest: str, text: str) -> bool:
    """Whether a text ends before `rest`; a text of three words or more can't be chance."""
    if _GOES_ON.match(rest):
        return False
    return (
        not rest
        or rest[0] in _STOPS
        or rest[:2] in (" [", " =", " →")
        or bool(_QUOTE.match(rest))
        or bool(REASON.match(rest))
        or (rest[0] == " " and text.count(" ") > 1)
    )


_ANSWER: Final = (
    r"antwort|lösung|réponse|reponse|respuesta|solución|resposta|risposta|soluzione|antwoord|svaret|svar|fasit|vastaus"
    r"|svarið|ответ"
    r"|відповідь|отговор\w{0,3}|одговор|odpowied[zź]\w?|odpověď|odpoveď|odgovor|válasz|megoldás|răspuns\w{0,3}|cevap"
    r"|cevabı|yanıt|απάντηση"
    r"|jawaban\w{0,3}|jawapan\w{0,3}|sagot|jibu|vastus|atsakymas|atbilde|erantzuna|đáp án|câu trả lời|përgjigj\w{1,3}"
    r"|javob|жауап"
    r"|wähle|elijo|escojo|choisis|scelgo|escolho|kies|wybieram|выбираю|chọn|उत्तर|जवाब|উত্তর|பதில்|సమాధానం|ഉത്തരം|ಉತ್ತರ"
    r"|જવાબ|ਉੱਤਰ|پاسخ|جواب|الإجابة|الاجابة|الجواب|תשובה|התשובה|პასუხი|պատասխան\w?"
)
_CORRECT: Final = (
    r"richtig\w{0,2}|korrekt\w{0,2}|correcte|correcta|correta|corretto|corretta|bonne|giusta|certa|juiste?|riktiga?t?"
    r"|rette|rigtige?"
    r"|oikea|правильн\w{2,3}|верн\w{2,3}|poprawn\w|prawidłow\w|správn\w|helyes|corect\w?|doğru|σωστή|benar|betul|सही"
    r"|সঠিক|صحيح\w?|الصحيح\w?"
    r"|نכונה|הנכונה|točan|ispravan|teisingas|đúng"
)
_EASTERN: Final = (
    r"答案|(?<![不非])正确|(?<![不非])正確|答え|(?<!不)正解|回答|解答|(?:故|因此|所以|应|應|该|該|本题|本題|此题|我)?(?:选择|選擇|选项|選項|选|選)(?!项[是为]?不)"
    r"|정답|답변|(?<!오)답|คำตอบ|ตอบ|ข้อที่ถูก|စာ"
)
_ANY = rf"(?<!\w)(?:{_ANSWER}|{_CORRECT})(?!\w)|{_EASTERN}"
_SAID = r"(?P<said>[(\[\"']{0,2}(?<![A-Za-zÀ-ɏ0-9'])[A-Z][)\]\"']{0,2})(?![A-Za-z0-9À-ɏ]|-\w)(?:'[dt][ıiuü]r\b)?"
_WORDS = rf"(?i:{unicodedata.normalize('NFKC', _ANY)})"
_LATER = re.compile(rf"{_WORDS}(?P<between>(?:[^\n.!?;。A-Z]|[A-Z](?=[a-zà-ÿ])){{0,40}}?){_SAID}")
_EARLIER = re.compile(
    rf"(?:^|[\n.:,;。，])\s{{0,3}}(?:[^\W\d_]{{1,10}}\s){{0,2}}(?:[^\W\da-zA-Z_]{{1,3}}[はが])?{_SAID}(?P<between>[^\n.!?;。A-Z]{{0,30}}?){_WORDS}"
)
FALSE: Final = (
    r"(?:(?<!\w)(?:falsch\w{0,2}|inkorrekt\w{0,2}|unzutreffend\w{0,2}|faux|fausses?|mauvaise|incorrecte?s?|inexacte?|erroné?e?"
    r"|erróne[ao]|errone[ao]|errône[ao]|équivoquée?|equivocad[ao]|incorrect[ao]|incorret[ao]|scorrett[ao]|inesatt[ao]|fals[ao]"
    r"|sbagliat\w|errat[ao]|errad\w|onjuist\w?|verkeerd\w?|fout|forkert\w?|feil|galt|fel|felaktigt?|väärä|virheellinen"
    r"|неверн\w{2,3}|неправильн\w{2,3}|ошибочн\w{2,3}|невірн\w{1,3}|хибн\w{1,3}|помилков\w{1,3}|погрешн\w{1,3}|грешн\w{1,3}"
    r"|niepoprawn\w|nieprawidłow\w|błędn\w|fałszyw\w|nesprávn\w|špatn\w|chybn\w|helytelen|hibás|téves|rossz|greșit\w?|incorect\w?"
    r"|eronat\w?|netočan|neispravan|pogrešan|yanlış|hatalı|λάθος|λανθασμέν\w|εσφαλμέν\w|salah|keliru|गलत|ভুল|خطأ|خاطئ\w?|نادرست"
    r"|غلط|שגוי\w?|שגויה)(?!\w)|[错錯误誤]|不正|間違|틀[린리렸립]|오답|ผิด)"
)
"""Words for "wrong"."""
OR: Final = (
    r"(?:(?<!\w)(?:oder|ou|of|eller|или|або|lub|nebo|alebo|vagy|sau|veya|atau|hoặc|hay|tai|या|أو|או|ή|o|y|und|et|e|и|en"
    r"|och|og|i|ve|dan|và)(?!\w)"
    r"|或|または|と|か|和|혹은|또는|와|หรือ|และ)"
)
"""Words for "or" and "and", after which another option may be named."""
_WITH_ITS_TEXT = re.compile(
    r"(?<![A-Za-z])(?P<letter>[A-Z])の(?!可能性|うち|中|前|後|次|逆|反対|ほう|方|よう|場合|み|選択肢|説明)"
    r"(?P<said>(?:(?!ない|ません|違|誤|or)[^\s、。,.()]){1,40}?)(?=(?:です|である|だ)?[。.]?\s{0,3}$)",
    re.MULTILINE,
)
_NEGATION = re.compile(
    r"(?<!\w)(?:nicht|kein\w{0,2}|ne|n'est|pas|no|non|não|nao|nunca|niet|geen|inte|ikke|ei|не|ні|nie|není|neni|nem|nu"
    r"|değil|δεν|bukan|tidak|không"
    r"|sai|नहीं|না|ليس\w?|لا|غير|לא|if|wenn|falls|если|якщо|jeśli|not|or|and)(?!\w)|[不非]|ない|なく|ません|아니|아닌|아닙|ไม่|如果|假如|もし|만약"
    rf"|{FALSE}|{OR}(?=\s?[(\[\"']?[A-Z](?!\w))",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"(?<!\w)(?:scheidet aus|fällt weg|entfällt|aus(?:zu)?(?:schließen|geschlossen)|auszuschließen"
    r"|(?:à|être) (?:exclure|écarter|éliminer)|(?:exclu|écarté|éliminé)e?s?|descart\w{1,4}|eliminad[ao]|exclu[ií]d[ao]"
    r"|(?:da )?(?:escludere|scartare)|esclus[ao]|scartat[ao]|valt (?:af|weg)|faller bort|utgår|udgår|odpada|wykluczon\w"
    r"|vyloučen\w|исключ\w{1,8}|отпадает|відпадає|kizárható|elenir|elendi|dieliminasi)(?!\w)|排除|除外|消去|제외|탈락",
    re.IGNORECASE,
)
"""Words that leave an option out."""
_CHOOSES = re.compile(r"(?:wähle|elijo|escojo|choisis|scelgo|escolho|kies|wybieram|выбираю|chọn)", re.IGNORECASE)
_PREDICATE = re.compile(
    r"\s{1,2}(?!(?:weil|denn|da|car|parce|puisque|porque|pues|perché|poiché|pois|want|omdat|fordi|eftersom|потому|так|bo"
    r"|ponieważ|protože|mert|çünkü|karena|vì)(?!\w))[a-zß-ÿа-я]{2,20}(?!\w)"
)
"""A statement about the letter after a word for "answer" that is not a reason for a choice."""
_FITS = re.compile(
    rf"(?<!\w)(?:{_CORRECT}|stimmt|zutreffend|trifft zu|passt|convient|vaut|klopt|stemmer|stämmer|верен|верна|верно|подходит"
    r"|pasuje|sedí)(?!\w)",
    re.IGNORECASE,
)
_HAS_WORD = re.compile(_WORDS)
_CLAUSE = re.compile(r"[\n.!?;。।,，]")
_AROUND: Final = 40
"""Characters around a choice that may deny it or name another one."""


def stated_in_other_languages(text: str) -> str:
    """A reply in which choices stated in other languages are replaced by lines such as "Answer: B".

    >>> stated_in_other_languages("Die Antwort ist also B.").split(), stated_in_other_languages("答案不是B")
    (['Die', 'Answer:', 'B.'], '答案不是B')
    """
    if text.isascii() and not _HAS_WORD.search(text):
        return text
    text = _WITH_ITS_TEXT.sub(r"\g<letter> (\g<said>)", text)
    return _EARLIER.sub(_as_statement, _LATER.sub(_as_statement, text))


def _as_statement(match: re.Match[str]) -> str:
    before = _CLAUSE.split(match.string[max(0, match.start() - _AROUND) : match.start()])[-1]
    after = _CLAUSE.split(match.string[match.end() : match.end() + _AROUND])[0]
    denied = _NEGATION.search(f"{before} {match['between']} {after}")
    if denied or _DROPPED.search(f"{match['between']} {after}"):
        return match[0]
    is_subject = match.re is _LATER and not match["between"].strip() and not _CHOOSES.match(match[0])
    if is_subject and _PREDICATE.match(after) and not _FITS.search(after):
        return match[0]
    ends = match.re is _EARLIER or re.match(r"\s[^\x00-\x7f]", after)
    return f"\nAnswer: {match['said']}" + "\n" * bool(ends)
