/** What the server tells: server-sent events, and the time there. */

const source = new EventSource("events");
const light = document.querySelector("#connection");
let offset = Number.NEGATIVE_INFINITY; // the server's clock minus ours; the greatest seen is the one least delayed
let next = 0;

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

/** Calls `listener` with moments in their order, each once. */
export function onMoments(listener) {
  on("moments", ({ first, moments }) => {
    const news = moments.slice(Math.max(0, next - first));
    next = Math.max(next, first + moments.length);
    if (news.length > 0) {
      listener(news);
    }
  });
}

/** The server's time in milliseconds. */
export function now() {
  return performance.now() + offset;
}

on("time", () => {});

source.addEventListener("open", () => {
  next = 0;
  light.textContent = "live";
  light.className = "live";
});

source.addEventListener("error", () => {
  light.textContent = "the server does not answer";
  light.className = "dead";
});

on("trouble", ({ sentence }) => {
  light.textContent = sentence;
  light.className = "dead";
});
