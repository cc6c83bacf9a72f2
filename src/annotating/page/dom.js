// Elements of the page. All texts become text nodes: markup in a claim or its evidence is shown as text.

export const at = (id) => document.getElementById(id);

export function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function drawCounts(cells) {
  const heads = cells.map(([head]) => element("th", { scope: "col" }, head));
  const values = cells.map(([, value]) => element("td", {}, `${value}`));
  at("counted").replaceChildren(
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, element("tr", {}, ...values)),
  );
}
