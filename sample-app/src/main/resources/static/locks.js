import { row } from "./table.js";

const FAST = 200; // ms between looks while something runs
const SLOW = 2000;

const locks = document.querySelector("#locks tbody");
const none = document.querySelector("#no-locks");
let running = 0;
let timer;

/** Looks at the locks often until the work is done. */
export async function watchLocks(work) {
  running++;
  look();
  try {
    return await work();
  } finally {
    running--;
  }
}

async function look() {
  clearTimeout(timer);
  try {
    const response = await fetch("locks");
    show(response.ok ? await response.json() : [], response.ok ? "No lock is held." : "The locks cannot be read.");
  } catch {
    show([], "The server does not answer.");
  }
  clearTimeout(timer);
  timer = setTimeout(look, running > 0 ? FAST : SLOW);
}

function show(held, otherwise) {
  locks.replaceChildren(...held.map((lock) =>
    row(lock.key, lock.mode.toLowerCase(), lock.owner, lock.token, seconds(lock.secondsHeld), seconds(lock.secondsLeft))));
  locks.closest(".scroll").hidden = held.length === 0;
  none.textContent = otherwise;
  none.hidden = held.length > 0;
}

function seconds(value) {
  return `${value.toFixed(2)} s`;
}

look();
