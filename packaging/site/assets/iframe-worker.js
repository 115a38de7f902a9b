// Browsers start no workers for pages that are opened as files. The search of the site wants one, so an iframe plays it.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(address) {
      super();
      this.#frame.hidden = true;
      this.#frame.srcdoc = `<script src="${new URL(address, location).href.replaceAll('"', "%22")}"></script>`;
      this.#ready = new Promise(done => this.#frame.addEventListener("load", done, { once: true })).then(() => {
        const inside = this.#frame.contentWindow;
        inside.importScripts = (...scripts) => scripts.reduce((before, script) => before.then(() => run(inside, script)), Promise.resolve());
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
        return inside;
      });
      document.body.append(this.#frame);
    }

    postMessage(data) {
      this.#ready.then(inside => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}

function run(inside, address) {
  const script = inside.document.createElement("script");
  script.src = address;
  return new Promise((done, failed) => {
    script.addEventListener("load", done);
    script.addEventListener("error", () => failed(new Error(`cannot load ${address}`)));
    inside.document.head.append(script);
  });
}
