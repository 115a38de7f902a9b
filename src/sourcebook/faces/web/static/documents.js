// Bringing files: dropped or chosen, two at a time, each with its own progress and its own outcome.
import { part, said } from "./page.js";

const drop = document.querySelector("#drop");
const list = document.querySelector("#incoming");
const queue = [];
let running = 0;

if (drop) {
  const field = drop.querySelector("input[type=file]");
  field.addEventListener("change", () => { take(field.files); field.value = ""; });
  for (const kind of ["dragenter", "dragover"]) {
    addEventListener(kind, (event) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); drop.classList.add("over"); } });
  }
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); take(event.dataTransfer.files); });
}

function take(files) {
  for (const file of files) {
    const row = document.querySelector("#incoming-row").content.cloneNode(true).querySelector("li");
    row.querySelector(".incoming-name").textContent = file.name;
    list.append(row);
    queue.push([file, row]);
  }
  next();
}

function next() {
  while (running < 2 && queue.length) {
    running += 1;
    send(...queue.shift()).finally(() => {
      running -= 1;
      next();
      if (!running && !queue.length) finished();
    });
  }
}

function send(file, row) {
  const body = new FormData();
  body.set("collection", drop.dataset.collection);
  body.append("files", file);
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    const bar = row.querySelector("progress");
    const told = row.querySelector(".told");
    request.upload.onprogress = (event) => { bar.value = event.loaded / event.total; };
    request.upload.onload = () => { bar.removeAttribute("value"); told.textContent = said("waiting"); };
    request.onload = () => {
      const fresh = put(row, request.responseText);
      if (fresh) follow(fresh).then(done); else done();
    };
    request.onerror = () => { bar.remove(); told.textContent = said("lost"); done(); };
    request.open("POST", "/documents");
    request.setRequestHeader("X-Sourcebook-Fragment", "1");
    request.send(body);
  });
}

/** Put what the server says of a file in its place. A refusal of the whole request stands in the row itself. */
function put(row, html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  const fresh = made.content.querySelector("li");
  if (!fresh) { row.innerHTML = html; return null; }
  row.replaceWith(fresh);
  return fresh;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Ask how far an upload is until it is over. While the server is away, go on asking: it has the file. */
async function follow(row) {
  for (let wait = 300; row.dataset.upload; wait = Math.min(2000, wait * 1.3)) {
    await pause(wait);
    try {
      const { ok, html } = await part(`/uploads/${row.dataset.upload}`);
      if (!ok) return;
      row = put(row, html) ?? row;
    } catch { /* the server is away */ }
  }
}

/** The list below shows what came in. On the first run, there is something to ask now. */
async function finished() {
  if (location.pathname === "/ask") return list.querySelector("[data-done] a") && location.assign("/ask?done=first");
  if (location.pathname !== "/documents") return;
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  const fresh = page.querySelector("table"), old = document.querySelector("main table, main .empty");
  if (fresh && old) old.replaceWith(fresh);
  const lead = page.querySelector(".lead");
  if (lead) document.querySelector(".lead")?.replaceWith(lead);
  const count = page.querySelector(".foot p");
  if (count) document.querySelector(".foot p")?.replaceWith(count);
}

// What was on its way when the page was opened.
const open = [...(list?.querySelectorAll("[data-upload]") ?? [])];
if (open.length) Promise.all(open.map(follow)).then(finished);
