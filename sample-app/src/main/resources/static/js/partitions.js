import { on } from "./live.js";

const COUNT = 16;

const list = document.querySelector("#partitions");

on("partitions", (owners) => {
  list.replaceChildren(...Array.from({ length: COUNT }, (_, number) => {
    const item = document.createElement("li");
    const owner = owners[number];
    item.textContent = `${number}: ${owner ?? "free"}`;
    item.dataset.owner = owner?.replace("node-", "") ?? "";
    return item;
  }));
});
