// What answers the page: a server at api/, or workers that run the same program as WebAssembly. A question is a method and an object;
// the answer comes after any number of events.

class Server {
  async ask(method, question, { signal, told } = {}) {
    const response = await fetch("api/" + method, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
    if (!response.ok) throw fault({ message: (await response.text()).trim() });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "", last;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        if (message.event !== undefined) told?.(message.event);
        else last = message;
      }
    }
    if (!last) throw fault({ message: "the server has ended the answer early" });
    return settled(last);
  }
}

// One worker for each kind of question, so that none waits for a fit.
const workerOf = { check: "quick", gallery: "quick", columns: "quick", explain: "slow", code: "slow", draw: "fit", fit: "fit", regress: "fit", distributions: "quick" };

class Browser {
  workers = {};
  count = 0;

  constructor() {
    this.module = this.load();
    this.module.catch(() => {});
  }

  async load() {
    const response = await fetch("studio.wasm.gz");
    if (!response.ok) throw fault({ message: "studio.wasm.gz cannot be loaded: " + response.statusText });
    const bytes = response.body.pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
  }

  async worker(kind) {
    const module = await this.module;
    return this.workers[kind] ??= new Promise((resolve, reject) => {
      const worker = new Worker("worker.js");
      worker.asked = new Map();
      worker.onerror = e => {
        delete this.workers[kind];
        const error = fault({ message: e.message || "the program has ended" });
        reject(error);
        for (const call of worker.asked.values()) call.reject(error);
      };
      worker.onmessage = ({ data }) => {
        if (data.ready) return resolve(worker);
        if (data.ended) return worker.onerror({ message: data.ended });
        const call = worker.asked.get(data.id), message = JSON.parse(data.message);
        if (!call) return;
        if (message.event !== undefined) return call.told?.(message.event);
        worker.asked.delete(data.id);
        call.resolve(message);
      };
      worker.postMessage({ module });
    });
  }

  async ask(method, question, { signal, told } = {}) {
    const kind = workerOf[method];
    const worker = await this.worker(kind);
    signal?.throwIfAborted();
    const id = ++this.count;
    const answer = new Promise((resolve, reject) => worker.asked.set(id, { resolve, reject, told }));
    const stop = () => { // a program that computes does not listen: it is ended, and begun anew for the next question
      worker.terminate();
      delete this.workers[kind];
      for (const call of worker.asked.values()) call.reject(signal.reason);
    };
    signal?.addEventListener("abort", stop);
    worker.postMessage({ id, method, question: JSON.stringify(question) });
    try {
      return settled(await answer);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }
}

function settled(message) {
  if (message.error) throw fault(message.error);
  return message.result;
}

function fault({ message, hint }) {
  return Object.assign(new Error(message), { hint });
}

export const inBrowser = document.documentElement.dataset.engine === "browser";
export const engine = inBrowser ? new Browser() : new Server();
