import { duration, scenario, trouble } from "./scenario.js";
import { row } from "./table.js";

const sales = document.querySelector("#sale-section tbody");

scenario("sale", (sale, say) => {
  const verdict = sale.oversold > 0 ? `, ${sale.oversold} more than there were` : ", none oversold";
  const part = sale.strategy === "transaction" ? " The lock was part of each transaction." : "";
  const books = sale.consistent ? "" : ` The item's row still says ${sale.left} left.`;
  say(`Sold ${sale.sold} of ${sale.stock}${verdict}.${books}${part}${trouble(sale)}`, sale.consistent ? "good" : "bad");

  const soldBy = Object.entries(sale.soldBy).map(([node, sold]) => `${node}: ${sold}`).join(", ");
  const tr = row(
    lock(sale), sale.stock, sale.sold, sale.oversold, sale.left, sale.buyers, duration(sale.duration), soldBy);
  tr.cells[3].classList.toggle("bad", sale.oversold > 0);
  tr.dataset.item = sale.itemId;
  sales.prepend(tr);
  sales.closest(".scroll").hidden = false;
  return sale.key;
});

function lock({ lock, strategy }) {
  if (!lock) {
    return "without";
  }
  return strategy === "transaction" ? "in the transaction" : "with";
}
