// The inbox with the keyboard: j and k move, a approves, e edits, r rejects.
import { isTyping } from "./page.js";

const at = document.querySelector("#case");
const answer = document.querySelector("#answer");
const decide = document.querySelector("#decide");

const kind = new URLSearchParams(location.search).get("kind");
const go = (number) => { if (number) location.assign(`/inbox/${number}${kind ? `?kind=${encodeURIComponent(kind)}` : ""}`); };

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target === answer) {
    event.preventDefault();
    decide.requestSubmit();
    return;
  }
  if (event.key === "Escape" && event.target === answer) { answer.blur(); at.focus(); return; }
  if (!at || isTyping(event) || document.querySelector("dialog[open], .sheet:popover-open")) return;
  if (event.key === "j") go(at.dataset.after);
  else if (event.key === "k") go(at.dataset.before);
  else if (event.key === "a" && decide) { if (answer.value.trim()) decide.requestSubmit(); else answer.focus(); }
  else if (event.key === "e" && answer) { answer.focus(); answer.setSelectionRange(answer.value.length, answer.value.length); }
  else if (event.key === "r" && decide) document.querySelector("#rejecting").showPopover();
  else return;
  event.preventDefault();
});
