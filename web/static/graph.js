// Graphs: Black's chances and points over a game, and regret over simulations.
import { h, s } from "./dom.js";
import { signed, t } from "./texts.js";

const WIDTH = 400;
const HEIGHT = 130;
const PAD = { left: 30, right: 30, top: 8, bottom: 16 };
const INNER = [WIDTH - PAD.left - PAD.right, HEIGHT - PAD.top - PAD.bottom];

const pathOf = (points) => points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function frame(label, ...children) {
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", role: "img", "aria-label": label }, ...children);
}

function text(x, y, words, kind = "") {
  return s("text", { x, y, class: kind }, words);
}

// line: the nodes of the game; values: node to [chance, points, visits]; current: the node that is looked at.
export function drawGame(line, values, current, worst, onChoose) {
  if (!line.some((node) => values[node])) return h("p", { class: "quiet" }, t("graph.empty"));
  const steps = Math.max(1, line.length - 1);
  const x = (number) => PAD.left + (INNER[0] * number) / steps;
  const y = (chance) => PAD.top + INNER[1] * (1 - chance);
  const known = line.map((node, number) => [number, values[node]]).filter(([, value]) => value);
  const most = Math.max(5, ...known.map(([, value]) => Math.abs(value[1])));
  const points = known.map(([number, value]) => [x(number), PAD.top + INNER[1] * (0.5 - value[1] / (2 * most))]);
  const chances = known.map(([number, value]) => [x(number), y(value[0])]);
  const area = `${pathOf([[chances[0][0], y(0)], ...chances, [chances.at(-1)[0], y(0)]])}Z`;
  const here = line.indexOf(current);
  const graph = frame(t("graph.label"),
    s("rect", { x: PAD.left, y: PAD.top, width: INNER[0], height: INNER[1], class: "ground" }),
    s("path", { d: area, class: "area" }),
    s("path", { d: `M${PAD.left} ${y(0.5)}h${INNER[0]}`, class: "middle" }),
    s("path", { d: pathOf(points), class: "points" }),
    s("path", { d: pathOf(chances), class: "chances" }),
    ...known.filter(([number]) => worst.has(line[number])).map(([number, value]) =>
      s("circle", { cx: x(number), cy: y(value[0]), r: 3.6, class: "worst" })),
    here >= 0 ? s("path", { d: `M${x(here)} ${PAD.top}v${INNER[1]}`, class: "here" }) : null,
    text(PAD.left - 4, PAD.top + 8, "100%", "left"), text(PAD.left - 4, y(0.5) + 4, "50%", "left"), text(PAD.left - 4, y(0), "0%", "left"),
    text(WIDTH - PAD.right + 4, PAD.top + 8, signed(most).replace(/\.\d/, "")), text(WIDTH - PAD.right + 4, y(0), signed(-most).replace(/\.\d/, "")),
    text(PAD.left, HEIGHT - 3, "0"), text(WIDTH - PAD.right, HEIGHT - 3, String(steps), "left"),
  );
  graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * WIDTH - PAD.left) / INNER[0];
    onChoose(line[Math.max(0, Math.min(steps, Math.round(share * steps)))]);
  });
  const legend = h("p", { class: "legend" }, h("i", { class: "key chances" }), t("graph.wins"), " ", h("i", { class: "key points" }), t("graph.points"));
  return h("div", {}, graph, legend);
}

// searches: lists of [simulations, regret], drawn as steps over the logarithm of simulations.
export function drawRegret(searches, simulations) {
  const most = Math.max(0.02, ...searches.flat().map(([, regret]) => regret));
  const last = Math.max(2, ...simulations);
  const x = (done) => PAD.left + (INNER[0] * Math.log(Math.max(1, done))) / Math.log(last);
  const y = (regret) => PAD.top + INNER[1] * (1 - regret / most);
  const lines = searches.map((history, number) => {
    const corners = history.flatMap(([done, regret], index) => [
      [x(done), y(regret)], [x(history[index + 1]?.[0] ?? simulations[number]), y(regret)]]);
    return s("path", { d: pathOf(corners), class: number === 0 ? "first" : "second" });
  });
  return frame(t("watch.regretLabel"),
    s("rect", { x: PAD.left, y: PAD.top, width: INNER[0], height: INNER[1], class: "ground" }),
    ...lines,
    text(PAD.left - 4, PAD.top + 8, most.toFixed(2), "left"), text(PAD.left - 4, y(0), "0", "left"),
    text(PAD.left, HEIGHT - 3, "1"), text(WIDTH - PAD.right, HEIGHT - 3, `${last} ${t("watch.simulationsAxis")}`, "left"));
}
