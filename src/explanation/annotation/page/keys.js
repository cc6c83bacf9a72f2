// Keys inside a sentence: 1 to 9 tick a kind, up and down change the sentence, left and right the kind.

export function onKey(event) {
  const fieldset = document.activeElement.closest("#answer fieldset");
  if (!fieldset || event.ctrlKey || event.altKey || event.metaKey) return;
  const boxes = [...fieldset.querySelectorAll("input")];
  if (/^[1-9]$/.test(event.key)) {
    boxes[event.key - 1].click();
    boxes[event.key - 1].focus();
  } else {
    const moved = neighbour(event.key, fieldset, boxes);
    if (moved === undefined) return;
    moved?.focus();
  }
  event.preventDefault();
}

// The box that an arrow leads to, null at an end, undefined for any other key.
function neighbour(key, fieldset, boxes) {
  const place = Math.max(boxes.indexOf(document.activeElement), 0);
  const inSentence = (other) => other && other.querySelectorAll("input")[place];
  switch (key) {
    case "ArrowUp": return inSentence(fieldset.previousElementSibling);
    case "ArrowDown": return inSentence(fieldset.nextElementSibling);
    case "ArrowLeft": return boxes[place - 1] ?? null;
    case "ArrowRight": return boxes[place + 1] ?? null;
    default: return undefined;
  }
}
