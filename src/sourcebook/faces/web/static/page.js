// What every place of the page shares: keys, copying, printing, notes on doubtful sentences.
document.documentElement.classList.add("js");

export const said = (key) => document.querySelector("#said")?.content.querySelector(`[data-said="${key}"]`)?.textContent ?? "";

/** Ask the server for a part of a page. An error is a part of a page, too. */
export async function part(address, options = {}) {
  const headers = { "X-Sourcebook-Fragment": "1", ...(options.headers ?? {}) };
  const response = await fetch(address, { ...options, headers });
  return { ok: response.ok, html: await response.text() };
}

export function toast(text) {
  document.querySelector(".toast")?.remove();
  const note = document.createElement("p");
  note.className = "toast";
  note.setAttribute("role", "status");
  note.textContent = text;
  document.body.append(note);
}

export const isTyping = (event) =>
  event.target.matches("input:not([type=checkbox]), textarea, select") || event.ctrlKey || event.metaKey || event.altKey;

// Lists that are worked through: j and k move, Enter opens.
const items = () => [...document.querySelectorAll("[data-item]")];
function move(step) {
  const all = items();
  if (!all.length) return false;
  const at = all.findIndex((item) => item.classList.contains("at"));
  const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
  all.forEach((item) => item.classList.toggle("at", item === next));
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

document.addEventListener("keydown", (event) => {
  if (isTyping(event)) return;
  if (event.key === "?") {
    document.querySelector("#keys").showModal();
  } else if (event.key === "/") {
    const field = document.querySelector("[data-focus-key], #question");
    if (!field) return location.assign("/search");
    field.focus();
    field.select?.();
  } else if (event.key === "j" || event.key === "k") {
    if (!move(event.key === "j" ? 1 : -1)) return;
  } else if (event.key === "Enter" && event.target.matches("[data-item]")) {
    event.target.querySelector("[data-open]")?.click();
  } else return;
  event.preventDefault();
});

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(copy.dataset.copy);
    toast(copy.dataset.copied ?? said("copied"));
  }
  if (event.target.closest("[data-print]")) {
    const turn = event.target.closest(".turn");
    document.body.classList.add("printing-one");
    turn.classList.add("printing");
    print();
    document.body.classList.remove("printing-one");
    turn.classList.remove("printing");
  }
  for (const open of document.querySelectorAll("details.inline[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});

// Why a sentence could not be checked, when it is touched.
let note = null;
function tell(sentence) {
  note?.remove();
  note = document.createElement("div");
  note.className = "hint-note";
  note.setAttribute("role", "tooltip");
  note.textContent = sentence.dataset.why;
  document.body.append(note);
  const box = sentence.getClientRects()[0];
  note.style.left = `${Math.max(8, Math.min(box.left, innerWidth - note.offsetWidth - 8)) + scrollX}px`;
  note.style.top = `${box.top + scrollY - note.offsetHeight - 8}px`;
}
const hush = () => { note?.remove(); note = null; };
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const sentence = event.target.closest?.("[data-why]");
    if (sentence) tell(sentence); else hush();
  });
}
document.addEventListener("focusout", hush);

// A form that must not be sent twice.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "dialog") return;
  const buttons = event.target.querySelectorAll("button");
  setTimeout(() => buttons.forEach((button) => {
    if (!button.disabled) button.dataset.sent = "";
    button.disabled = true;
    if (button.dataset.busy) button.textContent = button.dataset.busy;
  }));
});
addEventListener("pageshow", () => document.querySelectorAll("form button[data-sent]").forEach((button) => { button.disabled = false; }));
