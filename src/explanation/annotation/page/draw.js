// What is asked of an explanation: the kinds of errors in each sentence, with the evidence beside.

import { at, drawCounts, element } from "./shared/dom.js";

export const noun = "Explanation";
export const incomplete = "";
export const isWhole = () => true;
export const empty = (shown) => ({ errors: shown.sentences.map(() => []) });
export const answerOf = (laid) => laid.errors && { errors: laid.errors };

export function answerNow() {
  const checked = (fieldset) => [...fieldset.querySelectorAll("input:checked")].map((box) => box.value);
  return { errors: [...document.querySelectorAll("#answer fieldset")].map(checked) };
}

export function guide({ guide: { kinds, claim, verdict, evidence } }) {
  at("kinds").replaceChildren(...kinds.flatMap((kind) => [
    element("dt", {}, `${kind.code} ${kind.name}`),
    element("dd", { id: `kind-${kind.code}` }, kind.definition),
  ]));
  at("example-claim").textContent = claim;
  at("example-verdict").textContent = verdict;
  at("example-evidence").replaceChildren(...evidence.map((text) => element("li", {}, text)));
  at("examples").replaceChildren(...kinds.map(drawExample));
}

function drawExample(kind) {
  return element("tr", {},
    element("th", { scope: "row" }, `${kind.code} ${kind.name}`),
    element("td", {}, kind.definition),
    element("td", {}, element("q", {}, kind.example)),
    element("td", {}, kind.why));
}

export function task(shown, study, { errors }) {
  at("claim").textContent = shown.claim;
  const said = [shown.speaker, shown.claim_date].filter(Boolean).join(", ");
  const from = element("span", { className: "quiet" }, said && `Claim from: ${said}`);
  at("verdict").replaceChildren("Verdict: ", element("b", {}, shown.verdict), " ", from);
  at("pieces").replaceChildren(...(shown.evidence.length ? shown.evidence.map(drawPiece) : ["(none)"]));
  at("evidence").scrollTop = 0;
  const sentences = shown.sentences.map((one, place) => drawSentence(one, place, study.guide.kinds, errors[place]));
  at("answer").replaceChildren(...sentences);
}

function drawPiece(piece) {
  const made = element("li", { value: piece.number, id: `piece-${piece.number}`, tabIndex: -1 });
  if (piece.question) made.append(element("b", {}, piece.question));
  made.append(piece.text || (piece.question ? "(no answer)" : ""));
  return made;
}

function drawSentence(sentence, place, kinds, ticked) {
  const cites = sentence.cites.flatMap((number) => [" ", drawCite(number)]);
  const legend = element("legend", {}, element("span", {}, `${place + 1}`), sentence.text, ...cites);
  return element("fieldset", {}, legend, element("div", {}, ...kinds.map((kind) => drawBox(kind, ticked))));
}

function drawCite(number) {
  const link = element("a", { href: `#piece-${number}`, title: `Evidence ${number}` }, `[${number}]`);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelectorAll(".lit").forEach((one) => one.classList.remove("lit"));
    const piece = at(`piece-${number}`);
    piece.classList.add("lit");
    piece.scrollIntoView({ block: "nearest" });
    piece.focus({ preventScroll: true });
  });
  return link;
}

function drawBox(kind, ticked) {
  const box = element("input", { type: "checkbox", value: kind.code, checked: ticked.includes(kind.code) });
  box.setAttribute("aria-describedby", `kind-${kind.code}`);
  const name = element("span", {}, element("b", {}, kind.code), ` ${kind.name}`);
  return element("label", { className: "kind", title: kind.definition }, box, name);
}

export function summary(found, { guide: { kinds } }) {
  drawCounts([
    ["Explanations", found.ratings], ["Without any error", `${((100 * found.clean) / found.ratings).toFixed(1)} %`],
    ["Sentences", found.sentences], ["Errors", found.errors],
    ...kinds.map(({ code }) => [code, found.by_type[code]]),
  ]);
}
