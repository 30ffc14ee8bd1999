/** Beside the buttons of a scenario: why they cannot run, and buttons that help. */

import { act, missing } from "./nodes.js";

/** Returns a function that shows what is in the form's way, if anything is, and answers whether there is. */
export function obstacle(form, name) {
  const place = document.createElement("div");
  place.className = "blocked";
  place.innerHTML = `<span id="${name}-blocked" role="status"></span>`;
  form.append(place);
  form.querySelectorAll(".buttons button").forEach((button) => button.setAttribute("aria-describedby", `${name}-blocked`));
  let shown;

  return (busy) => {
    const found = busy ? undefined : find(form);
    if (JSON.stringify(found) !== shown) { // set again, it would be read out again, and a button would lose the focus
      shown = JSON.stringify(found);
      show(found);
    }
    return found !== undefined;
  };

  function show(found) {
    const focused = place.contains(document.activeElement);
    say(found?.sentence ?? "");
    place.replaceChildren(place.firstElementChild, ...(found?.remedies ?? []).map(remedy));
    if (focused) {
      (place.querySelector("button") ?? form.querySelector("button")).focus(); // the one that was pressed is gone
    }
  }

  function remedy({ name: node, action }) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.textContent = `${action[0].toUpperCase()}${action.slice(1)} ${node}`;
    button.addEventListener("click", async () => {
      const refusal = await act(node, action);
      if (refusal) {
        say(refusal);
      }
    });
    return button;
  }

  function say(sentence) {
    place.firstElementChild.textContent = sentence;
  }
}

/** To resume the node that "Break it" has paused would spoil what it shows. */
function find(form) {
  const found = missing(Number(form.elements.nodes?.value ?? form.dataset.nodes));
  if (!found || !document.querySelector("#pause[data-running]")) {
    return found;
  }
  return {
    sentence: `${found.sentence} “Break it” resumes its node in a moment.`,
    remedies: found.remedies.filter(({ action }) => action !== "resume"),
  };
}
