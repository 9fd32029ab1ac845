// Turns the cards of a finished game one by one, and puts an example question into an empty box.
"use strict";

const TURN_EVERY_MS = 1100;

const faces = document.querySelector("[data-reveal]");
if (faces) {
  const key = `luna-turned-${faces.dataset.reveal}`;
  const all = document.getElementById("turn-all");
  const down = [...faces.querySelectorAll(".card")];
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  let before = null;
  try { before = window.sessionStorage.getItem(key); } catch { /* then they are turned again */ }
  const next = () => {
    const card = down.shift();
    if (!card) return;
    card.classList.remove("down");
    card.classList.add("turning");
    if (card.getBoundingClientRect().bottom > window.innerHeight) card.scrollIntoView({ block: "nearest", behavior: "smooth" });
    if (down.length) window.setTimeout(next, TURN_EVERY_MS);
    else done();
  };
  const done = () => {
    for (const card of down.splice(0)) card.classList.remove("down");
    if (document.activeElement === all) faces.closest("main").focus();
    all.hidden = true;
    try { window.sessionStorage.setItem(key, "1"); } catch { /* as above */ }
  };
  if (!still && !before) {
    for (const card of down) card.classList.add("down");
    all.hidden = false;
    all.addEventListener("click", done);
    window.setTimeout(next, TURN_EVERY_MS / 2);
  }
}

for (const item of document.querySelectorAll("[data-examples] li")) {
  const text = item.textContent.trim();
  const use = document.createElement("button");
  use.type = "button";
  use.className = "example";
  use.textContent = text;
  use.addEventListener("click", () => {
    const box = [...document.querySelectorAll("form[data-draft] textarea[name]")].find((one) => !one.value.trim());
    const said = document.getElementById("example-said");
    if (!box) {
      said.textContent = "All boxes are filled. Empty one first.";
      return;
    }
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
    said.textContent = "";
  });
  item.replaceChildren(use);
}
