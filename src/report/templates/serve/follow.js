// Follows a check on its page: every event holds the whole state.

const check = document.getElementById("check");
const at = (id) => document.getElementById(id);
let began = null; // start on this browser's clock, in milliseconds; null before it

function made(name, text, className) {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function showStatus(text) {
  if (at("status").textContent !== text) at("status").textContent = text;
}

function statusOf(state) {
  if (state.status === "waiting") return `Waiting, number ${state.place} in the queue`;
  if (state.cancelling) return "Being cancelled";
  const last = state.stages.at(-1);
  return last ? `Working: ${last.stage}` : "Working";
}

function stageItem(one) {
  const item = made("li");
  item.append(made("strong", one.stage));
  if (one.total) {
    const bar = made("progress");
    bar.max = one.total;
    bar.value = one.done;
    bar.ariaLabel = one.stage;
    item.append(" ", made("span", `${one.done} of ${one.total}`, "quiet"), bar);
  }
  item.append(...one.texts.map((text) => made("div", text, "quiet")));
  return item;
}

function draw(state) {
  showStatus(statusOf(state));
  began = state.began_at ? performance.now() - state.seconds * 1000 : null;
  at("stages").replaceChildren(...state.stages.map(stageItem));
}

function follow(address) {
  const events = new EventSource(address);
  events.addEventListener("state", (event) => draw(JSON.parse(event.data)));
  events.addEventListener("end", () => {
    events.close();
    location.reload();
  });
  events.addEventListener("error", () => {
    const gone = events.readyState === EventSource.CLOSED;
    showStatus(gone ? "The check was deleted; load the page again" : "The server does not answer; trying again");
  });
  window.addEventListener("beforeunload", () => events.close()); // else a reload could replace the page that opens
  setInterval(() => {
    if (began !== null) at("seconds").textContent = Math.round((performance.now() - began) / 1000);
  }, 1000);
}

if (check.dataset.events) follow(check.dataset.events);
