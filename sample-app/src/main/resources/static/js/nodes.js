/** The nodes as they are, and what can be asked of them. Knows no page. */

import { on } from "./live.js";

const HOW = { DOWN: "is down", STOPPING: "is stopping", PAUSED: "is paused" };
const REMEDIES = { DOWN: "start", PAUSED: "resume" };

let nodes = [];

on("nodes", (seen) => {
  nodes = seen;
});

/** The node of a name, if it is known yet. */
export function node(name) {
  return nodes.find((one) => one.name === name);
}

/**
 * Why there are not as many nodes as are needed, and what would help: undefined if there are. One that is starting will be there
 * in time.
 */
export function missing(needed) {
  const away = nodes.filter(({ state }) => HOW[state]);
  if (away.length === 0 || nodes.length - away.length >= needed) {
    return undefined;
  }
  const how = new Intl.ListFormat("en").format(away.map(({ name, state }) => `${name} ${HOW[state]}`));
  return {
    sentence: `This takes ${needed} ${needed === 1 ? "node" : "nodes"}, and ${how}.`,
    remedies: away.filter(({ state }) => REMEDIES[state]).map(({ name, state }) => ({ name, action: REMEDIES[state] })),
  };
}

/** Asks for an action; returns why it was refused, or an empty sentence. */
export async function act(name, action) {
  try {
    const response = await fetch(`nodes/${name}/${action}`, { method: "POST" });
    return response.ok ? "" : (await response.json()).detail;
  } catch {
    return "The server does not answer.";
  }
}
