import { row } from "./table.js";
import { scenario, time, trouble } from "./scenario.js";

const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2 });
const loans = document.querySelector("#loans tbody");

scenario("loan", "Trading and repaying …", (loan, show) => {
  const done = `${loan.transferred} transfers, up to ${loan.transfersAtOnce} at once, and ${loan.repaid} repayments:`;
  show(`${done} ${verdict(loan)}.${trouble(loan)}`, loan.conserved ? "good" : "bad");

  const tr = row(
    loan.lock ? "with" : "without",
    loan.transferred,
    loan.transfersAtOnce,
    loan.repaid,
    loan.overlaps,
    amount(loan.paidOut),
    amount(loan.outstanding),
    amount(loan.claims),
    amount(loan.lost),
    amount(loan.created),
    time(loan.duration));
  tr.cells[4].classList.toggle("bad", loan.overlaps > 0);
  tr.cells[8].classList.toggle("bad", loan.lost > 0);
  tr.cells[9].classList.toggle("bad", loan.created > 0);
  loans.prepend(tr);
  loans.closest(".scroll").hidden = false;
});

function verdict({ conserved, lost, created }) {
  if (conserved) {
    return "every cent is where it belongs";
  }
  return `creditors lost ${amount(lost)}, and ${amount(created)} came from nowhere`;
}

function amount(cents) {
  return money.format(cents / 100);
}
