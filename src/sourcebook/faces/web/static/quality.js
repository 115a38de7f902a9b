// A comparison of models on its way: look again until it is over.
import { part } from "./page.js";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

for (let shown = document.querySelector("#comparison"); shown?.hasAttribute("data-running");) {
  await pause(1500);
  try {
    const { ok, html } = await part("/quality/compare");
    if (!ok) break;
    const made = document.createElement("template");
    made.innerHTML = html;
    const fresh = made.content.querySelector("#comparison");
    shown.replaceWith(fresh);
    shown = fresh;
  } catch { /* the server is away; it is asked again */ }
}
