"use strict";
// Times in the reader's own time zone, and Ctrl+Enter in a text sends the form. The marks of evidence of a deleted check (claim.js keeps them) are forgotten when another one is deleted, for until then the check can be restored.
(() => {
  for (const one of document.querySelectorAll("time[datetime]")) {
    one.title = one.textContent;
    one.textContent = new Date(one.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
  const deleted = document.querySelector("[data-deleted]")?.dataset.deleted;
  if (deleted) {
    try {
      const before = localStorage.getItem("deleted");
      if (before && before !== deleted) localStorage.removeItem(`marks of ${before}`);
      localStorage.setItem("deleted", deleted);
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
