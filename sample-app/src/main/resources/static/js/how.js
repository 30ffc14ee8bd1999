/** Under each scenario: the Java that does it, and the SQL that ran. */

import { on } from "./live.js";

for (const how of document.querySelectorAll(".how")) {
  const java = fold("The Java that does it");
  const sql = fold("The SQL that ran");
  sql.hidden = true;
  how.append(java, sql);

  const form = document.querySelector(`form#${how.dataset.topic}`);
  let topic = how.dataset.topic;
  java.addEventListener("toggle", () => java.open && load(java, topic));
  form?.addEventListener("begun", ({ detail }) => {
    const variant = detail.lock === "false" ? "without" : detail.strategy;
    topic = variant ? `${how.dataset.topic}-${variant}` : how.dataset.topic;
    if (java.open) {
      load(java, topic);
    }
  });
  form?.addEventListener("ended", ({ detail }) => show(sql, Array.isArray(detail) ? detail : [detail]));
  on("sql", (byTopic) => { // what runs without a form
    if (byTopic[how.dataset.topic]) {
      show(sql, [{ sql: byTopic[how.dataset.topic] }]);
    }
  });
}

function show(sql, runs) {
  sql.hidden = false;
  body(sql).replaceChildren(...runs.flatMap((run) => statements(run)));
}

async function load(java, topic) {
  if (java.dataset.shown === topic) {
    return;
  }
  const response = await fetch(`source/${topic}`);
  if (!response.ok) {
    return;
  }
  java.dataset.shown = topic;
  body(java).replaceChildren(...(await response.json()).flatMap(({ file, line, code }) => [
    text("p", "quiet", `${file}, line ${line}`),
    listing(code),
  ]));
}

function statements(run) {
  const title = run.strategy ? [text("p", "quiet", run.strategy)] : [];
  if (run.sql.length === 0) {
    return [...title, text("p", "quiet", "None: nothing was sent for it.")];
  }
  const list = document.createElement("ol");
  list.className = "sql";
  for (const statement of run.sql) {
    const item = document.createElement("li");
    item.append(text("code", /rowlock_|_LOCK\(/.test(statement) ? "lock" : "", statement));
    list.append(item);
  }
  return [...title, list];
}

function fold(title) {
  const details = document.createElement("details");
  details.append(text("summary", "", title), document.createElement("div"));
  return details;
}

function body(details) {
  return details.lastElementChild;
}

function listing(code) {
  const pre = text("pre", "", "");
  pre.tabIndex = 0;
  pre.append(text("code", "", code));
  return pre;
}

function text(name, className, content) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = content;
  return element;
}
