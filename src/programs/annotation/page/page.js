import { run } from "./shared/flow.js";
import * as drawing from "./draw.js";

// The keys 1 to 5 choose a class, except in the note.
document.addEventListener("keydown", (event) => {
  if (!/^[1-5]$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("textarea, input:not([type=radio])")) return;
  const choices = document.querySelectorAll("#answer input");
  if (!choices.length || document.querySelector("#rating").hidden) return;
  choices[event.key - 1].click();
  choices[event.key - 1].focus();
  event.preventDefault();
});
run(drawing);
