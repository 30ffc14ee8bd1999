import { on } from "./live.js";
import { scenario, strategiesOf } from "./scenario.js";

let strategies = ["lease", "row-lock", "unique-key"]; // until the server says which there are
const UNITS = { handoffMillis: "ms", perSecond: "/s" };

const form = document.querySelector("#race");
const charts = [...document.querySelectorAll("[data-bars]")];
let results = {};
let begun = {};
let turns = {};

form.addEventListener("begun", () => {
  results = {};
  begun = {};
  turns = {};
  draw();
});

strategiesOf("race", (names) => {
  strategies = names;
  draw();
});

on("racing", ({ node, progress }) => {
  begun[progress.strategy] ??= performance.now() - 200;
  turns[progress.strategy] = { ...turns[progress.strategy], [node]: progress.turns };
  draw();
});

on("race", (result) => {
  results[result.strategy] = result;
  draw();
});

scenario("race", (all, say) => {
  all.forEach((result) => (results[result.strategy] = result));
  draw();
  const overlaps = all.reduce((sum, result) => sum + result.overlaps, 0);
  const total = all.reduce((sum, result) => sum + result.turns, 0);
  say(`${total} turns on ${all[0].nodes} nodes; ${overlaps === 0 ? "never did two have the lock at once" : `${overlaps} times two had the lock at once`}.`,
    overlaps === 0 ? "good" : "bad");
}, { live: false });

/** What has come in so far: the result, or while it runs as many as there were by now. */
function value(strategy, measure) {
  if (results[strategy]) {
    return results[strategy][measure];
  }
  if (measure === "perSecond" && turns[strategy]) {
    const sum = Object.values(turns[strategy]).reduce((a, b) => a + b, 0);
    return (sum * 1000) / Math.max(200, performance.now() - begun[strategy]);
  }
  return undefined;
}

function draw() {
  for (const chart of charts) {
    const measure = chart.dataset.bars;
    const values = strategies.map((strategy) => value(strategy, measure));
    const most = Math.max(...values.map((one) => one ?? 0), 0.001);
    chart.replaceChildren(...strategies.map((strategy, i) => bar(strategy, values[i], most, UNITS[measure])));
  }
}

function bar(strategy, value, most, unit) {
  const line = document.createElement("div");
  line.className = `bar${results[strategy] ? "" : value === undefined ? " idle" : " running"}`;
  line.dataset.strategy = strategy;
  line.innerHTML = `<span class="name"></span><span class="track"><span class="fill"></span></span><span class="value"></span>`;
  line.querySelector(".name").textContent = strategy;
  line.querySelector(".fill").style.width = `${((value ?? 0) / most) * 100}%`;
  line.querySelector(".value").textContent = value === undefined ? "–" : `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`;
  return line;
}

draw();
