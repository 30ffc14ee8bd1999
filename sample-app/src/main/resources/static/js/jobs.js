import { on } from "./live.js";
import { act, node } from "./nodes.js";
import { scenario } from "./scenario.js";

/** What each of the three buttons of a node does in each state, and which of them can. */
const BUTTONS = {
  STARTING: ["stop", "pause", "kill"],
  UP: ["stop", "pause", "kill"],
  PAUSED: ["stop", "resume", "kill"],
  STOPPING: ["stop", "pause", "kill"],
  DOWN: ["start", "pause", "kill"],
};
const POSSIBLE = {
  STARTING: ["kill"],
  UP: ["stop", "pause", "kill"],
  PAUSED: ["resume", "kill"],
  STOPPING: ["kill"],
  DOWN: ["start"],
};
const WHY = {
  STARTING: "It is starting: wait until it is up, or kill it.",
  UP: "",
  PAUSED: "It is paused: resume it before you stop it.",
  STOPPING: "It is stopping: wait until it is down, or kill it.",
  DOWN: "It has no process: start it first.",
};

const list = document.querySelector("#nodes");
const leader = document.querySelector("#leader");
const nights = document.querySelector("#nights");
const outOfTerm = document.querySelector("#out-of-term");
let jobs = { leader: null, byNode: {} };

on("nodes", (nodes) => {
  nodes.forEach(show);
  showLeader();
  document.querySelectorAll("input[name=nodes]").forEach((input) => (input.max = nodes.length));
});

on("jobs", (seen) => {
  jobs = seen;
  outOfTerm.textContent = seen.outOfTerm;
  outOfTerm.classList.toggle("bad", seen.outOfTerm > 0);
  showLeader();
  const runs = Object.entries(seen.nightsByNode).map(([node, done]) => `${node} ${done}`).join(", ");
  nights.textContent = `Nights of the last minutes, by the node that did the job: ${runs || "none yet"}.`;
  list.querySelectorAll("li").forEach(decorate);
});

function showLeader() {
  const sentence = leadership();
  if (leader.textContent !== sentence) { // set again, it would be read out again
    leader.textContent = sentence;
    leader.className = `outcome ${jobs.leader && leads(jobs.leader.node) ? "good" : "busy"}`;
  }
}

function leadership() {
  if (!jobs.leader) {
    return "There is no leader at the moment.";
  }
  const { node: name, term } = jobs.leader;
  if (leads(name)) {
    return `${name} leads, term ${term}.`;
  }
  const what = node(name)?.state === "PAUSED" ? "is paused" : "is gone";
  return `${name} ${what}. Another node takes over when its lease has expired.`;
}

/** A process that was killed or stands still keeps its lease for a while, but leads no more. */
function leads(name) {
  const now = node(name);
  return jobs.leader?.node === name && jobs.leader.pid === now?.pid && ["UP", "STOPPING"].includes(now.state);
}

function show({ name, state, pid }) {
  const item = list.querySelector(`[data-node="${name}"]`) ?? add(name);
  item.dataset.state = state;
  item.querySelector(".state").textContent = state.toLowerCase();
  item.querySelector(".pid").textContent = pid ? `process ${pid}` : "no process";
  item.querySelectorAll("button").forEach((button, place) => {
    const action = BUTTONS[state][place];
    button.value = action;
    button.textContent = action[0].toUpperCase() + action.slice(1);
    button.setAttribute("aria-label", `${button.textContent} ${name}`);
    button.setAttribute("aria-disabled", !POSSIBLE[state].includes(action));
  });
  item.querySelector(".why").textContent = WHY[state];
  item.querySelector(".refusal").textContent = "";
  decorate(item);
}

function decorate(item) {
  const name = item.dataset.node;
  item.querySelector(".crown").hidden = !leads(name);
  item.querySelector(".jobs").textContent = `${jobs.byNode[name] ?? 0} jobs in the last minutes`;
}

function add(name) {
  const item = document.createElement("li");
  item.dataset.node = name;
  item.innerHTML = `
    <p><strong></strong> <span class="state"></span> <span class="crown" hidden>leads</span></p>
    <p class="quiet"><span class="pid"></span>, <span class="jobs"></span></p>
    <p class="buttons"></p>
    <p class="quiet why"></p>
    <p class="quiet refusal" role="status"></p>`;
  item.querySelector("strong").textContent = name;
  item.querySelector(".why").id = `why-${name}`;
  for (const kind of ["small", "small", "small danger"]) { // the same ones all the time: one that went would take the focus along
    const button = document.createElement("button");
    button.type = "button";
    button.className = kind;
    button.setAttribute("aria-describedby", `why-${name}`);
    button.addEventListener("click", () => press(item, button));
    item.querySelector(".buttons").append(button);
  }
  list.append(item);
  return item;
}

async function press(item, button) {
  if (button.getAttribute("aria-disabled") === "false") {
    const refusal = await act(item.dataset.node, button.value);
    item.querySelector(".refusal").textContent = refusal;
  }
}

scenario("nightly", (night, say) => {
  document.querySelector("#nightly").dataset.night = night.night;
  const skipped = night.started - night.ran.length;
  const ran = night.ran.length > 0
    ? `${night.ran.join(" and ")} did it, ${skipped} skipped it.`
    : "All skipped it: the lock of the last night is kept for two seconds.";
  say(`${ran} Rows of this night: ${night.rows}.`, night.rows <= 1 ? "good" : "bad");
  return "nightly";
});
