// Searches the sections of all pages for words; those in headings count most.
const field = document.getElementById("search"), found = document.getElementById("found");
if (matchMedia("(max-width: 48rem)").matches) document.querySelector("nav details").open = false;

let index;
const load = () => index ??= fetch("index.json").then(r => r.json());
field.addEventListener("focus", load);

const escaped = s => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function excerpt(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 50), out = [];
  const piece = (at ? "…" : "") + text.slice(at, at + 160);
  for (const part of piece.split(new RegExp(`(${words.map(escaped).join("|")})`, "i"))) {
    if (words.includes(part.toLowerCase())) { const m = document.createElement("mark"); m.textContent = part; out.push(m); } else out.push(part);
  }
  return out;
}

field.addEventListener("input", async () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(w => w.length > 1);
  const all = await load();
  const score = e => {
    const heading = e.heading.toLowerCase(), text = e.text.toLowerCase();
    let sum = 0;
    for (const w of words) {
      const hits = text.split(w).length - 1, top = heading.includes(w) ? 20 : 0;
      if (!hits && !top) return 0;
      sum += top + Math.min(hits, 8);
    }
    return sum;
  };
  const hits = words.length ? all.map(e => [score(e), e]).filter(h => h[0]).sort((a, b) => b[0] - a[0]).slice(0, 12) : [];
  found.replaceChildren(...hits.map(([, e]) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = e.url;
    link.append(e.page === e.heading ? e.page : `${e.page}: ${e.heading}`);
    small.append(...excerpt(e.text, words));
    link.append(small);
    item.append(link);
    return item;
  }));
  if (words.length && !hits.length) { const none = document.createElement("li"); none.textContent = "nothing found"; found.append(none); }
  found.hidden = !words.length;
});
addEventListener("keydown", e => {
  if (e.key === "/" && !/input|textarea/i.test(document.activeElement.tagName)) { e.preventDefault(); field.focus(); }
  if (e.key === "Escape") found.hidden = true;
});
document.addEventListener("click", e => { if (!e.target.closest(".search")) found.hidden = true; });
