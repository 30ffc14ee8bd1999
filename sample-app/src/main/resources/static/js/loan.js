import { duration, scenario, trouble } from "./scenario.js";
import { row } from "./table.js";

const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2 });
const loans = document.querySelector("#loan-section tbody");

scenario("loan", (loan, say) => {
  const together = loan.transferred > 1 ? `, up to ${loan.transfersAtOnce} at once,` : "";
  const done = `${count(loan.transferred, "transfer")}${together} and ${count(loan.repaid, "repayment")}`;
  say(`${done}: ${verdict(loan)}.${trouble(loan)}`, loan.conserved ? "good" : "bad");

  const tr = row(
    loan.lock ? "with" : "without",
    amount(loan.lost),
    amount(loan.created),
    loan.transferred,
    loan.transfersAtOnce,
    loan.repaid,
    loan.overlaps,
    amount(loan.paidOut),
    amount(loan.outstanding),
    duration(loan.duration));
  tr.cells[1].classList.toggle("bad", loan.lost > 0);
  tr.cells[2].classList.toggle("bad", loan.created > 0);
  tr.cells[6].classList.toggle("bad", loan.overlaps > 0);
  tr.dataset.debt = loan.debtId;
  loans.prepend(tr);
  loans.closest(".scroll").hidden = false;
  return `debt:${loan.debtId}`;
});

function verdict({ conserved, lost, created }) {
  if (conserved) {
    return "every cent is where it belongs";
  }
  const wrong = [];
  if (lost > 0) {
    wrong.push(`creditors lost ${amount(lost)}`);
  }
  if (created > 0) {
    wrong.push(`${amount(created)} came from nowhere`);
  }
  return wrong.join(", and ") || "what is owed does not add up";
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function amount(cents) {
  return money.format(cents / 100);
}
