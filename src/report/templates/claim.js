"use strict";
// Buttons that copy the text in their data-copy, or else their piece of evidence; without script they stay hidden.
(() => {
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
      copy(button.dataset.copy || evidence(button.closest("li"))).then(
        () => { said.textContent = "Copied"; button.focus(); },
        () => { said.textContent = "The browser does not let this page copy"; },
      );
    });
  }
})();
