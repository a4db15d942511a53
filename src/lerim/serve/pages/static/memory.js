"use strict";
// Search as you type: the same page asked for its results alone. Without script the form does the same by its button.
(() => {
  const form = document.querySelector("[data-finder]"), results = document.querySelector("[data-results]");
  const found = document.getElementById("found");
  const WAIT = 180;
  let timer = 0, running = null;

  function address() {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value && !(name === "status" && value === "active")) asked.set(name, value);
    return asked;
  }

  async function look() {
    const asked = address(), shown = asked.toString();
    if (running) running.abort();
    running = new AbortController();
    asked.set("part", "results");
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action + "?" + asked, { signal: running.signal, credentials: "same-origin" });
      if (!answer.ok) { form.submit(); return; }
      results.innerHTML = await answer.text();
      results.removeAttribute("aria-busy");
      results.dispatchEvent(new CustomEvent("lerim:shown", { bubbles: true }));
      const said = results.querySelector("[data-said]");
      found.textContent = said ? said.dataset.said : "";
      history.replaceState(null, "", form.action + (shown ? "?" + shown : ""));
    } catch (error) {
      if (error.name !== "AbortError") { results.removeAttribute("aria-busy"); found.textContent = "The server does not answer."; }
    }
  }

  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    timer = setTimeout(look, event.target.matches("[type=search], [name=tag]") ? WAIT : 0);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); look(); });

  // Through the results by arrows, and back to the box.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const links = [...results.querySelectorAll("a.what")], at = links.indexOf(document.activeElement);
    const box = form.querySelector("[type=search]");
    if (at < 0 && document.activeElement !== box) return;
    const to = event.key === "ArrowDown" ? links[at + 1] : at > 0 ? links[at - 1] : box;
    if (to) { event.preventDefault(); to.focus(); }
  });

  // What came by a link from elsewhere is ready to be refined.
  const box = form.querySelector("[type=search]");
  if (box.value && document.activeElement === document.body) { box.focus(); box.setSelectionRange(box.value.length, box.value.length); }
})();
