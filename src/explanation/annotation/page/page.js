// One annotator's way through the explanations. The server keeps what is saved; ticks that are not saved yet stay here.

import { at, drawExplanation, drawKinds, drawSummary, tickedNow } from "./draw.js";
import { onKey } from "./keys.js";

const NAME = "annotator";
let study = null; // annotator, kinds, rated: of each place whether it is saved
let place = 0;
let laid = null; // hash, shown, errors: the explanation at this place
let since = 0;
let busy = false;
const drafts = new Map(); // errors, of explanations that were left without being saved
const spent = new Map(); // milliseconds that no saved rating has told yet
const here = () => `${place} ${study.annotator}`; // the key of both

async function ask(path, options) {
  const answer = await fetch(path, options).catch(() => {
    throw new Error("the server does not answer; start it again, then try once more");
  });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.status === 204 ? null : answer.json();
}

const query = (fields) => new URLSearchParams(fields).toString();

function tell(is, text) {
  at("status").dataset.is = is;
  at("status").textContent = text;
}

// One thing after the other: a second click waits for nothing and does nothing.
async function once(action) {
  if (busy) return;
  busy = true;
  try {
    await action();
  } catch (error) {
    tell("wrong", `Not done: ${error.message}`);
  }
  busy = false;
}

function show(id) {
  for (const one of ["begin", "rating", "summary"]) at(one).hidden = one !== id;
  at("who").hidden = id === "begin";
  at("steps").hidden = id !== "rating";
  window.scrollTo(0, 0);
}

async function begin(name) {
  study = await ask(`study?${query({ annotator: name })}`);
  localStorage.setItem(NAME, study.annotator);
  at("name").textContent = study.annotator;
  drawKinds(study.kinds);
  await goOn(study.rated.indexOf(false));
}

function askName() {
  laid = null;
  show("begin");
  tell("", "");
  at("annotator").value = localStorage.getItem(NAME) ?? "";
  at("annotator").focus();
}

async function goOn(where) {
  if (where >= 0) await open(where);
  else await finish();
}

async function open(where) {
  laid = await ask(`explanation?${query({ annotator: study.annotator, place: where })}`);
  place = where;
  const nothing = laid.shown.sentences.map(() => []);
  drawExplanation(laid.shown, study.kinds, drafts.get(here()) ?? laid.errors ?? nothing);
  at("place").textContent = `Explanation ${place + 1} of ${study.rated.length}, claim ${laid.shown.claim_id}`;
  at("previous").disabled = place === 0;
  at("next").disabled = place === study.rated.length - 1;
  show("rating");
  tellState();
  since = performance.now();
  at("claim").focus();
}

async function finish() {
  drawSummary(await ask(`summary?${query({ annotator: study.annotator })}`), study.kinds);
  laid = null;
  show("summary");
  tellState();
  at("summary").querySelector("h2").focus();
}

function isChanged() {
  if (laid === null) return false;
  const ticked = tickedNow();
  return JSON.stringify(ticked) !== JSON.stringify(laid.errors ?? ticked.map(() => []));
}

function tellState() {
  const done = study.rated.filter(Boolean).length;
  at("count").textContent = `${done} of ${study.rated.length} rated`;
  at("progress").max = study.rated.length;
  at("progress").value = done;
  if (laid === null) tell("", "");
  else if (isChanged()) tell("open", study.rated[place] ? "Changed, not saved yet" : "Not saved yet");
  else if (study.rated[place]) tell("saved", "Saved");
  else tell("open", "Not rated yet");
}

function countTime() {
  const now = performance.now();
  spent.set(here(), (spent.get(here()) ?? 0) + now - since);
  since = now;
}

async function save() {
  countTime();
  const errors = tickedNow();
  const seconds = Math.round(spent.get(here()) / 100) / 10;
  const rating = { annotator: study.annotator, place, hash: laid.hash, errors, seconds };
  const headers = { "Content-Type": "application/json" };
  await ask("rating", { method: "POST", headers, body: JSON.stringify(rating) });
  laid.errors = errors;
  study.rated[place] = true;
  drafts.delete(here());
  spent.delete(here());
  tellState();
}

// A rating that was given stays saved when it is changed; one that was not given is not given by leaving.
async function leave() {
  if (study.rated[place] && isChanged()) await save();
  else if (isChanged()) drafts.set(here(), tickedNow());
  countTime();
}

async function saveAndGoOn() {
  await save();
  await goOn(place + 1 < study.rated.length ? place + 1 : study.rated.indexOf(false));
}

at("begin").addEventListener("submit", (event) => {
  event.preventDefault();
  once(() => begin(at("annotator").value));
});
at("change").addEventListener("click", () => once(async () => {
  if (laid) await leave();
  askName();
}));
at("previous").addEventListener("click", () => once(() => leave().then(() => open(place - 1))));
at("next").addEventListener("click", () => once(() => leave().then(() => open(place + 1))));
at("save").addEventListener("click", () => once(saveAndGoOn));
at("again").addEventListener("click", () => once(() => open(0)));
at("sentences").addEventListener("change", tellState);
document.addEventListener("keydown", onKey);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat || !laid) return;
  event.preventDefault();
  once(saveAndGoOn);
});
window.addEventListener("beforeunload", (event) => {
  if (isChanged() || drafts.size) event.preventDefault();
});

const known = localStorage.getItem(NAME);
if (known) once(() => begin(known).catch((error) => { askName(); throw error; }));
else askName();
