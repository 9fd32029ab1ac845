"""`chat:MODEL@URL`: any server that speaks the OpenAI-compatible chat protocol (vLLM, Ollama, llama.cpp, most vendors).

It sends one request for each question, and never retries: a failed request is a `TransportFault`, and the interview decides.
The server is not trusted: its replies are bounded before they are stored, and the key is removed from its echoes. Some services
report errors as the text of a reply (no credit, a queue, a model being loaded): these are faults, too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from yarl import URL

from vivavoce import errors
from vivavoce.candidates.chat.http import Http, NotAReply, Response, document_in, in_unicode
from vivavoce.candidates.chat.options import SECRET_OPTIONS, SETTINGS, ChatOptions, body_of, headers_of, key_of, preset_of
from vivavoce.candidates.chat.reply import Completions, ErrorInReply, ServerError, read_error, read_reply
from vivavoce.candidates.chat.server_errors import NOT_OWN, STATUSES, any_of, fault_for, refused, status_of
from vivavoce.candidates.options import canonical, read_options
from vivavoce.candidates.providers import base_address, provider_of
from vivavoce.interview.candidate import ModelCall, Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.record import canonical_json, digest_of

_LONGEST_ERROR: Final = 400
"""Characters; a longer text is a reply about errors."""
_NAMED_STATUS: Final = (
    r"(?:internal (?:server )?error|server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
    r"|too many requests|payment required|request time-?out)"
)
_BEGINNING: Final = re.compile(
    r"[^\w<]*(?:(?:sorry|oops|apologies)\W+)?(?:<!doctype html|<html"
    r"|(?:(?:api|http|upstream|proxy|llm|model|provider|openai|anthropic)[ _-]?)?(?:error|exception)\b"
    rf"|{_NAMED_STATUS}\b|[45]\d\d\b|rate[ -]limit|upstream\b|request failed|something went wrong"
    r"|an? (?:\w+ )?error (?:has )?occurred|(?:failed|unable) to (?:connect|reach|get|fetch|generate)"
    r"|(?:the |this )?(?:server|service|model|engine|system) (?:is|was|has|had) (?:currently |temporarily |been )?"
    r"(?:overloaded|unavailable|an error|busy|down))",
    re.IGNORECASE,
)
_EVIDENCE: Final = re.compile(
    r"\b(?:error|code|status|http)\W{0,3}(?:code\W{0,3})?[45]\d\d\b"
    rf"|\b[45]\d\d\b\W{{0,3}}(?:{_NAMED_STATUS}|unauthorized|forbidden)|{_NAMED_STATUS}\W*$"
    r"|\b(?:please|and) try again\b|\btry again (?:later|in|soon|shortly)\b|contact (?:\w+ )?support"
    r"|rate[ -]limit(?:ed)? (?:exceeded|reached|hit)|connect error|disconnect/reset|connection (?:error|refused|reset)"
    r"|\b(?:overloaded|temporarily unavailable)\b|\btraceback\b",
    re.IGNORECASE,
)
_ON_ERRORS: Final = re.compile(r"error|exception|\bhttp|status|\bserver|traceback|went wrong", re.IGNORECASE)
_LONGEST_NOTICE: Final = 250
"""Characters."""
_ANSWERS: Final = any_of(
    r"\b(?:answer|answers|antwort|réponse|respuesta|resposta|risposta|antwoord|ответ)\b\s*(?:[:=：]|is\b|ist\b|est\b"
    r"|es\b|é\b|è\b)",
    r"答案|答え|回答|정답|\\boxed|\[answer\]",
)
"""States an answer; such a reply is not a notice."""


def _together(things: str, states: str) -> str:
    """A thing and its state in one sentence, in either order."""
    return rf"(?:{things})[^.!?。！？\n]{{0,60}}?(?:{states})|(?:{states})[^.!?。！？\n]{{0,40}}?(?:{things})"


_USED_UP: Final = (
    _together(
        r"\bquotas?\b|\bcredits?\b|\bfunds\b|\b(?:account|prepaid) balance|\bfree tier\b|\b(?:your|usage|rate|token"
        r"|message|request"
        r"|hourly|daily|weekly|monthly|api|spending)[ -]limits?\b|\blimit of [\d,.]+ (?:requests|tokens|messages|calls)",
        r"\bexceed|\bexhausted\b|\bused up\b|\bdepleted\b|\breached\b|\bhit\b|\brun out\b|\bran out\b"
        r"|\binsufficient\b|\bout of\b|\bno more\b",
    ),
    r"\binsufficient balance\b|\bbalance (?:is )?(?:insufficient|too low|exhausted)",
    _together(
        r"\b(?:your|free) trial\b|\btrial (?:period|version)\b|\b(?:your|the) (?:subscription|plan|licen[cs]e|session"
        r"|api key|access)\b"
        r"|\bsession \d+",
        r"\bended\b|\bexpired\b|\bis over\b|\bsuspended\b|\bexhausted\b|\brequired\b",
    ),
    r"\bplans? (?:start|begin)s? (?:at|from)\b|\bupgrade (?:your|to (?:a|the|our)) (?:\w+ )?(?:plan|account|tier"
    r"|subscription)\b",
    _together(
        r"\bkontingent|\bguthaben|\b(?:anfrage|nutzungs|tages|monats|token)limit|\bprobezeit|\btestphase"
        r"|\btestzeitraum|\babonnement",
        r"\berschöpft|\baufgebraucht|\büberschritten|\berreicht|\babgelaufen|\bbeendet|\bnicht aus(?:reichend)?\b",
    ),
    _together(
        r"\bquota|\bcrédits?\b|\bsolde\b|\blimite d['’](?:utilisation|usage|appels)|\blimite de (?:requêtes|messages"
        r"|jetons)"
        r"|\bpériode d['’]essai|\babonnement",
        r"\bépuisée?s?\b|\bdépassée?s?\b|\batteinte?s?\b|\binsuffisante?s?\b|\bexpirée?s?\b|\bterminée?s?\b"
        r"|\ba expiré|\ba pris fin",
    ),
    _together(
        r"\bcuota|\bcréditos?\b|\bsaldo\b|\bcota\b|\bcrediti?o?\b|\b(?:límite|limite) (?:de|di) (?:uso|utilizzo"
        r"|solicitudes|peticiones"
        r"|requisições|solicitações|mensajes|mensagens|richieste)|\b(?:período|periodo) (?:de prueba|de teste|di prova)"
        r"|\b(?:suscripción|assinatura|abbonamento)\b|\bavaliação gratuita",
        r"\b(?:agotad|excedid|superad|alcanzad|caducad|vencid|expirad|terminad|finalizad|esgotad|atingid|encerrad"
        r"|esaurit|superat"
        r"|raggiunt|scadut|terminat)[oaei]s?\b|\binsuficientes?\b|\binsufficient[ei]\b|\bha (?:caducado|expirado"
        r"|terminado|vencido)",
    ),
    _together(
        r"\bquotum|\btegoed|\b(?:gebruiks|dag)limiet|\bproefperiode|\bквот|\bлимит (?:запросов|токенов|использования)"
        r"|\b(?:дневной|месячный) лимит|\bсредств|\bпробн\w+ период|\bподписк|\b(?:limit zapytań|środk|okres próbny)",
        r"\bopgebruikt|\bbereikt|\boverschreden|\bonvoldoende|\bverlopen|\bисчерпан|\bпревышен|\bнедостаточно"
        r"|\bзакончил|\bист[её]к"
        r"|\bwyczerpan|\bprzekroczon|\bniewystarczając|\bzakończył",
    ),
    _together(
        r"余额|餘額|额度|額度|配额|配額|试用|試用|套餐|账户|帳戶|残高|クォータ|クレジット|利用枠|(?:利用|使用"
        r"|リクエスト)(?:上限|制限)|トライアル|無料期間"
        r"|잔액|할당량|사용량|크레딧|(?:사용|요청) 한도|무료 체험|체험 기간",
        r"不足|用完|用尽|用盡|耗尽|耗盡|超出|超过|超過|到期|过期|過期|结束|結束|欠费|欠費|超え|達し|使い切|切れ|終了"
        r"|부족|초과|소진|종료|만료|도달",
    ),
)
"""Credit or quota is used up."""
_BUSY: Final = (
    r"\bqueue position\b|\b(?:position|place|number \d+|you are|you're|waiting)\b[^.\n]{0,20}\bin (?:the |a )?queue\b"
    r"|\b(?:request|job) (?:is |was |has been )?queued\b|\bplease wait\b",
    r"\b(?:estimated|expected) (?:wait(?:ing)? )?time\b|\b(?:retry|try again) (?:in|after) (?:about )?\d"
    r"|\bplease retry\b|\btry again\b",
    r"\bloading (?:the )?(?:model|weights|checkpoints?)\b|\b(?:model|server|engine|service) is (?:still )?warming up\b",
    r"\b(?:model|weights|checkpoint|server|engine)\b[^.\n]{0,50}\b(?:is|are|still|being) (?:\w+ )?(?:loading|loaded"
    r"|starting|initiali[sz]ing)\b",
    r"\b(?:model|server|system|service)\b[^.\n]{0,30}\b(?:too busy|overloaded|at capacity|unavailable"
    r"|out of memory)\b|\b(?:due to|experiencing|under) (?:\w+ )?high demand\b",
    r"\b(?:down|under|scheduled) (?:for )?maintenance\b|\btoo many requests\b|\b(?:cuda|gpu"
    r"|ran)\b[^.\n]{0,20}\bout of memory\b",
    r"\b(?:generation|inference|completion|request|response|upstream) (?:was |has |had )?(?:been )?"
    r"(?:stopped|aborted|cancell?ed|failed|interrupted|timed out|terminated|rejected|blocked)\b",
    r"\b(?:network|connection|server|upstream|gateway|internal) (?:error|failure|time-?out)\b"
    r"|\bstatus[_ -]?code\W{0,3}[45]\d\d\b",
    r"\bplease (?:log|sign) in\b|\b(?:log|sign) in to continue\b",
    r"\b(?:in der|position)\b[^.\n]{0,20}\bwarteschlange|\bwarteschlangenposition|\bnetzwerkfehler|\bserverfehler"
    r"|\bfehler[ :]+[45]\d\d\b"
    r"|\bdienst\b[^.\n]{0,30}\bnicht (?:verfügbar|erreichbar)",
    r"\bmodell\b[^.\n]{0,30}\b(?:geladen|lädt|überlastet)|\bspäter (?:erneut|noch ?mal|wieder)|\berneut (?:versuchen"
    r"|zu versuchen)",
    r"\b(?:dans la|position)\b[^.\n]{0,20}\bfile d['’]attente|\berreur (?:réseau|serveur|interne)"
    r"|\berreur[ :]+[45]\d\d\b|\bchargement du modèle"
    r"|\bréessaye[rz]\b"
    r"|\bmodèle\b[^.\n]{0,40}\bcharge|\bservice (?:\w+ )?indisponible\b",
    r"\b(?:cargando|carregando) (?:el |o )?modelo|\b(?:modelo|modello)\b[^.\n]{0,40}\b(?:cargando|carregad|carregando"
    r"|caric)|\bcaricamento del modello",
    r"\berror de (?:red|conexión)|\berror del servidor|\berro (?:de rede|no servidor|do servidor)|\berrore (?:di rete"
    r"|del server)",
    r"\b(?:int[eé]ntelo|inténtalo|vuelva a intentarlo|tente|riprova(?:re|te)?)\b[^.\n]{0,30}\b(?:de nuevo|más tarde"
    r"|novamente|tarde|tardi)\b",
    r"\bservicio no disponible|\bserviço indisponível|\bservizio non disponibile"
    r"|\b(?:está|posición) en (?:la )?cola\b|\bposição na fila\b|\bposizione in coda\b",
    r"\bin de wachtrij|\bnetwerkfout|\bprobeer\b[^.\n]{0,20}\b(?:opnieuw|later)|\bв очереди|\bошибка (?:сети|сервера"
    r"|[45]\d\d)|\bсервер\w* перегружен",
    r"\b(?:повторите|попробуйте)\b[^.\n]{0,30}\b(?:позже|снова|ещ[её] раз)|\bмодель\b[^.\n]{0,30}\bзагру[жз]"
    r"|\bбłąd (?:sieci|serwera)|\bspróbuj ponownie",
    r"网络(?:错误|异常|超时|连接)|網路(?:錯誤|異常)|(?:服务器?|系统|伺服器|服務)(?:内部)?(?:错误|異常|异常|繁忙|过载"
    r"|忙|不可用|錯誤)",
    r"请求(?:失败|超时|过于?频繁|过多|次数)|(?:稍后|稍候|稍後|重新)再?(?:重试|再试|重試|再試|尝试|試)"
    r"|模型[^。\n]{0,10}(?:加载|載入)|(?:加载|載入)[^。\n]{0,4}模型|(?:正在|您)排[队隊]|排[队隊](?:中|等待)|状态码",
    r"(?:ネットワーク|サーバー?|通信|接続)エラー|混み合って|(?:後|のち)(?:で|ほど|に)[^。\n]{0,8}(?:再度|もう一度"
    r"|お試し|やり直)|再試行|モデル[^。\n]{0,10}(?:読み込み|ロード)|順番待ち",
    r"(?:네트워크|서버|연결) ?오류|다시 시도|대기열(?:에|의? (?:위치|순서))|모델[^.\n]{0,10}(?:로드|로딩)"
    r"|서비스[^.\n]{0,8}(?:사용|이용)할 수 없",
)
"""The service is not ready, or something failed on the way."""
_NOTICE: Final = any_of(*_USED_UP, *_BUSY)
_TELLING: Final = any_of(
    r"quota|credit|fund|balance|trial|subscription|plan|session|queue|load|warm|busy|memory|maintenance|generation"
    r"|network|connection",
    r"limit|request|log in|sign in|wait|kontingent|guthaben|warteschlange|solde|essai|saldo|cuota|cota|cola|fila|coda"
    r"|квот|средств|очеред",
    r"余额|额度|配额|试用|套餐|账户|网络|排队|残高|クレジット|잔액|할당량|대기열",
)
"""The topic of a notice; if the question has the same topic, the reply answers the question."""


def tells_of_an_error(text: str, question: Prompt) -> bool:
    """Whether a short reply is an error or a notice of the service; not if the conversation is about such things.

    >>> tells_of_an_error("Internal server error. Please contact support. Error code 500", Prompt("What is 6 times 7?"))
    True
    >>> tells_of_an_error("Internal server error", Prompt("Which HTTP error has status 500?"))
    False
    >>> tells_of_an_error("Queue position: 12", Prompt("What is 6 times 7?"))
    True
    """
    text = text.strip()
    texts = (question.system, *(words for _, words in question.conversation))
    if len(text) <= _LONGEST_ERROR and _BEGINNING.match(text) and _EVIDENCE.search(text):
        return not any(map(_ON_ERRORS.search, texts))
    return _is_notice(text, texts)


def _is_notice(text: str, texts: Sequence[str]) -> bool:
    """Whether a short text without an answer is a notice about something that was not mentioned before."""
    if len(text) > _LONGEST_NOTICE or _ANSWERS.search(text) or not _NOTICE.search(text):
        return False
    before = "\n".join(texts).casefold()
    about = {match.group().casefold() for match in _TELLING.finditer(text)}
    return not (_ON_ERRORS.search(before) or any(subject in before for subject in about))


EXAMPLE = "chat:llama3.2@http://localhost:11434/v1"
_DIGEST = 16
"""Characters of a body file's digest in a name."""


def open_chat(target: str, query: str, *, environment: Mapping[str, str] = os.environ) -> Chat:
    """The candidate `chat:TARGET?QUERY`, where the target is `MODEL@URL`.

    Raises `BadInput` if the target is not such a name, holds a password or a key, if a named variable is not set, or if the
    file of `?body=` cannot be sent.
    """
    parts = re.fullmatch(r"(?P<model>\S.*)@(?P<url>https?://\S+)", target, re.IGNORECASE)
    if parts is None:
        raise errors.BadInput(f"'chat:{target[:80]}' is not MODEL@URL with http:// or https://: write it as in {EXAMPLE}")
    if {pair.partition("=")[0].lower() for pair in query.split("&")} & SECRET_OPTIONS:
        raise errors.BadInput("a key must not be in a name, since every record shows it: put it in $VIVA_API_KEY")
    options = read_options(query, ChatOptions, of="chat")
    return Chat(
        parts["model"],
        base_address(parts["url"], example=EXAMPLE),
        options,
        key=key_of(options, environment),
        headers=headers_of(options, environment),
        body=body_of(options),
    )


class Chat:
    """A model behind `URL/chat/completions`. Every question is a separate conversation.

    Connections are kept alive and not limited in number: the interview limits requests in flight and their time. Its name tells
    what is sent: the names of headers, and a digest of further fields.
    """

    asked_again: RepeatReason = "elsewhere"
    """Why it may be asked again: it runs elsewhere, so it cannot end this program."""

    def __init__(
        self,
        model: str,
        url: str,
        options: ChatOptions,
        *,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        headers, body = headers or {}, body or {}
        preset = preset_of(options)
        digest = digest_of(canonical_json(body))[:_DIGEST] if body else ""
        self.name = f"chat:{model}@{url}{canonical(replace(options, header=tuple(headers), body=digest))}"
        self.never_sent: frozenset[str] = preset.never_sent if preset else frozenset()
        """Parameters that are left out of every request."""
        self.ways: tuple[ReplyFormat, ...] = (
            ("text", "turn") if "response_format" in self.never_sent else ("text", "schema", "turn")
        )
        """Its reply formats."""
        self.options = options
        self.declared_deterministic = options.deterministic == "yes"
        self.errors_are_own = options.errors == "own"
        self.http = Http(key, headers, longest=options.max_reply)
        self.address = url
        self._where = URL(url + "/chat/completions")
        self._settings = {"model": model, **body, **options.settings}
        self._completions = Completions()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `TransportFault` or `CandidateError`; no text in them or in the reply holds a secret."""
        response = await self.http.send("POST", self._where, json.dumps(self.request(question)).encode())
        return self.read(response, question)

    def read(self, response: Response, question: Prompt, *, of_price: float = 1.0) -> Reply:
        """Read the reply in a response. Raises `TransportFault` or `CandidateError`.

        of_price: the share of the price to count.
        """
        status, headers, body = response
        body = in_unicode(body, headers.get("Content-Type", ""))
        if 200 <= status < 300:
            return self._reply(body, question, of_price)
        if 300 <= status < 400:
            target = self._quoted(headers.get("Location", "nowhere"))
            raise errors.CandidateMisconfigured(
                f"{self._where} redirects (status {status}) to {target}: use the address that answers",
                hearing="refused",
                by_service=True,
            )
        raise self._fault(status, headers, read_error(body), question)

    def _reply(self, body: bytes, question: Prompt, of_price: float) -> Reply:
        price_in, price_out = (of_price * price for price in self.prices)
        try:
            document = document_in(body, *self.http.secrets)
            reply = read_reply(document, *self.http.secrets, price_in=price_in, price_out=price_out)
        except NotAReply as error:
            raise self._kind_of_fault(self._quoted(str(error))) from None
        except ErrorInReply as error_in_reply:
            pair = error_in_reply.error
            status = status_of(pair.codes, pair.message)
            raise self._fault(status, {}, pair, question, answer=f"an error instead of a reply ({status})") from None
        if tells_of_an_error(reply.text, question):
            raise self._kind_of_fault(f"an error instead of a reply: {self._quoted(reply.text)}")
        if self.options.errors != "own" and self._completions.is_sent_again(document, reply.text, question):
            again = f"completion {self._quoted(str(document['id']))} was sent for two questions, as by a cache"
            raise errors.ServiceFault(f"{again} (?errors=own if it is a part of your bot)", worth_retrying=False)
        return reply

    def _fault(
        self, status: int, headers: Mapping[str, str], pair: ServerError, question: Prompt, *, answer: str = ""
    ) -> errors.VivavoceError:
        """The error for a server's response; a bot's own errors are its answers, except a wrong key or address."""
        message = self._quoted(pair.message)
        reason = f"{answer or f'status {status}'}: {message}"
        if status in STATUSES and (refusal := self._refusal(pair, question, reason)):
            return refusal
        if self.options.errors == "own" and status not in NOT_OWN:
            return self._kind_of_fault(reason)
        return fault_for(status, headers, message, codes=pair.codes, where=str(self._where), answer=answer)

    def _kind_of_fault(self, reason: str) -> errors.TransportFault:
        """A fault of the service, or an outcome for a bot whose errors are its own."""
        return (
            errors.TransportFault(reason, worth_retrying=False) if self.options.errors == "own" else errors.ServiceFault(reason)
        )

    def call(self, question: Prompt, /) -> ModelCall:
        """The request for this question, for tracing."""
        where, settings = self._where, self._settings | self._wanted(question)
        host = where.host or ""
        return ModelCall(str(self._settings["model"]), provider_of(host), host, where.port, settings, self._system(question))

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply."""
        return self.options.price_in, self.options.price_out

    async def close(self) -> None:
        """Close the connections."""
        await self.http.close()

    def request(self, question: Prompt) -> dict[str, Any]:
        """The body of a request."""
        system = self._system(question)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in question.conversation]
        return self._settings | self._wanted(question) | {"messages": messages}

    def _system(self, question: Prompt) -> str:
        return "\n\n".join(filter(None, (self.options.system, question.system)))

    def _wanted(self, question: Prompt) -> dict[str, Any]:
        """The parameters that the prompt sets and this server gets."""
        wanted: dict[str, Any] = {"temperature": question.temperature, self.options.limit: question.max_tokens}
        if question.schema:
            schema = {"name": "reply", "schema": json.loads(question.schema), "strict": True}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        if question.first_tokens and "logprobs" not in self.never_sent:
            wanted |= {"logprobs": True, "top_logprobs": question.first_tokens}
        return {name: value for name, value in wanted.items() if value is not None and name not in self.never_sent}

    def _refusal(self, pair: ServerError, question: Prompt, reason: str) -> errors.VivavoceError | None:
        """The error for a parameter that the server refuses; None if it says nothing like that.

        The caller can leave out a parameter of the prompt; only the user can leave out the user's own.
        """
        wanted = self._wanted(question).keys() - {"top_logprobs"}
        name = refused(pair, wanted | (self._settings.keys() - {"model"}))
        if not name:
            return None
        if name in wanted:
            return errors.ParameterRefused(name, reason)
        if name == self.options.limit:
            other = {"max_tokens": "max_completion_tokens"}.get(name, "max_tokens")
            remedy = "leave out ?preset=" if self.options.preset else f"use ?{other}= instead"
        else:
            remedy = f"leave out ?{name}=" if name in SETTINGS else f"leave out '{name}' in the file of ?body="
        return errors.CandidateMisconfigured(f"{self._where} {errors.REFUSES} '{name}': {remedy} ({reason})", hearing="refused")

    def _quoted(self, text: str) -> str:
        return self.http.quoted(text)
