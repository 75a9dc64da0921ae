// The tree of variations: a column a move, a row a variation.
import { s } from "./dom.js";
import { t } from "./texts.js";

const CELL = 22;

// Return each node's row and column: the main line in the first row, each variation in the first row that is free.
export function layOut(nodes) {
  const children = nodes.map(() => []);
  nodes.forEach(([parent], number) => { if (parent >= 0) children[parent].push(number); });
  const places = nodes.map(() => [0, 0]);
  const ends = []; // in each row the column up to which it is taken, seen from the right
  const branches = [[0, 0]];
  while (branches.length) {
    const [start, column] = branches.pop();
    const line = [start];
    while (children[line.at(-1)].length) line.push(children[line.at(-1)][0]);
    const last = column + line.length - 1;
    const parentRow = start === 0 ? 0 : places[nodes[start][0]][0] + 1;
    let row = parentRow;
    while (ends[row] !== undefined && ends[row] <= last) row++;
    for (let index = parentRow; index <= row; index++) ends[index] = Math.min(ends[index] ?? Infinity, Math.max(0, column - 1));
    line.forEach((node, index) => { places[node] = [row, column + index]; });
    for (let index = 0; index < line.length; index++) {
      for (const child of children[line[index]].slice(1).reverse()) branches.push([child, column + index + 1]);
    }
  }
  return places;
}

export class Variations {
  constructor(host, onChoose) {
    this.host = host;
    this.onChoose = onChoose;
    this.shown = "";
  }

  show(nodes, current, line) {
    const key = `${nodes.length} ${nodes.filter((node) => node[3]).length} ${nodes.version ?? 0}`;
    if (key !== this.shown) {
      this.shown = key;
      this.draw(nodes);
    }
    for (const one of this.host.querySelectorAll(".current, .on-line")) one.classList.remove("current", "on-line");
    for (const node of line) this.circles[node]?.classList.add("on-line");
    this.circles[current]?.classList.add("current");
    this.host.firstChild.setAttribute("aria-activedescendant", `node-${current}`);
    this.current = current;
    this.scrollTo(current);
  }

  draw(nodes) {
    const places = layOut(nodes);
    const columns = Math.max(...places.map(([, column]) => column)) + 1;
    const rows = Math.max(...places.map(([row]) => row)) + 1;
    const x = (column) => CELL * (column + 0.6);
    const y = (row) => CELL * (row + 0.6);
    const edges = nodes.map(([parent], number) => {
      if (parent < 0) return "";
      const [[row, column], [parentRow, parentColumn]] = [places[number], places[parent]];
      return `M${x(parentColumn)} ${y(parentRow)}${row > parentRow ? `V${y(row) - CELL / 2}L${x(column)} ${y(row)}` : `H${x(column)}`}`;
    });
    this.places = places;
    this.parents = nodes.map(([parent]) => parent);
    this.circles = nodes.map(([, color, move, hasComment], number) => {
      const [row, column] = places[number];
      const kind = ["start", "black", "white"][color];
      return s("circle", {
        cx: x(column), cy: y(row), r: color ? 7.5 : 4.5, class: `${kind}${hasComment ? " commented" : ""}`, "data-node": number, id: `node-${number}`, role: "treeitem",
      }, s("title", {}, color ? `${column} ${t(`color.${kind}`)} ${move}` : t("move.first")));
    });
    const [width, height] = [CELL * (columns + 0.3), CELL * (rows + 0.2)];
    const hasFocus = this.host.contains(document.activeElement);
    const svg = s("svg", { width, height, class: "variations", tabindex: 0, role: "tree", "aria-label": t("tree.label") }, s("path", { d: edges.join("") }), ...this.circles);
    svg.addEventListener("click", (event) => {
      const node = event.target.dataset?.node;
      if (node !== undefined) this.onChoose(Number(node));
    });
    svg.addEventListener("keydown", (event) => this.press(event));
    this.host.replaceChildren(svg);
    if (hasFocus) svg.focus({ preventScroll: true });
  }

  press(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    const node = this.beside(this.current, steps[event.key]);
    if (node >= 0) this.onChoose(node);
  }

  // The node before or behind one on its line, or the nearest above or below it; -1 if there is none.
  beside(node, [down, right]) {
    if (right < 0) return this.parents[node];
    if (right > 0) return this.parents.indexOf(node);
    const [row, column] = this.places[node];
    const distance = (one) => (this.places[one][0] - row) * down;
    const found = [...this.places.keys()].filter((one) => this.places[one][1] === column && distance(one) > 0);
    return found.sort((one, other) => distance(one) - distance(other))[0] ?? -1;
  }

  scrollTo(node) {
    const place = this.places[node];
    if (!place) return;
    const [row, column] = place;
    const host = this.host;
    const [left, top] = [CELL * column, CELL * row];
    if (left < host.scrollLeft + CELL || left > host.scrollLeft + host.clientWidth - 2 * CELL) host.scrollLeft = left - host.clientWidth / 2;
    if (top < host.scrollTop || top > host.scrollTop + host.clientHeight - CELL) host.scrollTop = top - host.clientHeight / 2;
  }
}
