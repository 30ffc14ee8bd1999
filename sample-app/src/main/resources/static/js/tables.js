import { on } from "./live.js";
import { row, time } from "./table.js";

const locks = document.querySelector("#locks tbody");
const log = document.querySelector("#log tbody");

on("locks", (held) => {
  locks.replaceChildren(...held.map((lock) => row(
    lock.key,
    lock.mode.toLowerCase(),
    node(lock.owner),
    lock.token,
    `${lock.secondsHeld.toFixed(1)} s`,
    `${lock.secondsLeft.toFixed(1)} s`)));
});

on("log", (grants) => {
  log.replaceChildren(...grants.map((grant) => {
    const tr = row(
      grant.key,
      grant.mode.toLowerCase(),
      node(grant.owner),
      grant.status.toLowerCase(),
      time(grant.waitedMicros),
      grant.open ? "…" : time(grant.heldMicros));
    tr.classList.toggle("lost", ["LOST", "EXPIRED"].includes(grant.status));
    return tr;
  }));
});

/** An owner is its node and a number that makes it unique. */
function node(owner) {
  return owner.split("#")[0];
}
