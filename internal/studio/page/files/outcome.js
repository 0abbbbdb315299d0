// Shows what came of a fit.
import { el } from "./dom.js";
import { figure, play } from "./charts.js";
import { table } from "./derivation.js";

const digits = (v, n = 6) => v === null || v === undefined ? "" : typeof v === "string" ? v : (+v.toPrecision(n)).toString().replace("-", "−");

// resolved has as many digits of a number as its error leaves.
function resolved(v, error, most = 6) {
  if (typeof v !== "number" || typeof error !== "number" || !(error > 0)) return digits(v, most);
  const places = Math.min(12, Math.max(0, 3 - Math.ceil(Math.log10(error))));
  return v.toFixed(places).replace("-", "−");
}

// flat lists the numbers of values that may be arrays, with the names of their entries.
function flat(values, labels, matrices) {
  const out = [];
  for (const [name, v] of Object.entries(values ?? {})) {
    const go = (x, path) => {
      if (Array.isArray(x)) return x.forEach((y, i) => go(y, [...path, i + 1]));
      const lists = path.length === 1 ? [labels?.[name]] : matrices?.[name];
      const place = path.map((i, k) => lists?.[k]?.[i - 1] ?? i);
      out.push([path.length ? `${name}[${place.join(", ")}]` : name, x]);
    };
    go(v, []);
  }
  return out;
}

const longest = 60;

function parameters(r, labels) {
  const se = new Map(flat(r.standard_errors)), low = new Map(), high = new Map();
  for (const [name, v] of Object.entries(r.intervals ?? {})) ends(name, v, low, high);
  const rows = [["parameter", "estimate", ...(r.standard_errors ? ["std. error"] : []), ...(r.intervals ? [`${Math.round(100 * r.level)}% interval`] : [])]];
  const names = flat(r.parameters, labels).map(p => p[0]);
  for (const [i, [name, v]] of flat(r.parameters).entries()) {
    const e = se.get(name), row = [names[i], resolved(v, e, 7)];
    if (r.standard_errors) row.push(digits(e, 3));
    if (r.intervals) row.push(low.has(name) ? `${resolved(low.get(name), e, 5)} to ${resolved(high.get(name), e, 5)}` : "");
    rows.push(row);
  }
  return cut(rows, "Parameters");
}

// ends collects the intervals of a parameter: a pair, or an array of them.
function ends(name, v, low, high) {
  const go = (x, path) => {
    if (!Array.isArray(x)) return;
    if (x.length === 2 && x.every(y => typeof y === "number" || y === null || typeof y === "string")) {
      const key = path.length ? `${name}[${path.join(", ")}]` : name;
      low.set(key, x[0]);
      high.set(key, x[1]);
      return;
    }
    x.forEach((y, i) => go(y, [...path, i + 1]));
  };
  go(v, []);
}

function cut(rows, caption) {
  return table(rows.slice(0, longest + 1), rows.length > longest + 1 ? `${caption} (the first ${longest} of ${rows.length - 1})` : caption, true);
}

function summary(r) {
  const rows = [["", ""]];
  const add = (name, v) => { if (v !== undefined && v !== null && v !== "") rows.push([name, digits(v, 8)]); };
  add("log-likelihood", r.log_likelihood);
  for (const l of r.limits ?? []) add("at infinity: " + l.name, l.log_likelihood);
  add("AIC", r.aic);
  add("BIC", r.bic);
  add("free parameters", r.free_parameters);
  add("n", r.n);
  add("method", r.method);
  add("iterations", r.iterations);
  add("seconds", r.seconds === undefined ? undefined : +r.seconds.toPrecision(2));
  return table(rows, "Fit");
}

function latent(a, labels, matrices) {
  const means = flat(a.mean, labels, matrices), sds = flat(a.sd).map(p => p[1]);
  const low = new Map(), high = new Map();
  for (const [name, v] of Object.entries(a.intervals ?? {})) ends(name, v, low, high);
  const keys = flat(a.mean).map(p => p[0]);
  const rows = [["latent", "mean", "std. deviation", `${Math.round(100 * (a.level || .95))}% interval`]];
  means.forEach(([name, m], i) => rows.push([name, resolved(m, sds[i], 5), digits(sds[i], 3),
    low.has(keys[i]) ? `${resolved(low.get(keys[i]), sds[i])} to ${resolved(high.get(keys[i]), sds[i])}` : ""]));
  return cut(rows, "Latent variables");
}

function bound(a) {
  const rows = [["", ""]];
  const add = (name, v) => { if (v !== undefined && v !== null && v !== "") rows.push([name, digits(v, 7)]); };
  add("ELBO", a.elbo?.mean);
  add("its std. error", a.elbo?.standard_error === undefined ? undefined : +(+a.elbo.standard_error).toPrecision(2));
  add("k-hat", a.elbo?.k_hat === undefined ? undefined : +(+a.elbo.k_hat).toPrecision(2));
  add("log evidence", a.expectation_propagation?.log_evidence);
  add("n", a.n);
  add("method", a.method);
  add("steps", a.steps);
  add("seconds", a.seconds === undefined ? undefined : +a.seconds.toPrecision(2));
  return table(rows, "Approximation");
}

// compared is the table of several numbers of components; each can be fitted by itself.
function compared(c, one) {
  const rows = [["components", "log-likelihood", "parameters", "AIC", "BIC", "ICL", "best by", ""]];
  for (const n of c.fits) {
    const r = n.report, again = el("button", { type: "button", onclick: () => one(n.components) }, "fit " + n.components);
    rows.push(r ? [String(n.components), digits(r.log_likelihood, 8), digits(r.free_parameters), digits(r.aic, 8), digits(r.bic, 8), digits(r.icl, 8),
      (n.best ?? []).map(s => s.toUpperCase()).join(", "), again] : [String(n.components), n.error, "", "", "", "", "", again]);
  }
  return table(rows, "Numbers of components", true);
}

const list = (name, lines) => lines?.length ? [el("ul", { class: name }, ...lines.map(w => el("li", {}, w)))] : [];

// outcome returns what a fit found. One fits a number of components by itself.
export function outcome(f, command, one) {
  const r = f.report, out = [];
  if (f.kind === "comparison") {
    const best = r.fits.find(n => n.best?.includes("bic"));
    out.push(el("p", { class: "verdict" }, best ? `The best number of components by BIC is ${best.components}` : "No fit converged"),
      ...list("warnings", [...(r.warnings ?? []), ...r.fits.flatMap(n => (n.report?.warnings ?? []).map(w => `${n.components}: ${w}`))]), ...list("notes", f.notes),
      el("div", { class: "tables" }, compared(r, one)));
  } else {
    const posterior = f.kind === "posterior", post = posterior ? (r.posterior ?? r) : null;
    out.push(el("p", { class: "verdict" + (f.trouble ? " unsound" : "") }, f.trouble ? "No maximum: " + f.trouble : r.message), ...list("warnings", r.warnings),
      ...list("notes", f.notes), el("div", { class: "tables" }, posterior ? latent(post, f.labels, f.matrix_labels) : parameters(r, f.labels), posterior ? bound(r) : summary(r)));
  }
  const pictures = el("div", { class: "pictures" });
  for (const p of f.panels) {
    const fig = figure(p);
    if (p.name === "density" && f.frames) play(fig, p, f.frames);
    pictures.append(fig);
  }
  out.push(pictures, el("h3", {}, "The same in a shell"), el("pre", { class: "code" }, command));
  return out;
}
