/** A drawing as a file that stands alone, revealed from left to right. */

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity", "font-size", "font-weight"];

export function animated(svg, seconds) {
  const copy = svg.cloneNode(true);
  keepStyles(svg, copy);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("font-family", "system-ui, sans-serif");
  copy.removeAttribute("class");
  copy.removeAttribute("style");

  const ground = make("rect", { width, height, fill: getComputedStyle(svg).backgroundColor });
  copy.insertBefore(ground, copy.firstChild);
  const clip = make("clipPath", { id: "reveal" });
  const window = make("rect", { x: 0, y: 0, width, height });
  window.append(make("animate", {
    attributeName: "width", values: `0;${width};${width}`, keyTimes: "0;0.8;1", dur: `${seconds}s`, repeatCount: "indefinite",
  }));
  clip.append(window);
  copy.querySelector("defs").append(clip);
  copy.querySelector(".marks").setAttribute("clip-path", "url(#reveal)");
  copy.querySelectorAll("[class]").forEach((one) => one.removeAttribute("class"));
  return new XMLSerializer().serializeToString(copy);
}

/** A style sheet does not come along, so each shape takes its own style. */
function keepStyles(from, to) {
  const shapes = from.querySelectorAll("rect, line, text, circle");
  const copies = to.querySelectorAll("rect, line, text, circle");
  shapes.forEach((shape, i) => {
    const style = getComputedStyle(shape);
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      const meaningless = !value || value === "none" && name === "stroke-dasharray" || value === "1" && name.endsWith("opacity");
      if (!meaningless) {
        copies[i].setAttribute(name, value);
      }
    }
  });
}

function make(name, attributes) {
  const shape = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) {
    shape.setAttribute(attribute, value);
  }
  return shape;
}
