import { row } from "./table.js";
import { watchLocks } from "./locks.js";

const form = document.querySelector("#sale");
const outcome = document.querySelector("#outcome");
const sales = document.querySelector("#sales tbody");
let busy = false;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy) {
    return;
  }
  const order = new URLSearchParams(new FormData(form));
  order.set("lock", event.submitter?.value ?? "true"); // Enter in a field: with the lock
  await watchLocks(() => sell(order));
});

async function sell(order) {
  setBusy(true);
  show("Selling …", "busy");
  try {
    const response = await fetch("sale", { method: "POST", body: order });
    const answer = await response.json();
    if (response.ok) {
      showResult(answer);
    } else {
      show(answer.detail ?? `The server answered ${response.status}.`, "bad");
    }
  } catch {
    show("The server does not answer.", "bad");
  } finally {
    setBusy(false);
  }
}

function showResult(sale) {
  const verdict = sale.oversold > 0 ? `, ${sale.oversold} more than there were` : ", none oversold";
  const books = sale.consistent ? "" : ` The item's row still says ${sale.left} left.`;
  const trouble = sale.gaveUp + sale.failed > 0 ? ` ${sale.gaveUp} gave up, ${sale.failed} failed.` : "";
  show(`Sold ${sale.sold} of ${sale.stock}${verdict}.${books}${trouble}`, sale.consistent ? "good" : "bad");

  const soldBy = Object.entries(sale.soldBy).map(([node, sold]) => `${node}: ${sold}`).join(", ");
  const lock = sale.lock ? "with" : "without";
  sales.prepend(row(lock, sale.stock, sale.sold, sale.oversold, sale.left, sale.buyers, time(sale.duration), soldBy));
  sales.closest(".scroll").hidden = false;
}

/** The server writes durations in ISO 8601: PT1M2.5S. */
function time(duration) {
  const [, minutes = 0, seconds = 0] = /^PT(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(duration) ?? [];
  return `${(minutes * 60 + Number(seconds)).toFixed(2)} s`;
}

function show(text, kind) {
  outcome.textContent = text;
  outcome.className = kind;
}

/** Buttons that were disabled would lose the keyboard's focus. */
function setBusy(now) {
  busy = now;
  for (const button of form.querySelectorAll("button")) {
    button.setAttribute("aria-disabled", now);
  }
}
