import { now, on, onOpen } from "./live.js";
import { obstacle } from "./obstacle.js";
import { showLive, showRun } from "./timeline.js";

/** Looks at every form again: what one of them needs may be there now, or gone. */
const refreshes = [];

on("nodes", refresh);

/**
 * Runs the form's scenario on submit and shows what comes of it. `show` is given the server's answer and a function that
 * writes the outcome; it returns the key of the run, to be shown whole, if there is one.
 */
export function scenario(name, show, { live = true } = {}) {
  const form = document.querySelector(`#${name}`);
  const outcome = form.parentElement.querySelector(`#${name} ~ .outcome`);
  const blocked = obstacle(form, name);
  let busy = false;
  refreshes.push(() => form.querySelectorAll(".buttons button").forEach((button) => {
    button.setAttribute("aria-disabled", blocked(busy) || busy);
  }));
  form.addEventListener("input", refresh);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy || blocked(busy)) {
      return;
    }
    const order = new URLSearchParams(new FormData(form));
    if (form.querySelector("button[name=lock]")) {
      order.set("lock", event.submitter?.value ?? "true"); // Enter in a field: with the lock
    }
    if (event.submitter?.dataset.strategy) {
      order.set("strategy", event.submitter.dataset.strategy);
    }
    await run(order);
  });

  async function run(order) {
    setBusy(true);
    say(form.dataset.busy, "busy");
    if (live) {
      showLive();
    }
    form.dispatchEvent(new CustomEvent("begun", { detail: { at: now(), lock: order.get("lock"), strategy: order.get("strategy") } }));
    try {
      const response = await fetch(name, { method: "POST", body: order });
      const answer = await response.json();
      if (response.ok) {
        const key = show(answer, say);
        form.dispatchEvent(new CustomEvent("ended", { detail: answer }));
        if (key) {
          setTimeout(() => showRun(key), 400); // the last moments are on their way
        }
      } else {
        say(answer.detail ?? `The server answered ${response.status}.`, "bad");
      }
    } catch (failure) {
      say(failure instanceof TypeError && !navigator.onLine ? "There is no network." : "The server does not answer.", "bad");
    } finally {
      setBusy(false);
    }
  }

  function say(text, kind) {
    outcome.textContent = text;
    outcome.className = `outcome ${kind}`;
  }

  /** Buttons that were disabled would lose the keyboard's focus. */
  function setBusy(now) {
    busy = now;
    form.toggleAttribute("data-running", now);
    refresh();
  }
}

/** Calls `listener` with the strategies that a scenario may have, whenever the server is there: it may be another one. */
export function strategiesOf(name, listener) {
  onOpen(async () => listener(await (await fetch(name)).json()));
}

function refresh() {
  refreshes.forEach((one) => one());
}

/** What to add to the outcome of a run that was not smooth. */
export function trouble({ gaveUp, failed }) {
  return gaveUp + failed > 0 ? ` ${gaveUp} gave up, ${failed} failed.` : "";
}

/** The server writes durations in ISO 8601: PT1M2.5S. */
export function duration(text) {
  const [, minutes = 0, seconds = 0] = /^PT(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  return `${(minutes * 60 + Number(seconds)).toFixed(2)} s`;
}
