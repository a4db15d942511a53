"use strict";
// Gets the graph, and hands it to the script that draws it.
(() => {
  const canvas = document.getElementById("canvas");
  if (!canvas) return;
  const tell = (error) => {
    const said = `The graph could not be loaded: ${error.message}`;
    const empty = document.getElementById("empty");
    document.getElementById("status").textContent = empty.firstElementChild.textContent = said;
    empty.hidden = false;
  };
  fetch(canvas.dataset.src, { headers: { accept: "application/json" } })
    .then((answer) => { if (!answer.ok) throw new Error(answer.statusText || String(answer.status)); return answer.json(); })
    .then((graph) => document.dispatchEvent(new CustomEvent("lerim:graph", { detail: graph })))
    .catch(tell);
})();
