// Asking: the answer as it is written, and the source beside it.
import { isTyping, part, said } from "./page.js";

const form = document.querySelector("#asker");
const field = document.querySelector("#question");
const turns = document.querySelector("#turns");
const leaf = document.querySelector("#leaf");
const isNarrow = matchMedia("(max-width: 1120px)");
let open = null; // the reference whose source lies beside

/* The source beside the answer */

const sameNumber = (turn, number) => turn.querySelectorAll(`[data-number="${number}"]`);
const sentencesOf = (turn, number) =>
  [...turn.querySelectorAll(".s")].filter((each) => (each.dataset.numbers ?? "").split(" ").includes(String(number)));

function mark(reference, on) {
  const turn = reference.closest(".turn");
  if (!turn) return;
  for (const each of sameNumber(turn, reference.dataset.number)) each.classList.toggle("on", on);
  const keys = turn.querySelectorAll(".excerpt .key");
  const marked = keys.length ? [...keys] : sentencesOf(turn, reference.dataset.number);
  for (const each of marked) each.classList.toggle("on", on);
  for (const each of leaf.querySelectorAll("mark")) each.classList.toggle("on", on);
}

async function show(reference) {
  for (const each of document.querySelectorAll(".on")) each.classList.remove("on");
  const { html } = await part(reference.getAttribute("href").split("#")[0]);
  put(html);
  open = reference;
  mark(reference, true);
  if (isNarrow.matches) { leaf.classList.add("open"); leaf.focus({ preventScroll: true }); }
}

function put(html) {
  leaf.innerHTML = html;
  leaf.scrollTop = 0;
  leaf.toggleAttribute("data-empty", !leaf.querySelector("header"));
  const quote = leaf.querySelector("mark");
  if (quote) {
    // Of a wide sheet, the cell that was quoted is shown, with what stands before it as far as there is room.
    const rows = quote.closest(".sheet-rows");
    if (rows) rows.scrollLeft = quote.getBoundingClientRect().right - rows.getBoundingClientRect().right + 16;
    const head = leaf.querySelector("header")?.offsetHeight ?? 0;
    const away = quote.getBoundingClientRect().top - leaf.getBoundingClientRect().top - head - 80;
    if (away > 0) leaf.scrollTop = away;
  }
  for (const picture of leaf.querySelectorAll("[data-picture]")) {
    picture.addEventListener("error", () => picture.closest("figure").remove(), { once: true });
  }
}

function close() {
  leaf.classList.remove("open");
  open?.focus?.();
}

document.addEventListener("click", (event) => {
  const reference = event.target.closest("[data-number]");
  if (reference && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    show(reference);
  } else if (event.target.closest("[data-close-leaf]")) close();
});
for (const [kind, on] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
  document.addEventListener(kind, (event) => {
    const reference = event.target.closest?.("[data-number]");
    if (!reference) return;
    mark(reference, on);
    if (!on && open?.isConnected) mark(open, true);
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && leaf.classList.contains("open")) return close();
  if (isTyping(event) || !/^[1-9]$/.test(event.key)) return;
  const turn = document.activeElement.closest?.(".turn") ?? turns.querySelector(".turn:last-of-type");
  const reference = turn?.querySelector(`.ref[data-number="${event.key}"]`);
  if (reference) { event.preventDefault(); reference.focus(); show(reference); }
});
document.addEventListener("keydown", (event) => {
  if (isTyping(event) || !["j", "k"].includes(event.key)) return;
  const all = [...turns.querySelectorAll(".turn")];
  const at = all.indexOf(document.activeElement.closest?.(".turn"));
  const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? (event.key === "j" ? 0 : all.length - 1) : at + (event.key === "j" ? 1 : -1)))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
});

/* The answer as it is written */

field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
  else if (event.key === "Escape" && !event.isComposing && !leaf.classList.contains("open")) leave();
  else if (form.dataset.busy) form.dataset.typed = "1";
});

/** Out of the box, to the last answer: Tab then goes to its marks, and the keys of the page work. */
function leave() {
  field.blur();
  turns.querySelector(".turn:last-of-type:not([aria-busy])")?.focus({ preventScroll: true });
}

// Whoever goes on typing at an answer means the next question.
document.addEventListener("keydown", (event) => {
  const isText = (event.key.length === 1 && !/[\s1-9jk/?]/.test(event.key)) || event.key === "Dead";
  if (isText && event.target.matches(".turn") && !isTyping(event)) field.focus();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = field.value.trim();
  if (!question || form.dataset.busy) return;
  field.value = "";
  ask(question);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.asks")) return;
  event.preventDefault();
  const said = new FormData(event.target);
  ask(said.get("question"), undefined, said.get("similar"));
});

function begun(question) {
  document.querySelector("#welcome")?.remove();
  document.querySelector("main").classList.remove("start");
  document.body.classList.replace("wide-start", "with-leaf");
  document.querySelector("#last")?.removeAttribute("id");
  const turn = document.querySelector("#new-turn").content.cloneNode(true).querySelector(".turn");
  turn.id = "last";
  turn.querySelector(".question").textContent = question;
  // Asked again after a broken connection, it is the same question, and costs once.
  turn.dataset.key = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
  turns.append(turn);
  turn.scrollIntoView({ block: "start" });
  return turn;
}

async function ask(question, turn = begun(question), similar = null) {
  form.dataset.busy = "1";
  delete form.dataset.typed;
  let over = false;
  try {
    const body = new FormData(form);
    body.set("question", question);
    body.set("key", turn.dataset.key);
    if (similar) body.set("similar", similar);
    const response = await fetch("/ask", { method: "POST", body, headers: { Accept: "text/event-stream", "X-Sourcebook-Fragment": "1" } });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      failed(turn, await response.text(), question);
      over = true;
    } else {
      for await (const [name, content] of events(response.body)) over = happened(turn, name, content, question) || over;
    }
  } catch { /* the connection broke: below */ }
  delete form.dataset.busy;
  if (!over) await again(question, turn, similar);
}

function happened(turn, name, content, question) {
  const progress = turn.querySelector(".progress-text");
  if (name === "found" && content.count) progress.textContent = said("reading").replace("{n}", content.count).replace("{titles}", content.titles.slice(0, 3).join(", "));
  if (name === "draft") turn.querySelector(".answer").innerHTML = content.html;
  if (name === "said") { failed(turn, `<div class="answer">${content.html}</div>`, ""); return true; }
  if (name === "failed") { failed(turn, content.html, question); return true; }
  if (name !== "done") return false;
  const head = turn.querySelector(".question");
  const at = document.activeElement;
  const isHere = at === document.body || form.contains(at) || turn.contains(at);
  turn.innerHTML = content.html;
  turn.prepend(head);
  turn.tabIndex = -1;
  turn.removeAttribute("aria-busy");
  form.elements.session.value = content.session;
  form.querySelector("select")?.remove();
  history.replaceState(null, "", content.address);
  put(content.leaf);
  open = turn.querySelector(".answer .ref, .sources .ref");
  if (open) mark(open, true);
  if (isHere && !field.value && !form.dataset.typed) turn.focus({ preventScroll: true });
  refreshShelf(content.address);
  return true;
}

/** A new conversation stands in the list at once. */
async function refreshShelf(address) {
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
  for (const each of ["#shelf .sessions", "#shelf nav"]) document.querySelector(each)?.replaceWith(page.querySelector(each));
}

function failed(turn, html, question) {
  turn.querySelector(".answer").remove();
  turn.querySelector(".progress").outerHTML = html;
  turn.removeAttribute("aria-busy");
  if (!field.value) field.value = question;
}

/** The server went away in the middle. The question is kept, and asked again when the server is back. */
async function again(question, turn, similar) {
  const progress = turn.querySelector(".progress-text");
  turn.querySelector(".answer").replaceChildren();
  if (progress) progress.textContent = said("lost");
  form.dataset.busy = "1";
  for (let wait = 500; ; wait = Math.min(wait * 1.5, 5000)) {
    await new Promise((go) => { setTimeout(go, wait); });
    try { if ((await fetch("/healthz", { cache: "no-store" })).ok) break; } catch { /* not yet */ }
  }
  if (progress) progress.textContent = said("again");
  return ask(question, turn, similar);
}

/** The events of a stream, one by one. */
async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const whole = rest.split("\n\n");
    rest = whole.pop();
    for (const each of whole) {
      const name = /^event: (.*)$/m.exec(each)?.[1];
      const data = /^data: (.*)$/m.exec(each)?.[1];
      if (name && data) yield [name, JSON.parse(data)];
    }
  }
}

/* On opening */
if (location.hash === "#last" || turns.querySelectorAll(".turn").length > 1) document.querySelector("#last")?.scrollIntoView({ block: "start" });
if (leaf.querySelector("mark")) put(leaf.innerHTML);
const first = document.querySelector("#last .answer .ref");
if (first && leaf.querySelector("header")) { open = first; mark(first, true); }
if (location.hash === "#leaf" && isNarrow.matches) leaf.classList.add("open");
const asked = new URLSearchParams(location.search).get("question");
if (asked && field.value === asked) form.requestSubmit();
