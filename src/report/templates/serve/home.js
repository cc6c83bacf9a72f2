"use strict";
// Times in the reader's own time zone, and Ctrl+Enter in a text sends the form.
(() => {
  for (const one of document.querySelectorAll("time[datetime]")) {
    one.title = one.textContent;
    one.textContent = new Date(one.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
  for (const area of document.querySelectorAll("form textarea")) {
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form.requestSubmit();
    });
  }
})();
