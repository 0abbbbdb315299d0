// The page: a spec, data, and what comes of them.
import { $, el, toast } from "./dom.js";
import { engine, inBrowser } from "./engine.js";
import { Editor } from "./editor.js";
import { course } from "./charts.js";
import { code, derivation } from "./derivation.js";
import { outcome } from "./outcome.js";
import { pack, unpack } from "./share.js";

const state = { spec: "", problem: "", data: null, columns: {}, terms: {}, formula: null, tab: "fit" };
let gallery = [], problems = [], sound = false, file = null, running = null;

const settings = ["method", "components", "starts", "seed", "batch", "epochs", "formula", "distribution"];
const question = () => ({ spec: state.spec, problem: state.problem });
const current = () => problems.find(p => p.name === state.problem) ?? problems[0];

// latest asks one question at a time, and of those that come meanwhile only the last one.
function latest(f) {
  let busy = false, again = false;
  const go = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try { await f(); } finally { busy = false; }
    if (again) { again = false; go(); }
  };
  return go;
}

function soon(f, ms) {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(f, ms); };
}

const editor = new Editor($("editor"), () => { state.spec = editor.text; stale(); checkSoon(); rememberSoon(); });

// --- the spec

function chip(e, text, kind) {
  e.textContent = text;
  e.className = "chip " + (kind ?? "");
}

const check = latest(async () => {
  const asked = state.spec;
  let found;
  try {
    found = await engine.ask("check", question());
  } catch (e) {
    return chip($("verdict"), e.message, "bad");
  }
  if (asked !== state.spec) return checkSoon();
  problems = found.problems;
  const errors = found.findings.filter(f => f.severity === "error").length;
  sound = errors === 0 && problems.length > 0;
  editor.show(found.findings);
  list(found.findings);
  chip($("verdict"), errors ? (errors === 1 ? "1 error" : errors + " errors") : sound ? "no errors" : "no problem yet", errors ? "bad" : sound ? "good" : "warn");
  choose();
  if (sound) { refresh(); columns(); }
  ready();
});
const checkSoon = soon(check, 180);

function list(found) {
  $("findings").replaceChildren(...found.map(f => {
    const meant = f.hint?.match(/^did you mean "([^"]+)"/)?.[1];
    return el("li", { class: f.severity },
      el("button", { type: "button", class: "place", "aria-label": `Go to line ${f.line}, column ${f.column}`, onclick: () => editor.select(f.start, f.end) }, `${f.line}:${f.column}`),
      el("span", { class: "what" }, f.message, f.hint ? el("span", { class: "hint" }, f.hint) : null),
      meant && f.end > f.start ? el("button", { type: "button", class: "fix", onclick: () => editor.replace(f.start, f.end, meant) }, "write " + meant) : null);
  }));
}

function choose() {
  const p = current();
  $("problem").replaceChildren(...problems.map(q => el("option", { value: q.name, selected: q === p }, q.name)));
  $("problem").parentElement.hidden = problems.length < 2;
  for (const e of document.querySelectorAll(".for-mixtures")) e.hidden = !p?.mixture;
  batches();
  const known = gallery.find(g => g.text === state.spec);
  $("gallery").value = known?.name ?? "";
}

$("problem").addEventListener("change", () => { state.problem = $("problem").value; state.columns = {}; state.terms = {}; stale(); check(); remember(); });

// --- derivation and code

const shown = { derivation: "", code: "" };
const stale = () => { sound = false; ready(); };

const refresh = latest(async () => {
  const key = state.problem + "\n" + state.spec;
  const wanted = state.tab === "derivation" ? "derivation" : state.tab === "code" || state.tab === "program" ? "code" : "";
  if (!wanted || !sound || shown[wanted] === key) return;
  const panels = wanted === "code" ? [$("panel-code"), $("panel-program")] : [$("panel-derivation")];
  for (const p of panels) { p.setAttribute("aria-busy", "true"); if (!p.firstChild) p.append(el("p", { class: "quiet" }, "working")); }
  try {
    if (wanted === "derivation") {
      const d = await engine.ask("explain", question());
      $("panel-derivation").replaceChildren(...derivation(d));
    } else {
      const c = await engine.ask("code", question());
      $("panel-code").replaceChildren(...code(c.files, "Go code"));
      $("panel-program").replaceChildren(el("p", { class: "quiet" }, "What each function does, statement by statement, before it is printed as Go."), ...code(c.programs, "Program"));
    }
    shown[wanted] = key;
  } catch (e) {
    for (const p of panels) p.replaceChildren(el("p", { class: "fault" }, e.message));
  }
  for (const p of panels) p.removeAttribute("aria-busy");
});

const tabs = [...document.querySelectorAll("[role=tab]")];
function show(name, focus) {
  state.tab = name;
  for (const t of tabs) {
    const on = t.id === "tab-" + name;
    t.setAttribute("aria-selected", String(on));
    t.tabIndex = on ? 0 : -1;
    $(t.getAttribute("aria-controls")).hidden = !on;
    if (on && focus) t.focus();
  }
  refresh();
}
for (const t of tabs) {
  t.addEventListener("click", () => { show(t.id.slice(4)); rememberSoon(); });
  t.addEventListener("keydown", e => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], at = tabs.indexOf(t);
    const to = e.key === "Home" ? 0 : e.key === "End" ? tabs.length - 1 : step ? (at + step + tabs.length) % tabs.length : -1;
    if (to >= 0) { e.preventDefault(); show(tabs[to].id.slice(4), true); }
  });
}

// --- data

const columns = latest(async () => {
  file = null;
  $("data-fault").hidden = true;
  $("columns").replaceChildren();
  chip($("data-name"), state.data ? state.data.name : "none yet");
  if (!state.data) return ready();
  try {
    file = await engine.ask("columns", { ...question(), name: state.data.name, text: state.data.text, columns: {}, skip: true, comma: false });
  } catch (e) {
    return complain(e);
  }
  const p = current(), names = new Set(file.columns);
  chip($("data-name"), `${state.data.name}: ${file.rows} ${file.rows === 1 ? "row" : "rows"}, ${file.columns.length} ${file.columns.length === 1 ? "column" : "columns"}`, "good");
  if (!p) return;
  for (const q of p.parts) {
    const kept = (state.columns[q.name] ?? []).filter(c => names.has(c));
    state.columns[q.name] = kept.length ? kept : file.chosen?.[q.name] ?? [];
  }
  $("columns").replaceChildren(...p.parts.map(part));
  ready();
});

function part(q) {
  const chosen = state.columns[q.name] ?? [], role = ` ${q.type}${q.given ? ", given" : ""}`;
  const usable = q.vector && !q.predictor ? file.columns.slice(0, file.numbers) : file.columns;
  const terms = state.terms[q.name];
  const typed = q.predictor || terms ? el("input", { type: "text", class: "terms", value: terms ?? "", placeholder: "1 + age + log(dose)", spellcheck: "false", autocapitalize: "off",
    "aria-label": `Terms of ${q.name}, as in a formula`, onchange: () => {
      if (typed.value.trim()) state.terms[q.name] = typed.value.trim(); else delete state.terms[q.name];
      columns();
      rememberSoon();
    } }) : null;
  if (terms) return el("label", {}, el("b", {}, q.name), el("span", { class: "role" }, role + ":"), typed);
  if (!q.vector || !current().parts.some(p => p.vector) || usable.length < 2) {
    const options = usable.map(c => el("option", { value: c, selected: chosen[0] === c }, c));
    if (!chosen.length) options.unshift(el("option", { value: "", selected: true }, "choose"));
    const select = el("select", { onchange: () => { state.columns[q.name] = select.value ? [select.value] : []; rememberSoon(); } }, ...options);
    return el("label", {}, el("b", {}, q.name), el("span", { class: "role" }, role + ":"), select);
  }
  return el("fieldset", {}, el("legend", {}, el("b", {}, q.name), role), ...usable.map(c => {
    const box = el("input", { type: "checkbox", checked: chosen.includes(c), onchange: () => {
      const list = new Set(state.columns[q.name]);
      box.checked ? list.add(c) : list.delete(c);
      state.columns[q.name] = usable.filter(u => list.has(u));
      rememberSoon();
    } });
    return el("label", {}, box, c);
  }), typed ? el("label", { class: "or" }, "or terms", typed) : null);
}

function complain(e) {
  $("data-fault").hidden = false;
  $("data-fault").textContent = e.message + (e.hint ? "\n" + e.hint : "");
}

function take(name, text) {
  state.data = text.trim() ? { name, text } : null;
  state.columns = {};
  if (state.spec !== state.formula?.spec) state.terms = {};
  $("data").value = text;
  columns();
  rememberSoon();
}

const largest = 24 << 20;
async function open(f) {
  if (f.size > largest) return complain(new Error(`${f.name} has more than ${largest >> 20} MB: sngdgen fit reads it`));
  take(f.name, await f.text());
}

$("file").addEventListener("change", () => { if ($("file").files[0]) open($("file").files[0]); $("file").value = ""; });
$("data").addEventListener("input", soon(() => take("typed.csv", $("data").value), 300));
for (const kind of ["dragenter", "dragover"]) addEventListener(kind, e => { if (e.dataTransfer?.types.includes("Files")) { e.preventDefault(); document.body.classList.add("dropping"); } });
addEventListener("dragleave", e => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", e => {
  document.body.classList.remove("dropping");
  if (e.dataTransfer?.files[0]) { e.preventDefault(); open(e.dataTransfer.files[0]); }
});

let draws = 0;
$("draw").addEventListener("click", async () => {
  $("draw").disabled = true;
  try {
    const p = current();
    const f = await engine.ask("draw", { ...question(), rows: Math.round($("draw-rows").valueAsNumber || 0), seed: ++draws, components: p?.mixture ? parseInt($("components").value.split(/[.,]/).at(-1)) || 2 : 0 });
    take(f.name, f.text);
  } catch (e) {
    complain(e);
  }
  ready();
});

// --- regressions

$("regress").addEventListener("submit", async e => {
  e.preventDefault();
  if ($("write").disabled) return;
  $("write").disabled = true;
  $("data-fault").hidden = true;
  const formula = $("formula").value, distribution = $("distribution").value;
  try {
    if (!state.data) throw new Error("a formula is about the columns of a file: drop one first");
    const r = await engine.ask("regress", { spec: "", problem: "", name: state.data.name, text: state.data.text, columns: {}, terms: {}, skip: true, comma: false,
      distribution, formula, mixture: false });
    Object.assign(state, { spec: r.spec, problem: "", columns: r.columns, terms: r.terms, formula: { spec: r.spec, formula, distribution } });
    editor.text = r.spec;
    $("outcome").replaceChildren();
    show("fit");
    stale();
    check();
    remember();
  } catch (e) {
    complain(e);
  }
  $("write").disabled = false;
});

// --- fit

// batches shows what is for minibatches where the method takes them.
function batches() {
  const possible = ["sngd", "gd", "adam"].includes($("method").value);
  for (const e of document.querySelectorAll(".for-batches")) e.hidden = !possible;
}
$("method").addEventListener("change", batches);

function ready() {
  $("fit").disabled = !sound || !file || !!running;
  $("draw").disabled = !sound || !!running || current()?.objective !== "mle";
  $("cancel").hidden = !running;
}

const quoted = s => /^[\w./,=+-]+$/.test(s) ? s : `'${s.replaceAll("'", "'\\''")}'`;

const components = () => $("components").value.replaceAll(" ", "") || "1";
const batched = () => !$("batch").closest(".for-batches").hidden && +$("batch").value > 0;

// command is what does the same in a shell.
function command() {
  const p = current(), known = gallery.some(g => g.text === state.spec && g.name === p.name);
  const regression = state.formula?.spec === state.spec ? state.formula : null;
  const words = ["sngdgen fit", regression ? regression.distribution : known ? p.name : "spec.yaml", quoted(state.data.name)];
  const made = q => state.terms[q.name] ?? state.columns[q.name].join("+");
  if (regression) {
    const [equations, others] = [regression.formula.split(";").filter(s => s.includes("~")), regression.formula.split(";").filter(s => !s.includes("~"))];
    words.push("--formula " + quoted(equations.join(";").trim()), ...others.filter(s => s.trim()).map(s => "--data " + quoted(s.replaceAll(" ", ""))));
  } else if (p.objective === "mle" && p.parts.length === 1 && !state.terms[p.parts[0].name]) words.push("--column " + quoted(state.columns[p.parts[0].name].join(",")));
  else if (!p.parts.some(q => q.once)) for (const q of p.parts) words.push("--data " + quoted(`${q.name}=${made(q)}`));
  if ($("method").value !== "auto") words.push("--method " + $("method").value);
  if (p.mixture) words.push("--components " + quoted(components()));
  if (batched()) words.push("--batch " + $("batch").value, ...(+$("epochs").value ? ["--epochs " + $("epochs").value] : []));
  if (+$("starts").value) words.push("--starts " + $("starts").value);
  if (+$("seed").value) words.push("--seed " + $("seed").value);
  return words.join(" ");
}

$("fit-form").addEventListener("submit", async e => {
  e.preventDefault();
  if (running || $("fit").disabled) return;
  running = new AbortController();
  ready();
  const runs = new Map(), began = performance.now();
  let drawn = 0;
  $("progress").textContent = "fitting";
  $("outcome").replaceChildren();
  const told = points => {
    for (const p of points) {
      if (!runs.has(p.run)) runs.set(p.run, []);
      const run = runs.get(p.run);
      if (p.loss !== null) run.push(p);
      if (run.length > 4000) runs.set(p.run, run.filter((_, i) => i % 2));
    }
    const last = points.at(-1);
    $("progress").textContent = `run ${last.run + 1}, iteration ${last.iteration}${last.loss === null ? "" : `, loss ${last.loss.toPrecision(6)}`}, ${((performance.now() - began) / 1000).toFixed(1)} s`;
    if (performance.now() - drawn > 250) {
      drawn = performance.now();
      $("outcome").replaceChildren(el("div", { class: "pictures" }, course(runs)));
    }
  };
  try {
    const n = id => Math.max(0, Math.round($(id).valueAsNumber || 0));
    const f = await engine.ask("fit", { ...question(), name: state.data.name, text: state.data.text, columns: state.columns, terms: state.terms, skip: true, comma: false,
      method: $("method").value, components: current().mixture ? components() : "", starts: n("starts"), seed: n("seed"), penalty: false,
      batch: batched() ? n("batch") : 0, epochs: batched() ? n("epochs") : 0 },
    { signal: running.signal, told });
    $("progress").textContent = "";
    $("outcome").replaceChildren(...outcome(f, command(), k => { $("components").value = k; $("fit-form").requestSubmit(); }));
  } catch (e) {
    const stopped = running.signal.aborted;
    $("progress").textContent = stopped ? "cancelled" : "";
    if (!stopped) $("outcome").replaceChildren(el("p", { class: "fault", role: "alert" }, e.message + (e.hint ? "\n" + e.hint : "")));
  }
  running = null;
  ready();
});
$("cancel").addEventListener("click", () => running?.abort());
$("spec").addEventListener("keydown", e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); show("fit"); $("fit-form").requestSubmit(); } });
for (const id of settings) $(id).addEventListener("change", () => rememberSoon());

// --- gallery, link, colours

function load(example) {
  state.spec = example.text;
  state.problem = example.name;
  state.columns = {};
  state.terms = {};
  editor.text = example.text;
  $("outcome").replaceChildren();
  $("progress").textContent = "";
  stale();
  check();
  remember();
}

function fillGallery() {
  const groups = { Likelihoods: [], Mixtures: [], Posteriors: [] };
  for (const g of gallery) groups[g.objective !== "mle" ? "Posteriors" : g.mixture ? "Mixtures" : "Likelihoods"].push(g);
  $("gallery").replaceChildren(el("option", { value: "", disabled: true }, "your own"), ...Object.entries(groups).map(([label, list]) =>
    el("optgroup", { label }, ...list.map(g => el("option", { value: g.name, title: g.doc }, g.name)))));
  $("gallery").disabled = false;
}
$("gallery").addEventListener("change", () => { const g = gallery.find(g => g.name === $("gallery").value); if (g) load(g); });

const kept = () => ({ ...state, settings: Object.fromEntries(settings.map(id => [id, $(id).value])) });
async function remember() {
  const { hash, whole } = await pack(kept());
  history.replaceState(null, "", hash);
  return whole;
}
const rememberSoon = soon(remember, 400);

$("share").addEventListener("click", async () => {
  const whole = await remember();
  try {
    await navigator.clipboard.writeText(location.href);
    toast(whole ? "The link is copied: it has the spec and the data in it" : "The link is copied, without the data, which are too long for one");
  } catch {
    toast("The link is in the address bar");
  }
});

async function restore(hash) {
  let from;
  try {
    from = await unpack(hash);
  } catch {
    toast("The address has no state that could be read");
  }
  if (!from) return false;
  const text = v => typeof v === "string" ? v : "";
  state.spec = from.spec;
  state.problem = text(from.problem);
  state.data = from.data && text(from.data.text) ? { name: text(from.data.name) || "data.csv", text: from.data.text } : null;
  state.columns = Object.fromEntries(Object.entries(from.columns ?? {}).filter(([, v]) => Array.isArray(v) && v.every(c => typeof c === "string")));
  state.terms = Object.fromEntries(Object.entries(from.terms ?? {}).filter(([, v]) => typeof v === "string"));
  state.formula = text(from.formula?.spec) ? { spec: from.formula.spec, formula: text(from.formula.formula), distribution: text(from.formula.distribution) } : null;
  for (const id of settings) if (text(from.settings?.[id])) $(id).value = from.settings[id];
  if (!$("method").value) $("method").value = "auto";
  editor.text = state.spec;
  $("data").value = state.data?.text ?? "";
  show(tabs.some(t => t.id === "tab-" + from.tab) ? from.tab : "fit");
  return true;
}
addEventListener("hashchange", async () => { if (await restore(location.hash)) check(); });

const themes = ["auto", "light", "dark"], system = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";
const paint = () => document.documentElement.classList.toggle("dark", theme === "dark" || theme === "auto" && system.matches);
system.addEventListener("change", paint);
$("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  $("theme").textContent = "◐ " + theme;
  $("theme").setAttribute("aria-label", "Colours: " + (theme === "auto" ? "as the system has them" : theme));
  paint();
});
paint();

// --- the beginning

$("where").textContent = inBrowser ? "this page" : "this machine";
async function begin() {
  if (inBrowser) $("engine").textContent = "loading the program";
  try {
    const known = await engine.ask("distributions", {});
    $("distribution").replaceChildren(...known.map(d => el("option", { value: d.name, title: d.doc, selected: d.name === "normal" }, d.name)));
    gallery = await engine.ask("gallery", {});
  } catch (e) {
    $("engine").textContent = "";
    return chip($("verdict"), e.message, "bad");
  }
  $("engine").textContent = "";
  fillGallery();
  const restored = await restore(location.hash);
  if (!restored) {
    const first = gallery.find(g => g.name === "negbin") ?? gallery[0];
    state.data = { name: "sheep.csv", text: await (await fetch("sheep.csv")).text() };
    $("data").value = state.data.text;
    load(first);
  } else {
    check();
  }
  document.body.dataset.ready = "yes";
}
begin();
