"use strict";
// Times in the reader's own time zone, marks of evidence as wrong, with the verdict without it, and buttons that copy the text in their data-copy, or else their piece of evidence;
// without script they stay hidden. Marks are kept in the browser for this page and the time of its check, where the browser lets the page keep something (home.js forgets them).
(() => {
  const key = `marks of ${location.pathname}`;
  const checkedAt = document.querySelector("time[datetime]")?.dateTime ?? "";
  const stored = (use) => {
    try {
      return use(localStorage);
    } catch {
      return null; // not allowed, as in some files, or full
    }
  };
  for (const one of document.querySelectorAll("time[datetime]")) {
    one.title = one.textContent;
    one.textContent = new Date(one.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
  let marked = "";
  const without = document.getElementById("without");
  if (without) {
    const verdicts = JSON.parse(without.dataset.verdicts);
    const hint = without.textContent;
    const marks = [...document.querySelectorAll(".mark")];
    const boxes = marks.map((mark) => mark.querySelector("input"));
    const keep = () => stored((storage) => {
      const numbers = boxes.filter((box) => box.checked).map((box) => box.value);
      if (numbers.length) storage.setItem(key, JSON.stringify({ checkedAt, numbers }));
      else storage.removeItem(key);
    });
    const show = () => {
      const numbers = boxes.filter((box) => box.checked).map((box) => Number(box.value)).sort((one, other) => one - other);
      for (const box of boxes) box.closest("li").classList.toggle("marked", box.checked);
      const named = numbers.map((number) => `[${number}]`).join(", ");
      without.textContent = numbers.length ? `Without ${named}: ${verdicts[numbers.join(",")]}` : hint;
      without.classList.toggle("changed", numbers.length > 0);
      marked = numbers.length ? `\nThe reader left out evidence as wrong or irrelevant. ${without.textContent}` : "";
    };
    for (const mark of [without, ...marks]) mark.hidden = false;
    for (const box of boxes) box.addEventListener("change", () => { show(); keep(); });
    stored((storage) => {
      if (storage.getItem("deleted") === location.pathname) storage.removeItem("deleted"); // it was restored
    });
    const kept = stored((storage) => JSON.parse(storage.getItem(key)));
    if (kept?.checkedAt === checkedAt) for (const box of boxes) box.checked = kept.numbers.includes(box.value);
    show();
  }
  const said = document.getElementById("copied");
  // Where a page has no clipboard, as over plain http from another machine, the selection is copied.
  const bySelection = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone ? Promise.resolve() : Promise.reject(new Error("not copied"));
  };
  const copy = (text) => (navigator.clipboard ? navigator.clipboard.writeText(text).catch(() => bySelection(text)) : bySelection(text));
  const evidence = (item) => {
    const link = item.querySelector("a[href^='http']");
    return `\u201c${item.querySelector(".answer").textContent}\u201d${link ? ` ${link.href}` : ""}`;
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      copy(button.dataset.copy ? button.dataset.copy + marked : evidence(button.closest("li"))).then(
        () => { said.textContent = "Copied"; button.focus(); },
        () => { said.textContent = "The browser does not let this page copy"; },
      );
    });
  }
})();
