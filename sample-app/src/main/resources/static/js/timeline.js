/** The timeline: lanes of bars in SVG, live or at rest. */

import { History } from "./history.js";
import { now, on, onOpen } from "./live.js";
import { animated } from "./animation.js";

const SVG = "http://www.w3.org/2000/svg";
const TOP = 24;
const BOTTOM = 6;
const ROW = { least: 10, most: 20 };
const OFFERED = 38;
const SPANS = [500, 1000, 2000, 5000, 10_000, 20_000, 60_000];

const history = new History();
const figure = document.querySelector("#timeline");
const svg = figure.querySelector("svg");
const keys = document.querySelector("#timeline-key");
const live = document.querySelector("#timeline-live");
const run = document.querySelector("#timeline-run");
const summary = document.querySelector("#timeline-summary");

let span = 10_000;
let right; // the time at the right edge; undefined while live
let dirty = true;
let row = ROW.most;

onOpen(() => history.clear()); // all that is remembered is sent again

on("moments", ({ moments }) => {
  moments.forEach((moment) => history.add(moment));
  offerKeys();
  dirty = true;
});

on("nodes", (nodes) => {
  figure.dataset.nodes = nodes.map((node) => node.name).join(" ");
});

/** Shows what happens now, of one key or of all. */
export function showLive(key = "") {
  right = undefined;
  span = 10_000;
  choose(key);
}

/** Stops, and shows all that happened to a key. */
export function showRun(key) {
  const bars = history.bars.filter((bar) => bar.key === key);
  if (bars.length === 0) {
    return;
  }
  const start = Math.min(...bars.map((bar) => bar.start));
  const end = Math.max(...bars.map((bar) => endOf(bar, now())));
  span = Math.max(100, (end - start) * 1.06);
  right = end + (end - start) * 0.03;
  choose(key);
}

function choose(key) {
  offerKeys(key);
  keys.value = key;
  live.setAttribute("aria-pressed", right === undefined);
  offerRun();
}

/** A whole run is one key's; the sentence above says so. */
function offerRun() {
  run.setAttribute("aria-disabled", keys.value === "");
  dirty = true;
}

/** The latest ones, the last first, and the one that is chosen however old it is. */
function offerKeys(wanted = keys.value) {
  const offered = [...new Set(["", ...history.keys().slice(-OFFERED).reverse(), wanted])];
  if (offered.join() !== [...keys.options].map((option) => option.value).join()) {
    keys.replaceChildren(...offered.map((key) => new Option(key || "all keys", key)));
    keys.value = wanted;
  }
}

function zoom(step) {
  const middle = (right ?? now()) - span / 2;
  const nearest = SPANS.findIndex((one) => one >= span * 0.999);
  const index = (nearest < 0 ? SPANS.length - 1 : nearest) + step;
  span = SPANS[Math.min(SPANS.length - 1, Math.max(0, index))];
  if (right !== undefined) {
    right = middle + span / 2;
  }
  dirty = true;
}

function move(part) {
  right = (right ?? now()) + span * part;
  if (right >= now()) {
    right = undefined;
  }
  live.setAttribute("aria-pressed", right === undefined);
  dirty = true;
}

const ACTIONS = {
  live: () => showLive(keys.value),
  in: () => zoom(-1),
  out: () => zoom(1),
  back: () => move(-0.25),
  on: () => move(0.25),
  run: () => (keys.value ? showRun(keys.value) : keys.focus()),
  save: () => save(),
};

document.querySelector("#see").addEventListener("click", (event) => {
  ACTIONS[event.target.closest("button")?.dataset.do]?.();
});

figure.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return; // the browser's own
  }
  const action = { ArrowLeft: "back", ArrowRight: "on", "+": "in", "-": "out", Home: "run", End: "live" }[event.key];
  if (action) {
    ACTIONS[action]();
    event.preventDefault();
  }
});

keys.addEventListener("change", offerRun);

/** The picture as it is, revealed from left to right again and again. */
export function picture() {
  return animated(svg, seconds());
}

function seconds() {
  return Math.min(12, Math.max(4, span / 400));
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([picture()], { type: "image/svg+xml" }));
  link.download = "timeline.svg";
  link.click();
  URL.revokeObjectURL(link.href);
}

function draw() {
  const end = right ?? now();
  const start = end - span;
  const key = keys.value;
  const seen = history.bars.filter((bar) => (!key || bar.key === key) && bar.start <= end && endOf(bar, end) >= start);
  const lanes = lanesOf(seen);
  const width = Math.max(280, svg.clientWidth);
  const label = width < 500 ? 64 : 112;
  row = rowFor(lanes.length);
  const height = TOP + Math.max(3, lanes.length) * row + BOTTOM;
  svg.classList.toggle("dense", row < 16);
  const x = (time) => label + ((Math.min(end, Math.max(start, time)) - start) / span) * (width - label - 6);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.replaceChildren(defs(), ...axis(start, end, x, height, label), ...rows(lanes, width, label));

  const marks = element("g", { class: "marks" });
  lanes.forEach((lane, place) => {
    const y = TOP + place * row;
    for (const pause of history.pauses.filter((one) => one.node === lane.node && (one.end ?? end) >= start && one.start <= end)) {
      marks.append(titled(element("rect", {
        class: "paused", x: x(pause.start), y, width: Math.max(1, x(pause.end ?? end) - x(pause.start)), height: row,
      }), `${lane.node} is paused`));
    }
    for (const bar of seen.filter((one) => one.lane === lane.lane)) {
      marks.append(...shapes(bar, y, x, end));
    }
  });
  svg.append(marks);
  describe(seen, lanes);
  return end;
}

/** As high as all lanes fit the figure, whose height is fixed; lanes that are too many for it are scrolled to. */
function rowFor(lanes) {
  return Math.min(ROW.most, Math.max(ROW.least, Math.floor((figure.clientHeight - TOP - BOTTOM) / lanes)));
}

/** What has not ended goes on, unless it is lost. */
function endOf(bar, now) {
  return bar.end ?? bar.lost ?? now;
}

function lanesOf(bars) {
  const lanes = new Map(bars.map((bar) => [bar.lane, bar]));
  return [...lanes.values()].sort((a, b) => a.lane.localeCompare(b.lane, "en", { numeric: true }));
}

function shapes(bar, y, x, end) {
  const left = x(bar.start);
  const width = Math.max(1.5, x(endOf(bar, end)) - left);
  const narrow = bar.kind === "wait";
  const rect = element("rect", {
    class: `${bar.kind} ${(bar.mode ?? "none").toLowerCase()}${bar.lost ? " gone" : ""}`,
    x: left, y: y + row * (narrow ? 0.3 : 0.15), width, height: row * (narrow ? 0.4 : 0.7), rx: 2,
  });
  const shapes = [titled(rect, words(bar))];
  const token = hasToken(bar) ? `${bar.lost ? "lost " : ""}#${short(bar.token)}` : "";
  const written = token.length * 6.6 + 6;
  const fits = token && width > written;
  if (bar.lost) {
    const start = fits ? left + written : left; // not through the token, which could not be read
    shapes.push(element("line", { class: "strike", x1: start, x2: left + width, y1: y + row / 2, y2: y + row / 2 }));
  }
  if (fits) {
    const text = element("text", { class: `token ${(bar.mode ?? "").toLowerCase()}${bar.lost ? " gone" : ""}`, x: left + 4, y: y + row / 2 + 4 });
    text.textContent = token;
    shapes.push(text);
  }
  return shapes;
}

/** A lock that is part of its transaction has none. */
function hasToken(bar) {
  return bar.kind === "hold" && bar.token !== 0;
}

/** Tokens are microseconds since 1970; their last digits tell them apart. */
function short(token) {
  return String(token).slice(-6);
}

function words(bar) {
  const end = bar.end ?? bar.lost;
  const took = end ? `${(end - bar.start).toFixed(1)} ms` : "still";
  const mode = bar.mode ? bar.mode.toLowerCase() : "no lock";
  const what = { wait: "waits", hold: "holds", free: "works without a lock" }[bar.kind];
  const token = hasToken(bar) ? `, token ${bar.token}` : "";
  const fate = bar.lost ? ", lost" : bar.fate ? `, ${bar.fate}` : "";
  return `${bar.lane} ${what}: ${bar.key}, ${mode}${token}, ${took}${fate}`;
}

function rows(lanes, width, label) {
  const shapes = [];
  let node = "";
  lanes.forEach((lane, place) => {
    const y = TOP + place * row;
    shapes.push(element("line", { class: lane.node === node ? "lane" : "lane first", x1: 0, x2: width, y1: y, y2: y }));
    const text = element("text", { class: "label", x: 4, y: y + row / 2 + 4 });
    const thread = lane.thread.replace("worker-", "").replace("rowlock-", "").replace("scheduling-", "timer ");
    text.textContent = label < 100 ? `${lane.node.replace("node-", "n")} ${thread.slice(0, 7)}` : `${lane.node} · ${thread.slice(0, 9)}`;
    shapes.push(text);
    node = lane.node;
  });
  return shapes;
}

function axis(start, end, x, height, label) {
  const step = SPANS.concat(5, 10, 20, 50, 100, 200).sort((a, b) => a - b).find((one) => (end - start) / one <= 8) ?? 10_000;
  const shapes = [];
  const base = right === undefined ? end : start;
  for (let time = Math.ceil((start - base) / step) * step + base; time <= end; time += step) {
    shapes.push(element("line", { class: "grid", x1: x(time), x2: x(time), y1: TOP - 4, y2: height }));
    const text = element("text", { class: "time", x: x(time), y: 14, "text-anchor": x(time) < label + 20 ? "start" : "middle" });
    const since = Math.round(time - base);
    text.textContent = Math.abs(since) >= 1000 ? `${since / 1000} s` : `${since} ms`;
    if (x(time) < x(end) - 14) {
      shapes.push(text);
    }
  }
  return shapes;
}

function describe(seen, lanes) {
  const count = (kind) => seen.filter((bar) => bar.kind === kind).length;
  const lost = seen.filter((bar) => bar.lost).length;
  const words = seen.length === 0
    ? "Nothing happens here at the moment."
    : `${lanes.length} lanes: ${count("hold")} times held, ${count("wait")} times waited, ${count("free")} times without a lock, ${lost} lost.`;
  if (summary.textContent !== words) {
    summary.textContent = words;
  }
}

function defs() {
  const defs = element("defs", {});
  defs.innerHTML = `
    <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="stripe-ground" width="6" height="6"/><rect class="stripe" width="3" height="6"/>
    </pattern>
    <pattern id="bands" width="6" height="6" patternUnits="userSpaceOnUse">
      <rect class="band-ground" width="6" height="6"/><rect class="band" width="6" height="2"/>
    </pattern>
    <pattern id="still" width="8" height="8" patternUnits="userSpaceOnUse">
      <circle class="dot" cx="2" cy="2" r="1.1"/>
    </pattern>`;
  return defs;
}

function titled(shape, words) {
  const title = element("title", {});
  title.textContent = words;
  shape.append(title);
  return shape;
}

function element(name, attributes) {
  const shape = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    shape.setAttribute(attribute, typeof value === "number" ? Math.round(value * 10) / 10 : value);
  }
  return shape;
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");
let drawn = 0;
let idle = false;

function loop(time) {
  requestAnimationFrame(loop);
  const moves = right === undefined && (history.isLive || !idle);
  const pause = calm.matches ? 1000 : 50;
  if ((dirty || moves) && time - drawn > pause) {
    drawn = time;
    const end = draw();
    const last = history.bars.reduce((latest, bar) => Math.max(latest, endOf(bar, end)), 0);
    idle = end - last > span && !history.isLive;
    dirty = false;
  }
}

new ResizeObserver(() => { dirty = true; }).observe(svg);
requestAnimationFrame(loop);
