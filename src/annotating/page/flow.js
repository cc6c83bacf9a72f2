// One annotator's way through the texts. The server keeps saved answers; unsaved answers stay here.
//
// `draw` has the task's screens: guide(study), task(shown, study, answer), empty(shown), answerOf(laid) (null where
// there is none yet), answerNow(), isWhole(answer), incomplete (the message where it is not), summary(found, study),
// noun.

import { at } from "./dom.js";

const NAME = "annotator";
const SCREENS = ["begin", "guide", "news", "rating", "summary"];
let draw = null;
let study = null; // annotator, stage, message, guide, rated: for each place, true if it is saved
let place = 0;
let laid = null; // hash, shown and answer of the text at this place
let back = -1; // the place from which the guidelines were opened
let since = 0;
let busy = false;
const drafts = new Map(); // unsaved answers to texts that were left
const spent = new Map(); // milliseconds that are in no saved answer yet
const here = () => `${study.message} ${place} ${study.annotator}`; // key of drafts and spent

async function ask(path, options) {
  const answer = await fetch(path, options).catch(() => {
    throw new Error("the server does not answer; start it again, then try once more");
  });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.status === 204 ? null : answer.json();
}

const query = (fields) => new URLSearchParams(fields).toString();
const opened = (name) => ask(`study?${query({ annotator: name })}`);

function tell(is, text) {
  at("status").dataset.is = is;
  at("status").textContent = text;
}

// One action at a time: a second click during an action has no effect.
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
  for (const one of SCREENS) at(one).hidden = one !== id;
  at("who").hidden = id === "begin";
  at("steps").hidden = id !== "rating";
  window.scrollTo(0, 0);
  at(id).querySelector("h2")?.focus();
}

// Shows a screen without a question.
function rest(id) {
  laid = null;
  show(id);
  tellState();
}

async function begin(name) {
  study = await opened(name);
  localStorage.setItem(NAME, study.annotator);
  at("name").textContent = study.annotator;
  draw.guide(study);
  if (!study.rated.length) tellNews();
  else if (study.rated.includes(true)) await goOn(study.rated.indexOf(false));
  else showGuide(-1);
}

function askName() {
  laid = null;
  show("begin");
  tell("", "");
  at("annotator").value = localStorage.getItem(NAME) ?? "";
  at("annotator").focus();
}

function showGuide(from) {
  back = from;
  at("message").textContent = study.message;
  rest("guide");
}

function tellNews() {
  at("news-message").textContent = study.message;
  at("news-on").hidden = !study.rated.length;
  rest("news");
}

async function goOn(where) {
  if (where >= 0) await open(where);
  else await finish();
}

async function open(where) {
  laid = await ask(`task?${query({ annotator: study.annotator, place: where })}`);
  place = where;
  draw.task(laid.shown, study, drafts.get(here()) ?? draw.answerOf(laid) ?? draw.empty(laid.shown));
  const stage = study.stage === "qualification" ? "Qualification: " : "";
  at("place").textContent = `${stage}${draw.noun} ${place + 1} of ${study.rated.length}, claim ${laid.shown.claim_id}`;
  at("previous").disabled = place === 0;
  at("next").disabled = place === study.rated.length - 1;
  show("rating");
  tellState();
  since = performance.now();
}

// After the last text: the next round of the study where there is one, else the counts.
async function finish() {
  const now = await opened(study.annotator);
  if (now.message !== study.message) {
    study = now;
    tellNews();
    return;
  }
  draw.summary(await ask(`summary?${query({ annotator: study.annotator })}`), study);
  rest("summary");
}

function isChanged() {
  if (laid === null) return false;
  return JSON.stringify(draw.answerNow()) !== JSON.stringify(draw.answerOf(laid) ?? draw.empty(laid.shown));
}

function tellState() {
  const done = study.rated.filter(Boolean).length;
  at("count").textContent = `${done} of ${study.rated.length} rated`;
  at("progress").max = study.rated.length || 1;
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
  const answer = draw.answerNow();
  if (!draw.isWhole(answer)) throw new Error(draw.incomplete);
  countTime();
  const seconds = Math.round(spent.get(here()) / 100) / 10;
  const rating = { annotator: study.annotator, place, hash: laid.hash, seconds, ...answer };
  const headers = { "Content-Type": "application/json" };
  await ask("rating", { method: "POST", headers, body: JSON.stringify(rating) });
  Object.assign(laid, answer);
  study.rated[place] = true;
  drafts.delete(here());
  spent.delete(here());
  tellState();
}

// Leaving a text saves changes to a saved answer, but keeps a new answer as a draft.
async function leave() {
  if (laid === null) return;
  if (study.rated[place] && isChanged()) await save();
  else if (isChanged()) drafts.set(here(), draw.answerNow());
  countTime();
}

async function saveAndGoOn() {
  await save();
  await goOn(place + 1 < study.rated.length ? place + 1 : study.rated.indexOf(false));
}

const click = (id, action) => at(id).addEventListener("click", () => once(action));

function listen() {
  at("begin").addEventListener("submit", (event) => {
    event.preventDefault();
    once(() => begin(at("annotator").value));
  });
  click("change", () => leave().then(askName));
  click("read", () => leave().then(() => showGuide(laid === null ? -1 : place)));
  click("guide-on", () => (study.rated.length ? goOn(back >= 0 ? back : study.rated.indexOf(false)) : tellNews()));
  click("news-on", () => goOn(study.rated.indexOf(false)));
  click("previous", () => leave().then(() => open(place - 1)));
  click("next", () => leave().then(() => open(place + 1)));
  click("save", saveAndGoOn);
  click("again", () => open(0));
  at("answer").addEventListener("input", tellState);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat || !laid) return;
    event.preventDefault();
    once(saveAndGoOn);
  });
  window.addEventListener("beforeunload", (event) => {
    if (isChanged() || drafts.size) event.preventDefault();
  });
}

export function run(drawing) {
  draw = drawing;
  listen();
  const known = localStorage.getItem(NAME);
  if (known) once(() => begin(known).catch((error) => { askName(); throw error; }));
  else askName();
}
