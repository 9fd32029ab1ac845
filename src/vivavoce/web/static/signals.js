// Tells by a sound or a notification that it is the player's turn while the page is in the background, if asked for.
"use strict";

const SWITCHES = ["sound", "notice"];
const SOUND_MS = 450;

const isOn = (name) => {
  try { return window.localStorage.getItem(`luna-${name}`) === "on"; } catch { return false; }
};
const keep = (name, on) => {
  try {
    if (on) window.localStorage.setItem(`luna-${name}`, "on");
    else window.localStorage.removeItem(`luna-${name}`);
  } catch { /* then it is off again on the next page */ }
};

let audio = null;
const wake = () => { // browsers allow sound only after a touch or click
  audio ??= new window.AudioContext();
  return audio.resume();
};
const tone = () => {
  wake().catch(() => {});
  const now = audio.currentTime;
  for (const [start, pitch] of [[0, 660], [0.16, 880]]) {
    const swing = new OscillatorNode(audio, { frequency: pitch });
    const loud = new GainNode(audio, { gain: 0 });
    loud.gain.setValueAtTime(0.12, now + start);
    loud.gain.exponentialRampToValueAtTime(0.001, now + start + 0.22);
    swing.connect(loud).connect(audio.destination);
    swing.start(now + start);
    swing.stop(now + start + 0.24);
  }
};
const notify = (words) => {
  try {
    const notice = new window.Notification("Luna", { body: words, tag: "luna" });
    notice.addEventListener("click", () => { window.focus(); notice.close(); });
  } catch { /* some phones have none for pages */ }
};

const look = async () => { // the games that await the player, by phase
  try {
    const answer = await fetch("/events/turns");
    return answer.ok ? (await answer.json()).turns : null;
  } catch {
    return null;
  }
};
let before = SWITCHES.some(isOn) ? look() : Promise.resolve(null);
document.addEventListener("visibilitychange", () => {
  if (document.hidden && SWITCHES.some(isOn)) before = look();
});

// What site.js calls when something has changed while the page is in the background; whether anybody was told.
window.lunaSignal = async () => {
  if (!SWITCHES.some(isOn)) return false;
  const known = await before;
  const turns = await look();
  if (known === null || turns === null) return false;
  before = Promise.resolve(turns);
  const fresh = Object.keys(turns).filter((game) => turns[game] !== known[game]);
  if (!fresh.length) return false;
  const words = fresh.some((game) => turns[game] === "interview") ? "A game has started." : "It is your turn.";
  document.title = `${words} Luna`;
  if (isOn("sound")) {
    tone();
    await new Promise((done) => { window.setTimeout(done, SOUND_MS); });
  }
  if (isOn("notice")) notify(words);
  return true;
};

if (isOn("sound")) {
  for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, () => { wake().catch(() => {}); }, { once: true });
}

for (const section of document.querySelectorAll("[data-signals]")) {
  const said = document.getElementById("signal-said");
  section.hidden = false;
  for (const name of SWITCHES) {
    const box = document.getElementById(`signal-${name}`);
    box.checked = isOn(name);
    box.addEventListener("change", async () => {
      said.textContent = "";
      if (box.checked && name === "notice") {
        const allowed = "Notification" in window ? await window.Notification.requestPermission() : "absent";
        if (allowed !== "granted") {
          box.checked = false;
          said.textContent = "This browser does not allow notifications of this site.";
        }
      }
      if (box.checked && name === "sound") tone();
      keep(name, box.checked);
      if (SWITCHES.some(isOn)) before = look();
    });
  }
}
