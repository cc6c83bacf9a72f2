"use strict";
// A table with search, filters and sorting; the choices are in the address after #, so a link keeps them.
const form = document.querySelector("form.filters");
const table = document.getElementById(form.dataset.table);
const body = table.tBodies[0];
const controls = [...form.elements].filter((one) => one.name);
const heads = [...table.querySelectorAll("button[data-sort]")];
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const rows = [...body.rows].map((row) => {
  const claim = row.querySelector("th").textContent.trim();
  return { row, data: { ...row.dataset, claim }, words: folded(claim) };
});
const order = new Intl.Collator("en", { numeric: true }).compare;
let sorted = "number"; // with a minus: descending
let waits = false;

const passes = {
  words: (wanted, row) => folded(wanted).split(/\s+/).every((word) => row.words.includes(word)),
  is: (wanted, row, name) => row.data[name] === wanted,
  has: (wanted, row, name) => (row.data[name] || "").split("|").includes(wanted),
  least: (wanted, row, name) => name in row.data && Number(row.data[name]) >= Number(wanted),
  most: (wanted, row, name) => name in row.data && Number(row.data[name]) <= Number(wanted),
};

function filter() {
  const chosen = controls.filter((one) => one.value.trim() !== "");
  let count = 0;
  for (const one of rows) {
    const hidden = !chosen.every((by) => passes[by.dataset.how](by.value.trim(), one, by.dataset.of || by.name));
    if (one.row.hidden !== hidden) one.row.hidden = hidden;
    count += !hidden;
  }
  form.querySelector("[role=status]").textContent = `${count} of ${rows.length} ${table.dataset.noun}`;
}

function sort(by) {
  const name = by.replace(/^-/, "");
  const head = heads.find((one) => one.dataset.sort === name);
  if (!head) return;
  sorted = by;
  const sign = by === name ? 1 : -1;
  const isNumber = head.dataset.as === "number";
  const compare = (one, other) => {
    const [a, b] = [one.data[name], other.data[name]];
    if ((a ?? "") === "" || (b ?? "") === "") return ((a ?? "") === "") - ((b ?? "") === ""); // empty values last
    return sign * (isNumber ? a - b : order(a, b)) || one.data.number - other.data.number;
  };
  const moved = document.createDocumentFragment();
  for (const one of [...rows].sort(compare)) moved.append(one.row);
  body.append(moved);
  for (const one of heads) {
    const direction = sign > 0 ? "ascending" : "descending";
    one.parentElement.setAttribute("aria-sort", one === head ? direction : "none");
  }
}

function keep() {
  const kept = new URLSearchParams(controls.filter((one) => one.value.trim()).map((one) => [one.name, one.value]));
  if (sorted !== "number") kept.set("sort", sorted);
  history.replaceState(null, "", `#${kept}`);
}

function restore() {
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const one of controls) one.value = kept.get(one.name) ?? "";
  sort(kept.get("sort") ?? "number");
  filter();
}

function change() {
  if (waits) return;
  waits = true;
  requestAnimationFrame(() => {
    waits = false;
    filter();
    keep();
  });
}

form.addEventListener("input", change);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(change));
for (const one of heads) {
  one.disabled = false;
  one.addEventListener("click", () => {
    sort(sorted === one.dataset.sort ? `-${sorted}` : one.dataset.sort);
    keep();
  });
}
addEventListener("hashchange", restore);
form.hidden = false;
restore();
