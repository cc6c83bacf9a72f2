// Form of a wrong prediction: one error class and a note, beside its program and evidence.

import { at, drawCounts, element } from "./shared/dom.js";

export const noun = "Program";
export const incomplete = "choose a class first";
export const isWhole = (answer) => answer.class !== null;
export const empty = () => ({ class: null, note: "" });
export const answerOf = (laid) => laid.class && { class: laid.class, note: laid.note };

export function answerNow() {
  const chosen = document.querySelector("#answer input:checked");
  return { class: chosen && chosen.value, note: document.querySelector("#answer textarea").value.trim() };
}

export function guide({ guide: classes }) {
  at("examples").replaceChildren(...classes.map((one) => element("tr", {},
    element("th", { scope: "row" }, one.class),
    element("td", {}, one.definition),
    element("td", {}, element("q", {}, one.claim), element("pre", {}, one.program.join("\n"))),
    element("td", {}, one.why))));
}

export function task(shown, study, answer) {
  at("claim").textContent = shown.claim;
  at("verdict").replaceChildren(
    "Predicted: ", element("b", {}, shown.predicted), ` (${shown.value}); right: `, element("b", {}, shown.right));
  at("steps-list").replaceChildren(...shown.steps.map(drawStep));
  at("label").textContent = `${shown.label} → ${shown.value}`;
  at("said").replaceChildren(...shown.said.map((text) => element("li", {}, text)));
  at("written").textContent = shown.written;
  at("written-box").hidden = !shown.written;
  at("gold").replaceChildren(...(shown.gold.length ? shown.gold : ["(none)"]).map((text) => element("li", {}, text)));
  at("pieces").replaceChildren(...shown.steps.map(drawEvidence));
  at("evidence").scrollTop = 0;
  at("answer").replaceChildren(...drawAnswer(study.guide, answer));
}

const drawStep = (step) => element("li", {}, element("code", {}, step.call), " → ", element("b", {}, step.value));

function drawEvidence(step) {
  const read = step.evidence.length ? step.evidence : ["(none)"];
  return element("li", {}, element("b", {}, step.call), ...read.map((text) => element("p", {}, text)));
}

function drawAnswer(classes, answer) {
  const choices = classes.map((one, place) => drawChoice(one, place, answer.class === one.class));
  const note = element("textarea", { id: "note", rows: 2, maxLength: 2000, value: answer.note });
  const legend = element("legend", {}, "What went wrong?");
  const fieldset = element("fieldset", { className: "choice" }, legend, element("div", {}, ...choices));
  return [fieldset, element("label", { htmlFor: "note" }, "Note (optional)"), note];
}

function drawChoice(one, place, checked) {
  const box = element("input", { type: "radio", name: "class", value: one.class, checked });
  box.setAttribute("aria-describedby", `class-${one.class}`);
  const text = element("span", {}, element("b", {}, `${place + 1} ${one.class}`));
  const meaning = element("span", { id: `class-${one.class}`, className: "quiet" }, one.definition);
  return element("div", {}, element("label", { className: "kind" }, box, text), meaning);
}

export function summary(found) {
  drawCounts([["Programs", found.programs], ...Object.entries(found.by_class)]);
}
