import { on } from "./live.js";
import { scenario, strategiesOf } from "./scenario.js";

const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2 });
const steps = document.querySelector("#steps");
const inRedis = document.querySelectorAll("#pause-section [data-needs=redis]");

document.querySelector("#pause").addEventListener("begun", () => steps.replaceChildren());

on("step", ({ sentence }) => {
  const item = document.createElement("li");
  item.textContent = sentence;
  steps.append(item);
});

strategiesOf("pause", (names) => inRedis.forEach((element) => {
  element.hidden = !names.includes("redis");
}));

scenario("pause", (run, say) => {
  const paid = `${amount(run.paidOut)} was paid out of ${amount(run.opened)}, the balance is ${amount(run.balance)}`;
  const refused = run.refused ? `The commit of ${run.paused} was refused: ` : "Both were committed: ";
  say(`${refused}${paid}${run.consistent ? "." : ". A withdrawal is missing."}`, run.consistent ? "good" : "bad");
  steps.dataset.account = run.accountId;
  return run.key;
});

function amount(cents) {
  return money.format(cents / 100);
}
