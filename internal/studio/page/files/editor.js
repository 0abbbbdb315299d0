// The editor of the spec: a text area over a copy of its text with colours and marks. The text area stays the one that is edited, so
// that undoing, selecting, screen readers and touch keyboards work as everywhere.
import { el } from "./dom.js";

// tokens are pieces of a line of YAML with formulas, as far as colours go.
const token = /(#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|(?<![\w.])(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|((?<=^\s*(?:- )?|[{,]\s*)[A-Za-z_]\w*(?=\s*:(?:\s|$)))/g;
const kinds = ["comment", "string", "number", "key"];

export class Editor {
  found = [];

  constructor(root, changed, picked) {
    this.root = root;
    this.area = root.querySelector("textarea");
    this.copy = root.querySelector("pre");
    this.gutter = root.querySelector(".gutter");
    this.popup = root.querySelector(".popup");
    this.picked = picked;
    this.area.addEventListener("input", () => { this.move(); this.found = []; this.paint(); changed(); });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", e => this.key(e));
    this.area.addEventListener("blur", () => { this.popup.hidden = true; });
    document.addEventListener("selectionchange", () => { if (document.activeElement === this.area) this.point(); });
  }

  get text() { return this.area.value; }

  set text(text) {
    this.area.value = text;
    this.found = [];
    this.area.scrollTop = this.area.scrollLeft = 0;
    this.paint();
  }

  // show marks what was found in the text as it is.
  show(found) {
    this.found = found;
    this.paint();
    if (document.activeElement === this.area) this.point();
  }

  // select puts the cursor to a place that was found.
  select(start, end) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const line = this.text.slice(0, start).split("\n").length - 1;
    const height = this.height();
    if (line * height < this.area.scrollTop || (line + 3) * height > this.area.scrollTop + this.area.clientHeight) {
      this.area.scrollTop = Math.max(0, line * height - this.area.clientHeight / 3);
    }
    this.point();
  }

  // replace puts other words in a place, so that undoing takes them back.
  replace(start, end, words) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    if (!document.execCommand("insertText", false, words)) {
      this.area.setRangeText(words, start, end, "end");
      this.area.dispatchEvent(new Event("input"));
    }
  }

  height() { return parseFloat(getComputedStyle(this.area).lineHeight); }

  // key keeps the indentation in a new line.
  key(e) {
    if (e.key === "Escape") this.popup.hidden = true;
    if (e.key !== "Enter" || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
    const before = this.text.slice(0, this.area.selectionStart), line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = line.match(/^\s*/)[0] + (/:\s*\|?$/.test(line) ? "  " : "");
    if (!indent) return;
    e.preventDefault();
    this.replace(this.area.selectionStart, this.area.selectionEnd, "\n" + indent);
  }

  move() { this.popup.hidden = true; }

  follow() {
    this.copy.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.scrollTop = this.area.scrollTop;
    this.popup.hidden = true;
  }

  paint() {
    const text = this.text, marks = this.found.filter(f => f.end > f.start || f.start > 0);
    const cuts = new Set([0, text.length]), spans = [];
    let at = 0;
    for (const line of text.split("\n")) {
      for (const m of line.matchAll(token)) spans.push({ start: at + m.index, end: at + m.index + m[0].length, kind: kinds[m.slice(1).findIndex(Boolean)] });
      at += line.length + 1;
    }
    for (const f of marks) spans.push({ start: f.start, end: Math.max(f.end, f.start + 1), kind: f.severity });
    for (const s of spans) cuts.add(s.start).add(s.end);
    const places = [...cuts].filter(c => c <= text.length).sort((a, b) => a - b);
    spans.sort((a, b) => a.start - b.start);
    const out = [];
    let open = [], next = 0;
    for (let i = 0; i + 1 < places.length; i++) {
      const from = places[i], to = places[i + 1];
      open = open.filter(s => s.end > from);
      while (next < spans.length && spans[next].start <= from) open.push(spans[next++]);
      const piece = text.slice(from, to);
      out.push(open.length ? el("span", { class: open.map(s => s.kind).join(" ") }, piece) : piece);
    }
    this.copy.replaceChildren(...out, "\n");
    const worst = new Map();
    for (const f of this.found) if (worst.get(f.line) !== "error") worst.set(f.line, f.severity);
    const lines = text.split("\n").length, numbers = [];
    for (let n = 1; n <= lines; n++) numbers.push(worst.has(n) ? el("span", { class: worst.get(n) }, String(n)) : String(n), "\n");
    this.gutter.replaceChildren(...numbers, "\n\n");
    this.follow();
  }

  // point shows what was found under the cursor.
  point() {
    const at = this.area.selectionStart;
    const found = this.found.find(f => f.start <= at && at <= Math.max(f.end, f.start + 1) && (f.start || f.end));
    this.popup.hidden = !found;
    if (!found) return;
    this.popup.replaceChildren(found.message, found.hint ? el("span", { class: "hint" }, found.hint) : "");
    const height = this.height(), wide = this.letter(), style = getComputedStyle(this.area);
    const top = found.line * height + parseFloat(style.paddingTop) - this.area.scrollTop + 3;
    const left = (found.column - 1) * wide + parseFloat(style.paddingLeft) - this.area.scrollLeft;
    const room = this.area.clientWidth - this.popup.offsetWidth - 8;
    this.popup.style.left = Math.max(8, Math.min(left, room)) + "px";
    const above = top + this.popup.offsetHeight > this.area.clientHeight;
    this.popup.style.top = (above ? Math.max(4, top - height - this.popup.offsetHeight - 6) : top) + "px";
  }

  // letter is the width of one.
  letter() {
    if (!this.width) {
      const probe = el("span", {}, "m".repeat(50));
      this.copy.append(probe);
      this.width = probe.getBoundingClientRect().width / 50;
      probe.remove();
    }
    return this.width;
  }
}
