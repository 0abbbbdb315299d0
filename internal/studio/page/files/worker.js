// Runs the program of the page beside it.
importScripts("wasm_exec.js");

self.onmessage = async ({ data }) => {
  if (data.module) {
    try {
      const go = new Go();
      const instance = await WebAssembly.instantiate(data.module, go.importObject);
      await go.run(instance);
      self.postMessage({ ended: "the program has ended" });
    } catch (e) {
      self.postMessage({ ended: String(e) });
    }
    return;
  }
  self.studioAnswer(data.id, data.method, data.question);
};
