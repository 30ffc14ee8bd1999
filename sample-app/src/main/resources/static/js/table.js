/** A table row; cells are text, or numbers, times and amounts that line up on the right. */
export function row(...cells) {
  const tr = document.createElement("tr");
  for (const cell of cells) {
    const td = tr.insertCell();
    td.textContent = cell;
    td.classList.toggle("number", typeof cell === "number" || /^[\d.]+ m?s$|^[\d,]+\.\d\d$/.test(cell));
  }
  return tr;
}

/** Milliseconds or seconds, whichever reads better. */
export function time(micros) {
  return micros < 1e6 ? `${(micros / 1000).toFixed(1)} ms` : `${(micros / 1e6).toFixed(2)} s`;
}
