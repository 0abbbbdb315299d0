// Elements from names, attributes and children. Texts are texts: markup is only what package studio has typeset.

export const $ = id => document.getElementById(id);

export function el(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value === true) e.setAttribute(key, "");
    else if (value !== false && value != null) e.setAttribute(key, value);
  }
  e.append(...children.filter(c => c != null));
  return e;
}

const svgSpace = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) if (value != null) e.setAttribute(key, value);
  e.append(...children.filter(c => c != null));
  return e;
}

// typeset returns formulas, which package mathml has made of known elements.
export function typeset(mathml) {
  const t = document.createElement("template");
  t.innerHTML = mathml;
  return t.content;
}

let toastTimer;
export function toast(text) {
  $("toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $("toast").textContent = ""; }, 3500);
}
