/** A table row; cells are text, or numbers that line up on the right. */
export function row(...cells) {
  const tr = document.createElement("tr");
  for (const cell of cells) {
    const td = tr.insertCell();
    td.textContent = cell;
    td.classList.toggle("number", typeof cell === "number" || /^[\d.]+ m?s$/.test(cell));
  }
  return tr;
}
