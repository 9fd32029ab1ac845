// Makes pages that work without it more pleasant: counters, sliders, drafts that save themselves, and news of games.
"use strict";

const QUIET_MS = 1200; // without a key pressed, before a draft is saved
const ASK_EVERY_MS = 20000; // for news, where no connection can be kept open

for (const area of document.querySelectorAll("textarea[data-longest]")) {
  const longest = Number(area.dataset.longest);
  const line = document.getElementById(area.id + "-count");
  const write = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  const count = () => {
    const length = [...area.value].length;
    line.textContent = `${write(length)} of ${write(longest)} characters`;
    line.classList.toggle("over", length > longest);
    area.setAttribute("aria-invalid", String(length > longest));
  };
  area.addEventListener("input", count);
  if (area.value) count();
}

const numbers = [...document.querySelectorAll(".slider input[type=number]")];
const guess = document.getElementById("guess");
const unmarked = document.getElementById("suggestion")?.textContent;
const suggesting = numbers.length > 2 ? "Your marks suggest" : "Your mark suggests"; // the guess is one of them

function suggestion() {
  const marks = numbers.filter((box) => box.name.startsWith("slider") && box.value !== "").map((box) => box.valueAsNumber);
  const valid = marks.filter((mark) => mark >= 0 && mark <= 100);
  return valid.length ? Math.round(valid.reduce((sum, mark) => sum + mark, 0) / valid.length) : null;
}

function suggest() {
  const line = document.getElementById("suggestion");
  const value = suggestion();
  if (value === null) {
    line.textContent = unmarked;
  } else if (guess.value !== "" && guess.valueAsNumber === value) {
    line.textContent = `${suggesting} ${value}.`;
  } else {
    const take = document.createElement("button");
    take.type = "button";
    take.className = "second";
    take.textContent = `Take ${value}`;
    take.addEventListener("click", () => {
      guess.value = String(value);
      guess.dispatchEvent(new Event("input", { bubbles: true }));
      guess.focus();
    });
    line.replaceChildren(`${suggesting} ${value}. `, take);
  }
}

for (const box of numbers) {
  const range = document.createElement("input");
  range.type = "range";
  range.min = box.min;
  range.max = box.max;
  range.setAttribute("aria-label", document.querySelector(`label[for=${box.id}]`).firstChild.textContent.trim());
  const follow = () => {
    range.classList.toggle("untouched", box.value === "");
    range.value = box.value === "" ? String((Number(box.min) + Number(box.max)) / 2) : box.value;
    range.setAttribute("aria-valuetext", box.value === "" ? "not set" : range.value);
  };
  const set = () => {
    box.value = range.value;
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };
  range.addEventListener("input", set);
  range.addEventListener("pointerup", set); // a tap on the middle moves nothing, and yet is meant
  box.addEventListener("input", () => { follow(); suggest(); });
  box.addEventListener("keydown", (event) => { if (event.key === "Enter" && box !== guess) event.preventDefault(); }); // not yet
  const row = document.createElement("div");
  row.className = "row";
  box.before(row);
  row.append(range, box);
  follow();
}
if (guess) suggest();

const draftForm = document.querySelector("form[data-draft]");
let unsaved = false;
if (draftForm) {
  const KEPT_ALIVE = 60000; // bytes that a browser still sends while a page goes
  const line = draftForm.querySelector(".saved");
  const bodyOf = () => new URLSearchParams(new FormData(draftForm)).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  let timer = 0;
  let failed = false;
  let sending = false;
  const put = async (leaving) => { // what the site answers; null where it cannot be reached
    const body = bodyOf();
    clearTimeout(timer);
    unsaved = false;
    try {
      return await fetch(draftForm.dataset.draft, { method: "PUT", body, headers, keepalive: leaving && body.length < KEPT_ALIVE });
    } catch {
      unsaved = true;
      return null;
    }
  };
  const save = async (leaving) => {
    clearTimeout(timer);
    if (!unsaved) return;
    const answer = await put(leaving);
    failed = !answer?.ok;
    if (answer?.status === 204) line.textContent = "Draft saved.";
    else if (answer?.status === 200 || answer?.status === 409) line.textContent = (await answer.json()).say;
    else if (answer?.status === 403) line.textContent = "This page is out of date: nothing more is saved. Copy your text, and load the page again.";
    else line.textContent = "The draft could not be saved just now. What you typed is still here.";
    unsaved = unsaved || failed;
    if (answer?.ok) document.querySelector(".ready")?.remove(); // who writes is there
  };
  const send = async (button) => { // the draft goes first: where that cannot be sent, the page stays, and all that is typed
    const answer = await put(false);
    if (answer === null || answer.status >= 500 || answer.status === 429) {
      unsaved = failed = true;
      line.textContent = "Nothing could be sent just now. What you typed is still here: send it again in a moment.";
      return;
    }
    unsaved = failed = false;
    sending = true;
    draftForm.requestSubmit(button);
  };
  draftForm.addEventListener("input", () => {
    unsaved = true;
    clearTimeout(timer);
    timer = setTimeout(save, QUIET_MS, false);
  });
  draftForm.addEventListener("submit", (event) => {
    if (sending) return;
    event.preventDefault();
    send(event.submitter);
  });
  document.addEventListener("visibilitychange", () => { if (document.hidden) save(true); });
  window.addEventListener("pagehide", () => save(true));
  window.addEventListener("pageshow", () => { sending = false; });
  window.addEventListener("beforeunload", (event) => {
    if (unsaved && (failed || bodyOf().length >= KEPT_ALIVE)) event.preventDefault(); // else the text would be lost
  });
}

const left = document.querySelector("[data-until]");
if (left) {
  const end = performance.now() + 1000 * (Number(left.dataset.until) - Number(left.dataset.now)); // by the site's own clock
  const timer = setInterval(() => {
    const seconds = Math.max(0, Math.round((end - performance.now()) / 1000));
    left.textContent = seconds === 1 ? "1 second" : `${seconds} seconds`;
    if (seconds === 0) clearInterval(timer);
  }, 1000);
}

const ready = document.querySelector(".ready form");
ready?.addEventListener("submit", async (event) => { // without leaving what is being written
  event.preventDefault();
  try {
    const answer = await fetch(ready.action, { method: "POST", body: new URLSearchParams(new FormData(ready)) });
    if (!answer.ok) throw new Error(String(answer.status));
    ready.closest(".ready").remove();
  } catch {
    ready.submit();
  }
});

const problem = document.getElementById("problem");
if (problem) problem.focus();

if (document.body.dataset.changes !== undefined) {
  let known = Number(document.body.dataset.changes);
  const fresh = document.querySelector("main[data-fresh]") !== null;
  const follows = document.querySelector("main[data-follow]") !== null;
  let source = null;
  let timer = 0;
  const signalled = () => {
    try {
      return ["luna-sound", "luna-notice"].some((name) => window.localStorage.getItem(name) === "on");
    } catch {
      return false;
    }
  };
  const reload = () => window.location.replace(window.location.pathname);
  const heard = async (number) => {
    if (!(number > known)) return;
    known = number;
    const told = document.hidden && (await window.lunaSignal?.());
    if (fresh) {
      if (told && document.hidden) document.addEventListener("visibilitychange", reload, { once: true }); // a notification goes with its page
      else reload();
      return;
    }
    if (follows) follow();
    else tell();
  };
  const tell = (words = "Something has happened in one of your games: ", address = "/home", name = "Your games") => {
    const news = document.getElementById("news");
    const link = document.createElement("a");
    link.href = address;
    link.textContent = name;
    news.replaceChildren(words, link);
    news.hidden = false;
  };
  const follow = async () => { // go where this game has gone, and disturb nobody who writes while it goes on
    try {
      const answer = await fetch(window.location.pathname);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (answer.redirected || page.querySelector("main[data-ended]")) {
        unsaved = false;
        const typed = [...(draftForm?.querySelectorAll("textarea[name]") ?? [])].some((area) => area.value.trim());
        if (typed) tell("This game has ended. What you typed is still here, to copy. ", answer.url, "Go on");
        else window.location.replace(answer.url);
        return;
      }
      const [old, other] = [document.getElementById("other"), page.getElementById("other")];
      if (old && other && old.textContent.trim() !== other.textContent.trim()) {
        old.replaceChildren(...other.childNodes);
        return;
      }
    } catch { /* the news itself is told */ }
    tell();
  };
  const ask = async () => {
    try {
      const answer = await fetch("/events/now");
      if (answer.ok) heard((await answer.json()).changes ?? 0);
    } catch { /* the next try may go better */ }
  };
  const listen = () => {
    source = new EventSource(`/events?after=${known}`);
    source.addEventListener("changes", (event) => heard(Number(event.data)));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED && !timer) timer = setInterval(ask, ASK_EVERY_MS);
    });
  };
  const rest = () => {
    source?.close();
    clearInterval(timer);
    timer = 0;
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && signalled()) return;
    rest();
    if (!document.hidden) { ask(); listen(); }
  });
  window.addEventListener("pagehide", rest);
  window.addEventListener("pageshow", (event) => { if (event.persisted) { ask(); listen(); } });
  if (!document.hidden || signalled()) listen();
}
