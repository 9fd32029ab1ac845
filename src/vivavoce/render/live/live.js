// Renews the page every two seconds; without this script a reload does.
(() => {
  const main = document.getElementById("live");
  const away = document.getElementById("away");
  const opened = () => [...main.querySelectorAll("details")].map((fold) => fold.open);
  let shown = "";
  const renew = async () => {
    try {
      const answer = await fetch("now");
      if (!answer.ok) throw new Error(answer.statusText);
      const text = await answer.text();
      away.hidden = true;
      if (text !== shown) {
        const open = opened();
        main.innerHTML = text;
        main.querySelectorAll("details").forEach((fold, number) => { fold.open = open[number] ?? fold.open; });
        shown = text;
      }
      if (answer.headers.has("X-Ended")) return;
    } catch {
      away.hidden = false;
    }
    setTimeout(renew, 2000);
  };
  setTimeout(renew, 2000);
})();
