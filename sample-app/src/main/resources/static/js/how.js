/** Under each scenario: the Java that does it, and the SQL that ran. */

import { on } from "./live.js";

/** The methods that a topic is about: the package of a scenario, the class and the method. */
const METHODS = {
  "sale": ["sale/Shop.buy", "sale/Shop.sellOne"],
  "sale-transaction": ["sale/Shop.buyInTransaction", "sale/Shop.sellOne"],
  "sale-without": ["sale/Shop.buyWithoutLock", "sale/Shop.sellOne"],
  "loan": ["loan/Bank.transfer", "loan/Bank.repay"],
  "loan-without": ["loan/Bank.transferWithoutLock", "loan/Bank.repayWithoutLock"],
  "report": ["report/Printer.render", "report/Printer.renderWithPermits"],
  "report-without": ["report/Printer.renderWithoutPermit", "report/Printer.draw"],
  "leader": ["jobs/Timetable.everySecond", "jobs/Dispatcher.dispatch"],
  "nightly": ["jobs/Timetable.everyNight", "jobs/Nightly.run"],
  "partitions": ["partitions/PartitionShare.share", "partitions/PartitionShare.releaseOne"],
  "race": ["race/Runner.acquireAndRelease"],
  "pause": ["pause/Accounts.withdraw", "pause/Ledger.payOut"],
  "pause-redis": ["pause/RedisAccounts.withdraw", "pause/Ledger.payOut"],
  "pause-without": ["pause/Accounts.withdrawWithoutLock", "pause/Ledger.payOut"],
};

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
  const snippets = await Promise.all(METHODS[topic].map(snippet));
  java.dataset.shown = topic;
  body(java).replaceChildren(...snippets.flatMap(({ file, line, code }) => [
    text("p", "quiet", `${file}, line ${line}`),
    listing(code),
  ]));
}

/** A method as it stands in the source of this build, with its annotations and without its comment. */
async function snippet(path) {
  const [type, method] = path.split(".");
  const lines = (await (await fetch(`source/${type}.java`)).text()).split(/\r?\n/);
  const declared = lines.findIndex((line) => /^ {4}\S.*\{$/.test(line) && line.includes(` ${method}(`));
  let first = declared;
  while (lines[first - 1].startsWith("    @")) {
    first--;
  }
  const last = lines.indexOf("    }", declared);
  const code = lines.slice(first, last + 1).map((line) => line.replace(/^ {4}/, "")).join("\n");
  return { file: `${type.split("/")[1]}.java`, line: first + 1, code };
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
