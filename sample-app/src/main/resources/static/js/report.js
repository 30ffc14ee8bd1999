import { duration, scenario, trouble } from "./scenario.js";
import { row } from "./table.js";

const batches = document.querySelector("#report-section tbody");

scenario("report", (batch, say) => {
  const tooMany = batch.atOnce > batch.permits;
  const reports = `${batch.rendered} report${batch.rendered === 1 ? "" : "s"}`;
  say(`${reports}, at most ${batch.atOnce} at a time.${trouble(batch)}`, tooMany ? "bad" : "good");

  const renderedBy = Object.entries(batch.renderedBy).map(([node, rendered]) => `${node}: ${rendered}`).join(", ");
  const tr = row(
    batch.lock ? "with" : "without", batch.permits, batch.atOnce, batch.rendered, duration(batch.duration), renderedBy);
  tr.cells[2].classList.toggle("bad", tooMany);
  tr.dataset.batch = batch.batchId;
  batches.prepend(tr);
  batches.closest(".scroll").hidden = false;
  return `report:${batch.batchId}`;
});
