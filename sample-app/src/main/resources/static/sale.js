import { row } from "./table.js";
import { scenario, time, trouble } from "./scenario.js";

const sales = document.querySelector("#sales tbody");

scenario("sale", "Selling …", (sale, show) => {
  const verdict = sale.oversold > 0 ? `, ${sale.oversold} more than there were` : ", none oversold";
  const books = sale.consistent ? "" : ` The item's row still says ${sale.left} left.`;
  show(`Sold ${sale.sold} of ${sale.stock}${verdict}.${books}${trouble(sale)}`, sale.consistent ? "good" : "bad");

  const soldBy = Object.entries(sale.soldBy).map(([node, sold]) => `${node}: ${sold}`).join(", ");
  const lock = sale.lock ? "with" : "without";
  sales.prepend(row(lock, sale.stock, sale.sold, sale.oversold, sale.left, sale.buyers, time(sale.duration), soldBy));
  sales.closest(".scroll").hidden = false;
});
