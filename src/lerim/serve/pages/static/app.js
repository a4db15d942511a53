"use strict";
// What all pages share: keys, copying, and menus that close. Every page works without it.
(() => {
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

  // Keys: `/` to search, `g` and a letter to go to a page, `?` for help.
  let isGoing = 0;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (Date.now() < isGoing) {
      isGoing = 0;
      const page = $$("[data-key]").find((link) => link.dataset.key === event.key);
      if (page) { event.preventDefault(); event.stopImmediatePropagation(); page.click(); return; }
    }
    if (event.key === "/") { event.preventDefault(); const box = $("#search") || $("#find"); box.focus(); box.select(); }
    else if (event.key === "g") { isGoing = Date.now() + 1500; event.stopImmediatePropagation(); }
    else if (event.key === "?") { event.preventDefault(); $("#keys").showModal(); }
    else press(event);
  });

  // What else a page offers by a key, it says itself. A second key before the next page is there is meant for that one.
  let isLeaving = false;
  function press(event) {
    const meant = (one) => one.dataset.hotkey.split(" ").includes(event.key);
    const button = event.repeat || event.target.closest("dialog") ? null : $$("[data-hotkey]").find(meant);
    if (!button || isLeaving) return;
    event.preventDefault();
    isLeaving = button.type !== "button";
    button.click();
  }
  window.addEventListener("pageshow", () => { isLeaving = false; });
  for (const opener of $$("[data-opens]")) {
    opener.hidden = false;
    opener.addEventListener("click", () => $("#" + opener.dataset.opens).showModal());
  }

  // Menus close when somebody looks elsewhere; a question that opens takes the focus.
  function closeMenus(but) {
    for (const menu of $$("details.menu[open], details.confirm[open]")) {
      if (but && menu.contains(but)) continue;
      const held = menu.contains(document.activeElement);
      menu.open = false;
      if (held && !but) $("summary", menu).focus();
    }
  }
  document.addEventListener("click", (event) => closeMenus(event.target));

  // Commands are there to be typed somewhere else.
  function offerCopies(from) {
    if (!navigator.clipboard) return;
    for (const one of $$(".command:not([data-copies])", from)) {
      one.dataset.copies = "";
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy " + $("code", one).textContent);
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText($("code", one).textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1600);
      });
      one.append(button);
    }
  }
  offerCopies(document);
  document.addEventListener("lerim:shown", (event) => offerCopies(event.target));

  // How far a sync has come, whoever started it. Only a page that somebody looks at listens.
  const live = $("#live");
  let source = null, wasBusy = false, before = null;
  function tell(progress) {
    const at = progress.working, waiting = progress.sessions.pending || 0, read = progress.sessions.done || 0;
    // One that took less than a second was seen by nobody, but what it read is counted.
    wasBusy = wasBusy || at.length > 0 || (before !== null && read > before);
    before = read;
    if (at.length) {
      const first = at[0].title || at[0].name;
      live.textContent = "Reading " + (at.length > 1 ? at.length + " sessions" : "a session") + ": " + first + (waiting ? " · " + waiting + " more wait" : "");
    } else if (wasBusy) {
      const link = document.createElement("a");
      link.href = location.pathname + location.search;
      link.textContent = "Show what is new";
      live.replaceChildren("Sessions were read. ", link);
    }
    live.classList.toggle("busy", at.length > 0);
    live.hidden = !wasBusy;
  }
  function listen() {
    if (source || document.hidden || !live) return;
    source = new EventSource(live.dataset.events);
    source.addEventListener("progress", (event) => tell(JSON.parse(event.data)));
  }
  function stop() {
    if (source) source.close();
    source = null;
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()));
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", listen);

  // The page one is on stays in sight where the menu is wider than the screen.
  const here = $(".tabs a[aria-current]");
  if (here) { const bar = here.closest(".tabs"); bar.scrollLeft = here.offsetLeft - bar.clientWidth / 3; }
})();
