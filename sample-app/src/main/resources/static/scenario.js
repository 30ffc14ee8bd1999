import { watchLocks } from "./locks.js";

/** Runs the form's scenario on submit, with or without the lock, and shows what comes of it. */
export function scenario(name, busyText, showResult) {
  const form = document.querySelector(`#${name}`);
  const outcome = document.querySelector(`#${name}-outcome`);
  let busy = false;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) {
      return;
    }
    const order = new URLSearchParams(new FormData(form));
    order.set("lock", event.submitter?.value ?? "true"); // Enter in a field: with the lock
    await watchLocks(() => run(order));
  });

  async function run(order) {
    setBusy(true);
    show(busyText, "busy");
    try {
      const response = await fetch(name, { method: "POST", body: order });
      const answer = await response.json();
      if (response.ok) {
        showResult(answer, show);
      } else {
        show(answer.detail ?? `The server answered ${response.status}.`, "bad");
      }
    } catch {
      show("The server does not answer.", "bad");
    } finally {
      setBusy(false);
    }
  }

  function show(text, kind) {
    outcome.textContent = text;
    outcome.className = `outcome ${kind}`;
  }

  /** Buttons that were disabled would lose the keyboard's focus. */
  function setBusy(now) {
    busy = now;
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-disabled", now);
    }
  }
}

/** What to add to the outcome of a run that was not smooth. */
export function trouble({ gaveUp, failed }) {
  return gaveUp + failed > 0 ? ` ${gaveUp} gave up, ${failed} failed.` : "";
}

/** The server writes durations in ISO 8601: PT1M2.5S. */
export function time(duration) {
  const [, minutes = 0, seconds = 0] = /^PT(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(duration) ?? [];
  return `${(minutes * 60 + Number(seconds)).toFixed(2)} s`;
}
