import { run } from "./shared/flow.js";
import * as drawing from "./draw.js";
import { onKey } from "./keys.js";

document.addEventListener("keydown", onKey);
run(drawing);
