// Makes pages that work without it more pleasant: a slider beside the number, forms that are not sent twice.
"use strict";

const box = document.getElementById("belief");
if (box) {
  const range = document.createElement("input");
  range.type = "range";
  range.min = "0";
  range.max = "100";
  range.setAttribute("aria-labelledby", "belief-label");
  range.setAttribute("aria-describedby", "belief-hint");
  const said = document.createElement("p");
  said.className = "quiet said";
  said.setAttribute("role", "status");
  const earlier = box.dataset.earlier === undefined ? null : Number(box.dataset.earlier);
  const compare = () => {
    if (earlier === null || box.value === "" || !box.validity.valid) return "";
    const more = box.valueAsNumber - earlier;
    if (more === 0) return "The same as before.";
    return `${Math.abs(more)} ${more > 0 ? "more" : "less"} than before.`;
  };
  const follow = () => {
    const none = box.value === "" || !box.validity.valid;
    range.classList.toggle("untouched", none); // no thumb: a place that nobody chose would be a hint
    range.value = none ? "50" : box.value;
    range.setAttribute("aria-valuetext", none ? "no number yet" : `${range.value} percent`);
    said.textContent = compare();
  };
  const set = () => {
    box.value = range.value;
    follow();
  };
  range.addEventListener("input", set);
  range.addEventListener("pointerup", set); // a tap on the middle moves nothing, and yet is meant
  box.addEventListener("input", follow);
  box.closest(".belief").querySelector(".ends").before(range);
  if (earlier !== null) box.closest(".percent").after(said);
  follow();
}

for (const form of document.querySelectorAll("form")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) sent = false; });
}

const problem = document.getElementById("problem");
if (problem) problem.focus();
