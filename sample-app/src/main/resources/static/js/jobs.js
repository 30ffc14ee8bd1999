import { on } from "./live.js";
import { scenario } from "./scenario.js";

const ACTIONS = {
  STARTING: ["kill"],
  UP: ["stop", "pause", "kill"],
  PAUSED: ["resume", "kill"],
  STOPPING: ["kill"],
  DOWN: ["start"],
};

const list = document.querySelector("#nodes");
const leader = document.querySelector("#leader");
const nights = document.querySelector("#nights");
const outOfTerm = document.querySelector("#out-of-term");
let jobs = { leader: null, byNode: {} };

on("nodes", (nodes) => {
  nodes.forEach(show);
  document.querySelectorAll("input[name=nodes]").forEach((input) => (input.max = nodes.length));
});

on("jobs", (seen) => {
  jobs = seen;
  outOfTerm.textContent = seen.outOfTerm;
  outOfTerm.classList.toggle("bad", seen.outOfTerm > 0);
  const sentence = seen.leader ? `${seen.leader.node} leads, term ${seen.leader.term}.` : "There is no leader at the moment.";
  if (leader.textContent !== sentence) { // set again, it would be read out again
    leader.textContent = sentence;
    leader.className = `outcome ${seen.leader ? "good" : "busy"}`;
  }
  const runs = Object.entries(seen.nightsByNode).map(([node, done]) => `${node} ${done}`).join(", ");
  nights.textContent = `Nights of the last minutes, by the node that did the job: ${runs || "none yet"}.`;
  list.querySelectorAll("li").forEach(decorate);
});

function show({ name, state, pid }) {
  const item = list.querySelector(`[data-node="${name}"]`) ?? add(name);
  item.dataset.state = state;
  item.querySelector(".state").textContent = state.toLowerCase();
  item.querySelector(".pid").textContent = pid ? `process ${pid}` : "no process";
  for (const button of item.querySelectorAll("button")) {
    button.hidden = !ACTIONS[state].includes(button.value);
  }
  decorate(item);
}

function decorate(item) {
  const name = item.dataset.node;
  item.querySelector(".crown").hidden = jobs.leader?.node !== name;
  item.querySelector(".jobs").textContent = `${jobs.byNode[name] ?? 0} jobs in the last minutes`;
}

function add(name) {
  const item = document.createElement("li");
  item.dataset.node = name;
  item.innerHTML = `
    <p><strong></strong> <span class="state"></span> <span class="crown" hidden>leads</span></p>
    <p class="quiet"><span class="pid"></span>, <span class="jobs"></span></p>
    <p class="buttons"></p>
    <p class="quiet refusal" role="status"></p>`;
  item.querySelector("strong").textContent = name;
  for (const action of ["start", "stop", "pause", "resume", "kill"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = action === "kill" ? "small danger" : "small";
    button.value = action;
    button.textContent = action[0].toUpperCase() + action.slice(1);
    button.setAttribute("aria-label", `${button.textContent} ${name}`);
    button.addEventListener("click", () => act(item, action));
    item.querySelector(".buttons").append(button);
  }
  list.append(item);
  return item;
}

async function act(item, action) {
  const refusal = item.querySelector(".refusal");
  refusal.textContent = "";
  try {
    const response = await fetch(`nodes/${item.dataset.node}/${action}`, { method: "POST" });
    if (!response.ok) {
      refusal.textContent = (await response.json()).detail;
    }
  } catch {
    refusal.textContent = "The server does not answer.";
  }
  if (document.activeElement === document.body || document.activeElement?.hidden) {
    item.querySelector("button:not([hidden])")?.focus(); // the one that was pressed is gone
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
