// Without this script everything works as well: it adds letters as keys, and keeps what was typed when the page is loaded anew.
(() => {
  const form = document.getElementById("answer");
  if (!form) return;
  const typed = document.getElementById("typed");
  const key = `${location.pathname} ${form.dataset.number}`;
  if (typed) {
    typed.value ||= sessionStorage.getItem(key) ?? "";
    typed.addEventListener("input", () => sessionStorage.setItem(key, typed.value));
  }
  form.addEventListener("submit", () => sessionStorage.removeItem(key));
  document.addEventListener("keydown", (event) => {
    if (typed || event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    const option = [...form.querySelectorAll("[type=radio]")].find((one) => one.value === event.key.toUpperCase());
    if (!option) return;
    option.checked = true;
    option.focus();
  });
})();
