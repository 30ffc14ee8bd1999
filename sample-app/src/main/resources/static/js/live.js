/** What the server sends: server-sent events, and its time. */

const source = new EventSource("events");
const light = document.querySelector("#connection");
let offset = Number.NEGATIVE_INFINITY; // the server's clock minus ours; the greatest seen is the one least delayed

/** Calls `listener` with the data of every event of a topic. */
export function on(topic, listener) {
  source.addEventListener(topic, (event) => {
    const data = JSON.parse(event.data);
    if (data.now) {
      offset = Math.max(offset, data.now / 1000 - performance.now());
    }
    listener(data);
  });
}

/** Calls `listener` before the first events of a connection, the first one or one more. */
export function onOpen(listener) {
  source.addEventListener("open", listener);
}

/** The server's time in milliseconds. */
export function now() {
  return performance.now() + offset;
}

on("time", () => {});

onOpen(live);
on("well", live);

source.addEventListener("error", () => dead("the server does not answer"));
on("trouble", ({ sentence }) => dead(sentence));

function live() {
  show("live", "live");
}

function dead(sentence) {
  show(sentence, "dead");
}

/** A sentence that is set again would be read out again. */
function show(sentence, className) {
  if (light.textContent !== sentence) {
    light.textContent = sentence;
    light.className = className;
  }
}
