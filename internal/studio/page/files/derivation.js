// Lays out derivations and code.
import { el, toast, typeset } from "./dom.js";

const pieces = list => (list ?? []).map(p => p.math ? typeset(p.math) : p.words);
const math = text => el("div", { class: "math", tabindex: 0, role: "group", "aria-label": "formulas" }, typeset(text));

function rule(r) {
  const count = r.steps.length === 1 ? "1 step" : r.steps.length + " steps";
  return el("details", { class: "rule" },
    el("summary", {}, el("b", {}, r.name), el("span", { class: "doc" }, r.doc), el("span", { class: "count" }, count)),
    ...r.steps.map(s => el("div", { class: "step" }, math(s.math),
      ...(s.remarks ?? []).map(r => el("p", { class: "quiet" }, "(", ...pieces(r), ")")),
      s.where ? el("p", { class: "quiet" }, "where") : null, s.where ? math(s.where) : null)));
}

export function table(rows, caption, names) {
  const [head, ...body] = rows;
  return el("div", { class: "wide" }, el("table", { class: names ? "names" : null }, caption ? el("caption", {}, caption) : null,
    el("thead", {}, el("tr", {}, ...head.map(h => el("th", { scope: "col" }, h)))),
    el("tbody", {}, ...body.map(r => el("tr", {}, ...r.map((c, i) => el("td", {}, c)))))));
}

function block(b) {
  if (b.rule) return [rule(b.rule)];
  if (b.math) return [b.where ? el("p", { class: "quiet" }, "where") : "", math(b.math)];
  if (b.table) return [table(b.table)];
  if (b.items) return [el("ul", { class: "items" }, ...b.items.map(([what, text]) => el("li", {}, el("b", {}, what), ": " + text)))];
  return [el("p", {}, ...pieces(b.text))];
}

export function derivation(d) {
  const sections = d.sections.map(s => el("section", {}, el("h3", { tabindex: -1 }, s.heading), ...s.blocks.flatMap(block)));
  const contents = el("ul", { class: "contents", "aria-label": "Sections" }, ...d.sections.map((s, i) => el("li", {}, el("button", { type: "button",
    onclick: () => { sections[i].scrollIntoView({ block: "start" }); sections[i].firstChild.focus({ preventScroll: true }); } }, s.heading))));
  const rules = el("button", { type: "button", onclick: () => {
    const all = [...document.querySelectorAll("#panel-derivation .rule")], open = all.some(r => !r.open);
    for (const r of all) r.open = open;
    rules.textContent = open ? "Close all rules" : "Open all rules";
  } }, "Open all rules");
  return [el("h2", {}, d.title), el("p", {}, d.doc), contents, el("p", {}, rules), ...sections];
}

// words of Go and of programs.
const go = /(\/\/.*$)|("(?:[^"\\\n]|\\.)*"|`[^`]*`)|\b(package|import|func|return|type|struct|interface|const|var|if|else|for|range|switch|case|default|break|continue|map|chan|go|defer|nil|true|false)\b|(?<![\w.])(\d[\w.]*)/gm;
const kinds = ["comment", "string", "key", "number"];

function colored(text) {
  const out = [];
  let at = 0;
  for (const m of text.matchAll(go)) {
    if (m.index > at) out.push(text.slice(at, m.index));
    out.push(el("span", { class: kinds[m.slice(1).findIndex(Boolean)] }, m[0]));
    at = m.index + m[0].length;
  }
  out.push(text.slice(at));
  return out;
}

export function code(files, what) {
  const pre = el("pre", { class: "code", tabindex: 0, "aria-label": what });
  const choose = el("select", { "aria-label": "File" }, ...files.map((f, i) => el("option", { value: i }, f.name)));
  const show = () => pre.replaceChildren(...colored(files[choose.value].text));
  choose.addEventListener("change", show);
  show();
  const copy = el("button", { type: "button", onclick: async () => {
    await navigator.clipboard.writeText(files[choose.value].text);
    toast("copied");
  } }, "Copy");
  const save = el("button", { type: "button", onclick: () => {
    const f = files[choose.value], link = el("a", { download: f.name.split("/").pop(), href: URL.createObjectURL(new Blob([f.text], { type: "text/plain" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, "Save");
  return [el("div", { class: "actions" }, files.length > 1 ? choose : el("span", { class: "quiet" }, files[0].name), copy, save), pre];
}
