"use strict";
// Editing before accepting. Keys are pressed by what all pages share, and the buttons do the same without script.
(() => {
  const edits = document.querySelector("details.edits"), editor = document.querySelector("[data-edits]");
  const candidate = document.getElementById("candidate");

  if (editor && edits) {
    editor.hidden = false;
    edits.hidden = !edits.open;
    editor.addEventListener("click", () => {
      edits.hidden = false;
      edits.open = true;
      const title = edits.querySelector("input[name=title]");
      title.focus();
      title.setSelectionRange(title.value.length, title.value.length);
    });
    edits.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      edits.open = false;
      edits.hidden = true;
      candidate.focus();
    });
  }

  // After a decision the next candidate is what is read out.
  if (candidate && document.querySelector(".flash")) candidate.focus({ preventScroll: true });
})();
