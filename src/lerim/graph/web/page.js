"use strict";
// Explores a graph: alone on a page that has all of it, or as part of a page that hands it over.
(() => {
const $ = id => document.getElementById(id);
const canvas = $("canvas"), told = canvas.dataset, isPart = "src" in told;
const start = data => {
const make = (tag, className, text) => { const e = document.createElement(tag); if (className) e.className = className; if (text !== undefined) e.textContent = text; return e; };
const KINDS = {
  contradicts: ["contradicts", "is contradicted by"], supersedes: ["replaced", "was replaced by"], supports: ["supports", "is supported by"],
  refines: ["refines", "is refined by"], depends_on: ["depends on", "is needed by"], evidence_for: ["is evidence for", "rests on"],
  same_topic: ["same topic", "same topic"], related: ["related", "related"],
};
const HUES = { contradicts: 4, supersedes: 28, supports: 150, refines: 190, depends_on: 265, evidence_for: 220, same_topic: -1, related: -1 };
const DASHED = new Set(["related", "supersedes"]);
const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// --- what there is
const clusters = data.clusters.map((c, at) => ({ ...c, hue: (at * 137.508) % 360, size: c.size ?? c.members.length }));
const clusterOf = new Map(clusters.map(c => [c.id, c]));
const nodes = data.nodes.map(n => ({ ...n, group: clusterOf.get(n.cluster) || null, near: [], x: 0, y: 0, vx: 0, vy: 0, r: 4, shown: true, held: false, began: (n.from || n.said || "").slice(0, 10) }));
const byId = new Map(nodes.map(n => [n.id, n]));
const edges = data.edges.map(e => ({ ...e, a: byId.get(e.source), b: byId.get(e.target) })).filter(e => e.a && e.b);
for (const e of edges) { e.a.near.push(e); e.b.near.push(e); }
for (const n of nodes) { n.r = 4 + 2.1 * Math.sqrt(n.near.length); n.words = (n.title + " " + n.body + " " + n.tags.join(" ") + " " + n.id).toLowerCase(); n.near.sort((p, q) => q.confidence - p.confidence); }
const loose = nodes.filter(n => !n.near.length).length;
const state = { off: new Set(), offTypes: new Set(), cluster: null, query: "", loose: loose <= 60, chosen: null, over: null, day: "" };
// At a day of the past, what was said by then and not replaced yet is what holds.
const isThere = n => !state.day || (n.began <= state.day && !(n.until && n.until.slice(0, 10) <= state.day));
const isOver = n => n.status !== "active" && !state.day;
const typeOf = n => n.status === "active" ? (n.kind || n.primitive) : "replaced";
const colorOf = n => !n.group ? (isDark() ? "#7c818c" : "#9a9da5") : `hsl(${n.group.hue} ${isDark() ? "58% 64%" : "56% 47%"})`;
const strokeOf = kind => HUES[kind] < 0 ? css("--link") : `hsl(${HUES[kind]} ${isDark() ? "70% 66%" : "62% 45%"})`;

// --- where things lie: springs along links, pushing apart through a quadtree, a pull to each cluster's own middle
const golden = Math.PI * (3 - Math.sqrt(5));
const order = [...nodes].sort((p, q) => (q.group ? q.group.size : 0) - (p.group ? p.group.size : 0) || (p.cluster || "~").localeCompare(q.cluster || "~") || p.id.localeCompare(q.id));
order.forEach((n, at) => { const far = 16 * Math.sqrt(at + 1) * (n.near.length ? 1 : 1.25), turn = at * golden * .12 + at * .02; n.x = far * Math.cos(turn * 9); n.y = far * Math.sin(turn * 9); });
let heat = 1, visible = nodes, drawn = edges;
const square = (list) => { let l = Infinity, r = -Infinity, t = Infinity, b = -Infinity; for (const n of list) { l = Math.min(l, n.x); r = Math.max(r, n.x); t = Math.min(t, n.y); b = Math.max(b, n.y); } return { l, t, size: Math.max(r - l, b - t, 1) + 1, r, b }; };
function tree(list) {
  const box = square(list), root = { x: box.l, y: box.t, s: box.size, m: 0, cx: 0, cy: 0, kids: null, n: null };
  for (const n of list) put(root, n, 0);
  return root;
}
function put(cell, n, depth) {
  for (;;) {
    cell.cx = (cell.cx * cell.m + n.x) / (cell.m + 1); cell.cy = (cell.cy * cell.m + n.y) / (cell.m + 1); cell.m++;
    if (cell.m === 1) { cell.n = n; return; }
    if (depth > 22) return;
    if (!cell.kids) { cell.kids = []; const old = cell.n; cell.n = null; if (old) sub(cell, old, depth); }
    const next = at(cell, n); if (!next.m) { next.m = 1; next.cx = n.x; next.cy = n.y; next.n = n; return; }
    cell = next; depth++;
  }
}
function at(cell, n) { const h = cell.s / 2, i = (n.x >= cell.x + h ? 1 : 0) + (n.y >= cell.y + h ? 2 : 0); return cell.kids[i] || (cell.kids[i] = { x: cell.x + (i & 1 ? h : 0), y: cell.y + (i & 2 ? h : 0), s: h, m: 0, cx: 0, cy: 0, kids: null, n: null }); }
function sub(cell, n, depth) { const k = at(cell, n); if (!k.m) { k.m = 1; k.cx = n.x; k.cy = n.y; k.n = n; } else put(k, n, depth + 1); }
function push(root, n) {
  const stack = [root];
  while (stack.length) {
    const c = stack.pop(); if (!c || !c.m || c.n === n) continue;
    let dx = n.x - c.cx, dy = n.y - c.cy, d = dx * dx + dy * dy;
    if (c.kids && c.s * c.s > .8 * d) { for (const k of c.kids) if (k) stack.push(k); continue; }
    if (d < 1) { dx = (n.id < (c.n ? c.n.id : "") ? 1 : -1) * .5; dy = .3; d = 1; }
    if (d < 250000) { const f = 190 * c.m * heat / d; n.vx += dx * f; n.vy += dy * f; }
  }
}
function tick() {
  const root = tree(visible), middle = new Map();
  for (const n of visible) {
    push(root, n);
    const pull = (n.near.length ? .014 : .022) * heat; n.vx -= n.x * pull; n.vy -= n.y * pull;
    if (n.group) { const m = middle.get(n.group) || [0, 0, 0]; m[0] += n.x; m[1] += n.y; m[2]++; middle.set(n.group, m); }
  }
  for (const e of drawn) {
    const dx = e.b.x - e.a.x, dy = e.b.y - e.a.y, d = Math.hypot(dx, dy) || 1, same = e.a.group && e.a.group === e.b.group;
    const f = (d - (same ? 42 : 80)) / d * (same ? .16 : .05) * heat, share = e.b.near.length / (e.a.near.length + e.b.near.length);
    e.a.vx += dx * f * share * 2; e.a.vy += dy * f * share * 2; e.b.vx -= dx * f * (1 - share) * 2; e.b.vy -= dy * f * (1 - share) * 2;
  }
  for (const n of visible) {
    if (n.group) { const m = middle.get(n.group); n.vx += (m[0] / m[2] - n.x) * .035 * heat; n.vy += (m[1] / m[2] - n.y) * .035 * heat; }
    if (n.held) { n.vx = n.vy = 0; continue; }
    const speed = Math.hypot(n.vx, n.vy), most = 34; if (speed > most) { n.vx *= most / speed; n.vy *= most / speed; }
    n.x += n.vx; n.y += n.vy; n.vx *= .62; n.vy *= .62;
  }
  heat *= .988;
}

// --- what is shown
function choose() {
  const query = state.query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  for (const n of nodes) {
    n.hit = query.length > 0 && query.every(w => n.words.includes(w));
    n.shown = isThere(n) && (!state.offTypes.has(typeOf(n)) || (state.day && typeOf(n) === "replaced")) && (state.loose || n.near.length > 0 || n.hit || n === state.chosen) && (!state.cluster || n.cluster === state.cluster || n === state.chosen);
  }
  drawn = edges.filter(e => e.a.shown && e.b.shown && !state.off.has(e.kind));
  visible = nodes.filter(n => n.shown);
  $("empty").hidden = visible.length > 0;
  paint();
}

// --- drawing
const pen = canvas.getContext("2d");
let view = { x: 0, y: 0, k: 1 }, width = 0, height = 0, waiting = false, colors = {};
function fitCanvas() { const ratio = Math.min(devicePixelRatio || 1, 2); width = canvas.clientWidth; height = canvas.clientHeight; canvas.width = width * ratio; canvas.height = height * ratio; pen.setTransform(ratio, 0, 0, ratio, 0, 0); paint(); }
function readColors() { colors = { ink: css("--ink"), dim: css("--dim"), halo: css("--halo"), bg: css("--bg"), accent: css("--accent"), kinds: Object.fromEntries(Object.keys(KINDS).map(k => [k, strokeOf(k)])), nodes: new Map() }; for (const n of nodes) if (!colors.nodes.has(n.cluster)) colors.nodes.set(n.cluster, colorOf(n)); }
function paint() { if (!waiting) { waiting = true; requestAnimationFrame(draw); } }
const room = () => isPart ? { l: 12, r: 12, t: 12, b: 12 } : width > 820 ? { l: 318, r: $("detail").hidden ? 14 : 378, t: 14, b: 14 } : { l: 8, r: 8, t: height * .4, b: $("detail").hidden ? 8 : height * .46 };
const toX = n => n.x * view.k + view.x, toY = n => n.y * view.k + view.y;
function draw() {
  waiting = false;
  if (heat > .015 && visible.length) { const until = performance.now() + 11; do tick(); while (heat > .015 && performance.now() < until); if (fitting) fit(false); }
  pen.clearRect(0, 0, width, height);
  const chosen = state.chosen, over = state.over, focus = over || chosen, near = new Set(focus ? [focus, ...focus.near.map(e => e.a === focus ? e.b : e.a)] : []);
  const asked = state.query.trim() !== "";
  pen.lineCap = "round";
  for (const e of drawn) {
    const strong = focus && (e.a === focus || e.b === focus);
    pen.globalAlpha = strong ? .95 : (focus || asked ? .12 : .4 + .5 * e.confidence);
    pen.strokeStyle = colors.kinds[e.kind]; pen.lineWidth = (strong ? 2 : .6 + 1.2 * e.confidence) * Math.min(1.4, Math.max(.6, view.k));
    pen.setLineDash(DASHED.has(e.kind) ? [4, 4] : []);
    pen.beginPath(); pen.moveTo(toX(e.a), toY(e.a)); pen.lineTo(toX(e.b), toY(e.b)); pen.stroke();
  }
  pen.setLineDash([]);
  const scale = Math.max(.45, Math.min(1.6, Math.sqrt(view.k)));
  for (const n of visible) {
    const x = toX(n), y = toY(n); if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    pen.globalAlpha = (focus && !near.has(n)) || (asked && !n.hit && n !== focus) ? .16 : 1;
    pen.fillStyle = colors.nodes.get(n.cluster); shape(n, x, y, n.r * scale); pen.fill();
    if (isOver(n)) { pen.fillStyle = colors.bg; shape(n, x, y, n.r * scale * .6); pen.fill(); }
    if (n === chosen || n === over || (asked && n.hit)) { pen.lineWidth = 2; pen.strokeStyle = n === chosen ? colors.accent : colors.ink; pen.globalAlpha = 1; shape(n, x, y, n.r * scale + 3.5); pen.stroke(); }
  }
  label(focus, near, asked, scale);
  if (heat > .015 && visible.length) paint();
}
function shape(n, x, y, r) {
  pen.beginPath();
  if (n.primitive === "summary") pen.rect(x - r * .9, y - r * .9, r * 1.8, r * 1.8);
  else if (n.primitive === "decision") { pen.moveTo(x, y - r * 1.25); pen.lineTo(x + r * 1.25, y); pen.lineTo(x, y + r * 1.25); pen.lineTo(x - r * 1.25, y); pen.closePath(); }
  else pen.arc(x, y, r, 0, 7);
}
function label(focus, near, asked, scale) {
  const taken = [], fits = (x, y, w, h) => { const box = [x - w / 2 - 3, y - h, x + w / 2 + 3, y + 3]; if (taken.some(o => o[0] < box[2] && box[0] < o[2] && o[1] < box[3] && box[1] < o[3])) return false; taken.push(box); return true; };
  const write = (text, x, y, size, color, weight) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`; pen.textAlign = "center"; pen.lineJoin = "round";
    const w = pen.measureText(text).width; if (x < -w || x > width + w || y < 0 || y > height + 20 || !fits(x, y, w, size)) return;
    pen.lineWidth = 4; pen.strokeStyle = colors.halo; pen.strokeText(text, x, y); pen.fillStyle = color; pen.fillText(text, x, y);
  };
  const short = (t, most) => t.length > most ? t.slice(0, most - 1) + "…" : t;
  pen.globalAlpha = 1;
  if (focus) { write(short(focus.title, 60), toX(focus), toY(focus) - focus.r * scale - 9, 13, colors.ink, 600); }
  if (focus || asked) { for (const n of visible) if (n !== focus && (asked ? n.hit : near.has(n))) write(short(n.title, 44), toX(n), toY(n) - n.r * scale - 7, 11.5, colors.ink, 400); }
  if (!focus && !asked) {
    const spots = new Map();
    for (const n of visible) if (n.group) { const s = spots.get(n.group) || [0, Infinity, 0]; s[0] += n.x; s[1] = Math.min(s[1], n.y - n.r); s[2]++; spots.set(n.group, s); }
    for (const [g, s] of [...spots].sort((p, q) => q[1][2] - p[1][2])) { pen.globalAlpha = .92; write(short(g.label, 34), s[0] / s[2] * view.k + view.x, s[1] * view.k + view.y - 8, Math.min(14, 10.5 + Math.sqrt(s[2])), colors.ink, 600); }
    pen.globalAlpha = .85;
    if (view.k > 1.5) for (const n of [...visible].sort((p, q) => q.r - p.r)) write(short(n.title, 38), toX(n), toY(n) - n.r * scale - 6, 11, colors.dim, 400);
  }
  pen.globalAlpha = 1;
}

// --- moving about
let fitting = true;
function fit(now = true) {
  const list = visible.filter(n => n.near.length || state.loose || n === state.chosen); if (!list.length) return;
  const box = square(list), r = room(), w = Math.max(width - r.l - r.r, 120), h = Math.max(height - r.t - r.b, 120);
  const k = Math.min(w / (box.r - box.l + 90), h / (box.b - box.t + 90), 2.2);
  view = { k, x: r.l + w / 2 - (box.l + box.r) / 2 * k, y: r.t + h / 2 - (box.t + box.b) / 2 * k };
  if (now) { fitting = heat > .1; paint(); }
}
function lookAt(n, k = Math.max(view.k, 1.6)) { const r = room(); fitting = false; view = { k, x: r.l + (width - r.l - r.r) / 2 - n.x * k, y: r.t + (height - r.t - r.b) / 2 - n.y * k }; paint(); }
function zoom(by, x = width / 2, y = height / 2) { fitting = false; const k = Math.max(.05, Math.min(6, view.k * by)), f = k / view.k; view = { k, x: x - (x - view.x) * f, y: y - (y - view.y) * f }; paint(); }
function under(x, y) { let best = null, least = 14 * 14; for (const n of visible) { const d = (toX(n) - x) ** 2 + (toY(n) - y) ** 2 - (n.r * view.k) ** 2 * .2; if (d < least) { least = d; best = n; } } return best; }
const place = e => { const box = canvas.getBoundingClientRect(); return { x: e.clientX - box.left, y: e.clientY - box.top }; };
let held = null, from = null, moved = false, touches = new Map();
canvas.addEventListener("pointerdown", e => { const p = place(e); touches.set(e.pointerId, p); canvas.setPointerCapture(e.pointerId); moved = false; held = under(p.x, p.y); if (held) held.held = true; from = { ...p, vx: view.x, vy: view.y }; canvas.classList.add("holding"); });
canvas.addEventListener("pointermove", e => {
  const at = place(e);
  if (touches.size === 2 && touches.has(e.pointerId)) { const [p, q] = [...touches.values()], before = Math.hypot(p.x - q.x, p.y - q.y); touches.set(e.pointerId, at); const [s, t] = [...touches.values()]; zoom(Math.hypot(s.x - t.x, s.y - t.y) / (before || 1), (s.x + t.x) / 2, (s.y + t.y) / 2); moved = true; return; }
  if (!from) { const n = under(at.x, at.y); if (n !== state.over) { state.over = n; canvas.classList.toggle("over", !!n); paint(); } return; }
  touches.set(e.pointerId, at);
  if (Math.hypot(at.x - from.x, at.y - from.y) > 4) moved = true;
  if (!moved) return;
  if (held) { held.x = (at.x - view.x) / view.k; held.y = (at.y - view.y) / view.k; heat = Math.max(heat, .12); } else { fitting = false; view.x = from.vx + at.x - from.x; view.y = from.vy + at.y - from.y; }
  paint();
});
const release = e => { touches.delete(e.pointerId); if (held) held.held = false; if (from && !moved) { if (held) pick(held, false); else pick(null); } held = from = null; canvas.classList.remove("holding"); };
canvas.addEventListener("pointerup", release); canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => { if (state.over && !from) { state.over = null; paint(); } });
// On a page that scrolls, the wheel scrolls it until somebody has taken hold of the graph.
canvas.addEventListener("wheel", e => { if (isPart && !e.ctrlKey && document.activeElement !== canvas) return; e.preventDefault(); const p = place(e); zoom(Math.exp(-e.deltaY * (e.deltaMode ? .05 : .0016)), p.x, p.y); }, { passive: false });
canvas.addEventListener("dblclick", e => { const p = place(e), n = under(p.x, p.y); if (n) lookAt(n, 2); });

// --- the panels
function pick(n, move = true) {
  state.chosen = n; $("detail").hidden = !n; if (isPart) fitCanvas(); // What is told stands beside the drawing, and takes its room.
  if (n) { tell(n); history.replaceState(null, "", "#" + encodeURIComponent(n.id)); $("status").textContent = n.title; if (!n.shown) choose(); if (move) lookAt(n); } else history.replaceState(null, "", "#");
  paint();
}
function tell(n) {
  const when = n.said ? n.said.slice(0, 10) : "";
  $("meta").textContent = [typeOf(n) === "replaced" ? `${n.kind || n.primitive}, ${n.status}` : typeOf(n), when, n.scope, n.id].filter(Boolean).join(" · ");
  $("title").textContent = n.title; $("body").textContent = n.body;
  if (isPart) { $("open").href = told.memory + encodeURIComponent(n.id); $("around").href = "?around=" + encodeURIComponent(n.id) + "#" + encodeURIComponent(n.id); }
  const chips = []; if (n.group) { const c = make("button", "chip", n.group.label); c.title = "Only this cluster"; c.onclick = () => only(n.group.id); chips.push(c); }
  for (const t of n.tags.slice(0, 12)) chips.push(make("span", "chip dim", t));
  $("chips").replaceChildren(...chips);
  const parts = [];
  if (n.near.length) parts.push(make("h2", "", n.near.length === 1 ? "1 link" : `${n.near.length} links`));
  else parts.push(make("p", "dim", "Linked with nothing."));
  for (const e of n.near) {
    const other = e.a === n ? e.b : e.a, card = make("button", "card"), how = make("i", "", KINDS[e.kind][e.a === n ? 0 : 1]);
    how.style.color = HUES[e.kind] < 0 ? css("--dim") : strokeOf(e.kind);
    card.append(how, make("b", "", other.title), make("small", "", `${e.reason} · ${Math.round(e.confidence * 100)} %`)); card.onclick = () => { pick(other); const first = $("links").querySelector("button"); (first || $("close")).focus(); };
    parts.push(card);
  }
  $("links").replaceChildren(...parts); $("detail").querySelector(".scroll").scrollTop = 0;
}
function row(mark, name, count, pressed, act, className = "") {
  const item = make("li"), b = make("button", "row " + className); b.setAttribute("aria-pressed", pressed); if (mark) b.append(mark);
  const text = make("span", "name", name); text.title = name; b.append(text); if (count !== null) b.append(make("span", "count", count)); b.onclick = act; item.append(b); return item;
}
function dot(color) { const d = make("span", "dot"); d.style.background = color; return d; }
function stroke(kind) { const s = make("span", "stroke" + (DASHED.has(kind) ? " dashed" : "")); s.style.color = colors.kinds[kind]; return s; }
const flip = (set, what) => { set.has(what) ? set.delete(what) : set.add(what); };
function only(id) {
  const some = clusterOf.get(id), drawnOf = nodes.filter(n => n.cluster === id).length;
  if (isPart && state.cluster !== id && drawnOf < some.size && !told.selected) { location.search = "?cluster=" + encodeURIComponent(id); return; }
  state.cluster = state.cluster === id ? null : id; choose(); panels(); heat = Math.max(heat, .2); fit();
}
function panels() {
  const counts = {}, types = {};
  for (const e of edges) counts[e.kind] = (counts[e.kind] || 0) + 1;
  for (const n of nodes) types[typeOf(n)] = (types[typeOf(n)] || 0) + 1;
  keepFocus(() => {
    $("clusters").replaceChildren(...(clusters.length ? clusters.map(c => row(dot(colors.nodes.get(c.id)), c.label, c.size, state.cluster === c.id, () => only(c.id), "pick")) : [make("li", "dim", "None yet.")]));
    $("kinds").replaceChildren(...Object.keys(KINDS).filter(k => counts[k]).map(k => row(stroke(k), KINDS[k][0], counts[k], !state.off.has(k), () => { flip(state.off, k); choose(); panels(); })));
    $("primitives").replaceChildren(...Object.keys(types).sort().map(t => row(null, t, types[t], !state.offTypes.has(t), () => { flip(state.offTypes, t); choose(); panels(); })));
  });
  const active = nodes.filter(n => n.status === "active").length;
  if (!isPart) $("summary").textContent = `${active.toLocaleString("en")} ${active === 1 ? "memory" : "memories"}, ${edges.length.toLocaleString("en")} ${edges.length === 1 ? "link" : "links"}`;
  $("loose").textContent = loose ? (state.loose ? "Hide unlinked" : `+ ${loose.toLocaleString("en")} unlinked`) : ""; $("loose").hidden = !loose; $("loose").setAttribute("aria-pressed", state.loose);
}
function keepFocus(work) { const list = [...document.querySelectorAll("#side .row")], at = list.indexOf(document.activeElement); work(); if (at >= 0) { const now = document.querySelectorAll("#side .row"); (now[at] || now[now.length - 1] || $("search")).focus(); } }
function seek() {
  state.query = $("search").value; choose();
  const hits = nodes.filter(n => n.hit).sort((p, q) => q.title.toLowerCase().includes(state.query.trim().toLowerCase()) - p.title.toLowerCase().includes(state.query.trim().toLowerCase()) || q.near.length - p.near.length);
  $("results").hidden = !state.query.trim(); $("results-title").textContent = hits.length ? `${hits.length} found` : "Nothing found";
  const beyond = isPart && data.left_out > 0 && state.query.trim();
  if ($("everywhere")) { $("everywhere").hidden = !beyond; $("everywhere").href = "?q=" + encodeURIComponent(state.query.trim()); }
  $("found").replaceChildren(...hits.slice(0, 60).map(n => row(dot(colors.nodes.get(n.cluster)), n.title, n.near.length || null, false, () => pick(n), "pick")));
  $("status").textContent = $("results-title").textContent;
}
$("search").addEventListener("input", seek);
$("search").addEventListener("keydown", e => { if (e.key === "Enter" || e.key === "ArrowDown") { const first = $("found").querySelector("button"); if (first) { e.preventDefault(); e.key === "Enter" ? first.click() : first.focus(); } } });
$("side").addEventListener("keydown", e => { if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return; const list = [...document.querySelectorAll("#side .row")], at = list.indexOf(document.activeElement); if (at < 0) return; e.preventDefault(); const next = at + (e.key === "ArrowDown" ? 1 : -1); next < 0 ? $("search").focus() : (list[next] || list[at]).focus(); });
$("close").onclick = () => { pick(null); canvas.focus(); };
$("fit").onclick = () => { state.cluster = null; choose(); panels(); fit(); };
$("loose").onclick = () => { state.loose = !state.loose; choose(); panels(); heat = Math.max(heat, .5); fitting = true; fit(); };
if ($("theme")) $("theme").onclick = () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; recolor(); };
function recolor() { readColors(); panels(); seek(); if (state.chosen) tell(state.chosen); paint(); }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = document.activeElement === $("search");
  if (!typing && e.target.closest("input, textarea, select, dialog, details[open]")) return;
  if (e.key === "Escape") { if (typing && $("search").value) { $("search").value = ""; seek(); } else if (state.chosen) pick(null); else if (state.cluster) { state.cluster = null; choose(); panels(); fit(); } else canvas.focus(); return; }
  if (typing) return;
  if (e.key === "/" && !isPart) { e.preventDefault(); $("search").focus(); $("search").select(); }
  else if (isPart && !canvas.parentElement.contains(document.activeElement)) return;
  else if (e.key === "0") fit(); else if (e.key === "+" || e.key === "=") zoom(1.25); else if (e.key === "-") zoom(.8);
  else if (document.activeElement === canvas && e.key.startsWith("Arrow")) { e.preventDefault(); fitting = false; view.x += { ArrowLeft: 60, ArrowRight: -60 }[e.key] || 0; view.y += { ArrowUp: 60, ArrowDown: -60 }[e.key] || 0; paint(); }
});
addEventListener("resize", () => { fitCanvas(); if (fitting) fit(); });
addEventListener("hashchange", () => { const n = byId.get(decodeURIComponent(location.hash.slice(1))); if (n && n !== state.chosen) pick(n); });

// --- the past: what held on a day
const days = [...new Set(nodes.flatMap(n => [n.began, (n.until || "").slice(0, 10)]).filter(Boolean))].sort();
const slider = $("time");
function travel(at) {
  state.day = at >= days.length ? "" : days[at]; choose(); panels(); heat = Math.max(heat, .08);
  const said = state.day ? `${state.day}: ${visible.length.toLocaleString("en")} held then` : "now";
  $("when").textContent = said; slider.setAttribute("aria-valuetext", said);
}
if (slider) {
  slider.max = days.length; slider.value = days.length; slider.disabled = days.length < 2; $("when").textContent = "now";
  slider.addEventListener("input", () => { stop(); travel(+slider.value); });
  let playing = 0;
  const stop = () => { clearInterval(playing); playing = 0; $("play").textContent = "Play"; };
  $("play").disabled = slider.disabled;
  $("play").onclick = () => {
    if (playing) return stop();
    let at = +slider.value >= days.length ? 0 : +slider.value; $("play").textContent = "Pause";
    const step = Math.max(1, Math.round(days.length / 120));
    playing = setInterval(() => { slider.value = at; travel(at); if (at >= days.length) return stop(); at = Math.min(days.length, at + step); }, 120);
  };
}
for (const [id, by] of [["nearer", 1.3], ["farther", 1 / 1.3]]) if ($(id)) $(id).onclick = () => zoom(by);

readColors(); choose(); panels(); fitCanvas();
const began = performance.now(), still = matchMedia("(prefers-reduced-motion: reduce)").matches;
while (visible.length && heat > .015 && performance.now() - began < (still ? 6000 : 350)) tick();
fit();
const first = byId.get(decodeURIComponent(location.hash.slice(1))); if (first) pick(first);
document.documentElement.dataset.ready = "yes";
};
if (isPart) document.addEventListener("lerim:graph", e => start(e.detail), { once: true });
else start(JSON.parse($("data").textContent));
})();
