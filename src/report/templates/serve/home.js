"use strict";
// Times in the reader's own time zone, and Ctrl+Enter in a text sends the form. The marks of evidence of a deleted check are forgotten (claim.js keeps them).
(() => {
  for (const one of document.querySelectorAll("time[datetime]")) {
    one.title = one.textContent;
    one.textContent = new Date(one.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
  const deleted = document.querySelector("[data-deleted]");
  if (deleted) {
    try {
      localStorage.removeItem(`marks of /check/${deleted.dataset.deleted}`);
    } catch {
      // no marks are kept where the browser does not allow it
    }
  }
  for (const area of document.querySelectorAll("form textarea")) {
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form.requestSubmit();
    });
  }
})();
