// Draws panels: axes with layers of bars, bands, lines, points, as package studio describes them. Colours are those of the page.
import { el, svg } from "./dom.js";

const color = l => `var(--c${l.color})`;
const finite = v => v !== null && v !== undefined && Number.isFinite(v);

// Scale maps numbers to places.
class Scale {
  constructor(axis, values, from, to, stands) {
    this.log = axis.log;
    this.axis = axis;
    let low = Infinity, high = -Infinity;
    for (const v of values) if (finite(v) && !(axis.log && v <= 0)) { if (v < low) low = v; if (v > high) high = v; }
    if (!(low <= high)) [low, high] = axis.log ? [1, 10] : [0, 1];
    const given = axis.min !== 0 || axis.max !== 0;
    if (low === high) { const d = axis.log ? 0 : Math.abs(low) / 2 || 0.5; [low, high] = axis.log ? [low / 2, high * 2] : [low - d, high + d]; }
    if (!given && !axis.log) {
      const room = 0.04 * (high - low);
      [low, high] = [stands && low === 0 ? 0 : low - room, stands && high === 0 ? 0 : high + room];
    }
    if (given) { if (finite(axis.min) && axis.min < axis.max || axis.max === 0) low = axis.min; if (axis.max !== 0) high = axis.max; }
    [this.low, this.high, this.from, this.to] = [low, high, from, to];
  }

  at(v) {
    const f = this.log ? (Math.log(v) - Math.log(this.low)) / (Math.log(this.high) - Math.log(this.low)) : (v - this.low) / (this.high - this.low);
    return this.from + f * (this.to - this.from);
  }

  back(p) {
    const f = (p - this.from) / (this.to - this.from);
    return this.log ? Math.exp(Math.log(this.low) + f * (Math.log(this.high) - Math.log(this.low))) : this.low + f * (this.high - this.low);
  }

  ticks(count) {
    if (this.axis.bare) return [];
    if (this.axis.ticks) return this.axis.ticks.map(t => [t.At, t.Label]);
    if (this.log) {
      const out = [], first = Math.ceil(Math.log10(this.low) - 1e-9), last = Math.floor(Math.log10(this.high) + 1e-9);
      const by = Math.max(1, Math.ceil((last - first + 1) / count));
      for (let k = first; k <= last; k += by) out.push([10 ** k, k < -3 || k > 4 ? `1e${k}` : String(+(10 ** k).toPrecision(3))]);
      if (out.length > 1) return out;
    }
    const rough = (this.high - this.low) / count, power = 10 ** Math.floor(Math.log10(rough));
    let step = [1, 2, 2.5, 5, 10].find(m => m * power >= rough) * power;
    if (this.axis.whole) step = Math.max(1, Math.round(step));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (step / power === 2.5 ? 1 : 0)), out = [];
    for (let v = Math.ceil(this.low / step - 1e-9) * step; v <= this.high + 1e-9 * step; v += step) {
      const size = Math.max(Math.abs(this.low), Math.abs(this.high));
      out.push([v, size >= 1e5 || size < 1e-4 ? (Math.abs(v) < step / 2 ? "0" : v.toExponential(Math.max(0, Math.floor(Math.log10(size / step))))).replace("e+", "e") : v.toFixed(digits).replace("-", "−")]);
    }
    return out;
  }
}

function pieces(xs, ys, sx, sy, steps) {
  let out = "", open = false, last;
  xs.forEach((x, i) => {
    if (!finite(x) || !finite(ys[i])) { open = false; return; }
    const px = sx.at(x), py = Math.max(-1e5, Math.min(1e5, sy.at(ys[i])));
    if (!Number.isFinite(px) || !Number.isFinite(py)) { open = false; return; }
    if (steps && open) out += `L${px.toFixed(1)} ${last.toFixed(1)}`;
    out += `${open ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`;
    open = true;
    last = py;
  });
  return out;
}

const pen = l => ({ fill: "none", stroke: color(l), "stroke-width": l.thin ? 1.3 : 2.1, "stroke-dasharray": l.dash ? "5 4" : null, "stroke-opacity": l.faint ? .45 : null,
  "stroke-linejoin": "round", "data-name": l.name || null });

function shape(l, sx, sy, box) {
  const g = svg("g", { class: "layer", "data-kind": l.kind, "data-name": l.name || null });
  const x = l.x ?? [], y = l.y ?? [];
  switch (l.kind) {
    case "bars":
      l.from.forEach((from, i) => {
        const a = sx.at(from), b = sx.at(l.to[i]), top = sy.at(Math.max(l.low[i], l.high[i])), end = sy.at(Math.min(l.low[i], l.high[i]));
        g.append(svg("rect", { x: Math.min(a, b).toFixed(2), width: Math.max(Math.abs(b - a) - .4, .4).toFixed(2), y: top.toFixed(2), height: Math.max(end - top, 0).toFixed(2), fill: color(l), "fill-opacity": .5 }));
      });
      break;
    case "band": {
      const back = x.map((_, i) => x.length - 1 - i);
      const d = pieces(x, l.high, sx, sy) + pieces(back.map(i => x[i]), back.map(i => l.low[i]), sx, sy).replace("M", "L");
      g.append(svg("path", { d, fill: color(l), "fill-opacity": .25 }));
      break;
    }
    case "line": case "steps":
      g.append(svg("path", { d: pieces(x, y, sx, sy, l.kind === "steps"), ...pen(l) }));
      break;
    case "points":
      x.forEach((v, i) => {
        if (finite(v) && finite(y[i])) g.append(svg("circle", { cx: sx.at(v).toFixed(1), cy: sy.at(y[i]).toFixed(1), r: (l.thin ? 1.7 : 2.6) * (l.size?.[i] ?? 1), fill: color(l), "fill-opacity": l.faint ? .35 : .9 }));
      });
      break;
    case "errors":
      g.append(svg("path", { d: x.map((v, i) => `M${sx.at(v).toFixed(1)} ${sy.at(l.low[i]).toFixed(1)}V${sy.at(l.high[i]).toFixed(1)}`).join(""), ...pen(l) }));
      break;
    case "across":
      g.append(svg("path", { d: y.map(v => `M${box.left} ${sy.at(v).toFixed(1)}H${box.right}`).join(""), ...pen(l) }));
      break;
    case "upright":
      g.append(svg("path", { d: x.map(v => `M${sx.at(v).toFixed(1)} ${box.top}V${box.bottom}`).join(""), ...pen(l) }));
      break;
  }
  return g;
}

let clips = 0;

// plot draws one pair of axes.
function plot(p, { width = 460, height = 280, small = false } = {}) {
  const all = (...names) => p.layers.flatMap(l => names.flatMap(n => l[n] ?? []));
  const stands = p.layers.some(l => l.kind === "bars" || l.kind === "band");
  const box = { left: small ? 40 : 58, right: width - 10, top: 10, bottom: height - (small ? 34 : 42) };
  const sy = new Scale(p.y, all("y", "low", "high"), box.bottom, box.top, stands);
  if (p.y.bare) box.left = 14;
  else box.left = Math.max(small ? 34 : 46, 22 + (small && !p.y.label ? 0 : 14) + 6.4 * Math.max(1, ...sy.ticks(5).map(t => t[1].length)));
  const sx = new Scale(p.x, all("x", "from", "to"), box.left, box.right);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": p.title || p.x.label });
  root.append(svg("title", {}, p.title || p.x.label));
  for (const [v, text] of sy.ticks(5)) {
    const at = sy.at(v);
    if (at < box.top - 1 || at > box.bottom + 1) continue;
    root.append(svg("line", { class: "rule", x1: box.left, x2: box.right, y1: at, y2: at }), svg("text", { class: "tick", x: box.left - 6, y: at + 4, "text-anchor": "end" }, text));
  }
  for (const [v, text] of sx.ticks(small ? 4 : 7)) {
    const at = sx.at(v);
    if (at < box.left - 1 || at > box.right + 1) continue;
    root.append(svg("line", { class: "rule", x1: at, x2: at, y1: box.bottom, y2: box.bottom + 4 }), svg("text", { class: "tick", x: at, y: box.bottom + 16, "text-anchor": "middle" }, text));
  }
  const clip = "clip" + clips++;
  root.append(svg("clipPath", { id: clip }, svg("rect", { x: box.left, y: box.top - 2, width: box.right - box.left, height: box.bottom - box.top + 3 })));
  const inner = svg("g", { "clip-path": `url(#${clip})` });
  for (const l of p.layers) inner.append(shape(l, sx, sy, box));
  root.append(inner, svg("line", { class: "frame", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  root.append(svg("text", { class: "label", x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" }, p.x.label));
  if (p.y.label) root.append(svg("text", { class: "label", transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, p.y.label));
  root.scales = { sx, sy, box };
  readout(root, p, sx, sy, box);
  return root;
}

// readout names the numbers under the pointer.
function readout(root, p, sx, sy, box) {
  const lines = p.layers.filter(l => ["line", "points", "steps"].includes(l.kind) && l.x?.length);
  if (!lines.length) return;
  const dot = svg("circle", { r: 4, fill: "var(--card)", "stroke-width": 2, visibility: "hidden" });
  const back = svg("rect", { class: "halo", rx: 3, height: 17, visibility: "hidden" }), text = svg("text", { visibility: "hidden" });
  root.append(dot, back, text);
  const hide = () => [dot, back, text].forEach(e => e.setAttribute("visibility", "hidden"));
  root.addEventListener("pointerleave", hide);
  root.addEventListener("pointermove", e => {
    const m = root.getScreenCTM().inverse(), px = m.a * e.clientX + m.e, py = m.d * e.clientY + m.f;
    let best, least = 30 ** 2;
    for (const l of lines) {
      l.x.forEach((x, i) => {
        if (!finite(x) || !finite(l.y[i])) return;
        const d = (sx.at(x) - px) ** 2 + (sy.at(l.y[i]) - py) ** 2;
        if (d < least) { least = d; best = [l, x, l.y[i]]; }
      });
    }
    if (!best) return hide();
    const [l, x, y] = best, X = sx.at(x), Y = sy.at(y);
    for (const [k, v] of Object.entries({ cx: X, cy: Y, stroke: color(l), visibility: "visible" })) dot.setAttribute(k, v);
    text.textContent = `${l.name ? l.name + ": " : ""}${+x.toPrecision(5)}, ${+y.toPrecision(6)}`;
    text.setAttribute("visibility", "visible");
    const w = text.getComputedTextLength() + 10, left = Math.min(Math.max(X - w / 2, box.left), box.right - w), top = Y < box.top + 28 ? Y + 10 : Y - 26;
    for (const [k, v] of Object.entries({ x: left, y: top, width: w, visibility: "visible" })) back.setAttribute(k, v);
    text.setAttribute("x", left + 5);
    text.setAttribute("y", top + 13);
  });
}

function legend(p) {
  const seen = new Map();
  for (const l of p.layers) if (l.name && !seen.has(l.name)) seen.set(l.name, l);
  if (!seen.size) return null;
  const list = el("ul", { class: "legend" });
  for (const [name, l] of seen) {
    const mark = el("i", { class: l.kind === "bars" || l.kind === "points" ? "block" : "" });
    mark.style.color = color(l);
    list.append(el("li", {}, mark, name));
  }
  return list;
}

// figure draws a panel with its title, note and legend.
export function figure(p) {
  const out = el("figure", { "data-panel": p.name }, el("figcaption", {}, p.title, p.note ? el("small", {}, p.note) : null));
  if (!p.grid?.length) {
    out.append(plot(p));
    const names = legend(p);
    if (names) out.append(names);
    return out;
  }
  out.className = "broad";
  const columns = Math.max(...p.grid.map(r => r.length)), grid = el("div", { class: "grid" });
  grid.style.gridTemplateColumns = `repeat(${columns}, minmax(${columns > 4 ? 5 : 7}rem, 19rem))`;
  for (const row of p.grid) for (let k = 0; k < columns; k++) grid.append(row[k] ? plot(row[k], { width: 240, height: 190, small: true }) : el("span"));
  out.append(el("div", { class: "wide" }, grid));
  const names = legend({ layers: p.grid.flat().filter(Boolean).flatMap(q => q.layers) });
  if (names) out.append(names);
  return out;
}

// play lets a panel's fitted curve move through densities along a run.
export function play(fig, p, frames) {
  const fitted = p.layers.filter(l => l.color === 1 && l.x?.length === frames.x.length);
  if (!fitted.length || frames.steps.length < 2) return;
  const last = frames.steps.length - 1, slider = el("input", { type: "range", min: 0, max: last, value: last, "aria-label": "Iteration" });
  const label = el("span", {}, ""), button = el("button", { type: "button", "aria-label": "Play the run" }, "▶ play");
  const ends = fitted.map(l => l.y);
  const show = k => {
    const step = frames.steps[k];
    fitted.forEach((l, i) => { l.y = k === last ? ends[i] : step.y; });
    const others = p.layers.filter(l => k < last && !fitted.includes(l) && l.kind === "line");
    fig.querySelector("svg").replaceWith(plot({ ...p, layers: p.layers.filter(l => !others.includes(l)) }));
    label.textContent = `iteration ${step.iteration}, loss ${step.loss?.toPrecision(6) ?? "–"}`;
  };
  slider.addEventListener("input", () => { stop(); show(+slider.value); });
  let timer;
  const stop = () => { clearInterval(timer); timer = undefined; button.textContent = "▶ play"; };
  button.addEventListener("click", () => {
    if (timer) return stop();
    let k = -1;
    button.textContent = "■ stop";
    timer = setInterval(() => {
      if (++k > last || !fig.isConnected) return stop();
      slider.value = k;
      show(k);
    }, Math.max(70, 1800 / frames.steps.length));
  });
  fig.append(el("div", { class: "player" }, button, slider, label));
  const step = frames.steps[last];
  label.textContent = `iteration ${step.iteration}, loss ${step.loss?.toPrecision(6) ?? "–"}`;
}

// course draws losses while a fit goes on.
export function course(runs) {
  const layers = [...runs].slice(0, 12).map(([run, points], i) => ({ kind: "line", name: runs.size > 1 && i < 6 ? `run ${run + 1}` : "", color: 1 + i % 6, thin: true, x: points.map(p => p.iteration), y: points.map(p => p.loss) }));
  return figure({ name: "course", title: "Loss while it runs", x: { label: "iteration", min: 0, max: 0, whole: true }, y: { label: "loss", min: 0, max: 0 }, layers });
}
