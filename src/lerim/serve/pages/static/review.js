"use strict";
// One key for each decision. The buttons do the same without script.
(() => {
  const edits = document.querySelector("details.edits"), editor = document.querySelector("[data-edits]");
  const SAME = { j: "s", A: "a", R: "r", S: "s", E: "e", U: "u" };
  let isDone = false;

  function edit() {
    edits.hidden = false;
    edits.open = true;
    const title = edits.querySelector("input[name=title]");
    title.focus();
    title.setSelectionRange(title.value.length, title.value.length);
  }
  if (editor && edits) {
    editor.hidden = false;
    edits.hidden = !edits.open;
    editor.addEventListener("click", edit);
  }

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.key === "Escape" && edits && edits.contains(at)) { edits.open = false; edits.hidden = Boolean(editor); document.getElementById("candidate").focus(); return; }
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (at.closest("input, textarea, select, dialog, [contenteditable]")) return;
    const key = SAME[event.key] || event.key;
    const button = [...document.querySelectorAll("[data-hotkey]")].find((one) => one.dataset.hotkey === key);
    // A decision leads to another page: a second key before that is meant for the next candidate.
    if (!button || isDone) return;
    event.preventDefault();
    isDone = key !== "e";
    button.click();
  });
  window.addEventListener("pageshow", () => { isDone = false; });

  // After a decision the next candidate is what is read out.
  if (document.querySelector(".flash")) document.getElementById("candidate")?.focus({ preventScroll: true });
})();
