// The state of the page in its address: JSON, deflated, in the letters of base64. It stays behind the #, which browsers send nowhere.

const longest = 60000; // of an address that is still passed on whole

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function packed(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return "#1." + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// pack returns the fragment of a state, without the data where these are too long.
export async function pack(state) {
  const all = await packed(state);
  if (all.length <= longest || !state.data) return { hash: all, whole: true };
  return { hash: await packed({ ...state, data: null }), whole: false };
}

// most is how long a state may be that an address says.
const most = 8 << 20;

export async function unpack(hash) {
  if (!hash.startsWith("#1.")) return null;
  const text = atob(hash.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
  const reader = new Blob([Uint8Array.from(text, c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    if ((size += value.length) > most) throw new Error("the address says too much");
    parts.push(value);
  }
  const state = JSON.parse(await new Blob(parts).text());
  return typeof state?.spec === "string" ? state : null;
}
