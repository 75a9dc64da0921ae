// The board as SVG: wood, lines, stones, and layers for what a search says.
import { s } from "./dom.js";
import { t } from "./texts.js";
import { LETTERS, indexOf, starPoints, vertexAt } from "./vertex.js";

const CELL = 40;
const MARGIN = 34;
const FAINTEST = 0.72; // of a label's disc: on a fainter one its text would be hard to read
const NAMES = { X: "black", O: "white" };

export class Board {
  // onPlay(vertex) is called for a click or Enter, onSay(text) for what a screen reader should hear.
  constructor(host, { onPlay, onSay, onHover }) {
    this.host = host;
    this.onPlay = onPlay;
    this.onSay = onSay;
    this.onHover = onHover ?? (() => {});
    this.size = 0;
    this.stones = "";
    this.illegal = new Set();
    this.canPlay = false;
    this.toPlay = "black";
    this.cursor = -1;
    this.elements = new Map();
  }

  resize(size) {
    if (size === this.size) return;
    this.size = size;
    this.stones = ".".repeat(size * size);
    this.elements.clear();
    this.cursor = Math.floor((size * size) / 2);
    const side = CELL * (size - 1) + 2 * MARGIN;
    const layer = (name) => s("g", { class: name });
    this.layers = Object.fromEntries(
      ["owners", "shadows", "stones", "disputes", "marks", "overlay", "ghost"].map((name) => [name, layer(name)]),
    );
    this.svg = s("svg", {
      viewBox: `0 0 ${side} ${side}`, class: "board", tabindex: 0, role: "application",
      "aria-roledescription": "Go", "aria-label": t("board.label", { size }),
    }, this.definitions(), this.wood(side), this.lines(), ...Object.values(this.layers));
    this.focusRing = s("rect", { class: "cursor", width: CELL * 0.94, height: CELL * 0.94, rx: 5, visibility: "hidden" });
    this.svg.append(this.focusRing);
    this.svg.addEventListener("pointermove", (event) => this.hover(this.pointOf(event)));
    this.svg.addEventListener("pointerleave", () => this.hover(-1));
    this.svg.addEventListener("click", (event) => this.choose(this.pointOf(event)));
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("focus", () => this.showCursor(this.svg.matches(":focus-visible")));
    this.svg.addEventListener("blur", () => this.showCursor(false));
    this.host.replaceChildren(this.svg);
  }

  definitions() {
    const stop = (offset, color) => s("stop", { offset, "stop-color": color });
    return s("defs", {},
      s("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 },
        stop("0", "#e9c581"), stop("0.5", "#ddb269"), stop("1", "#d3a55b")),
      s("radialGradient", { id: "black", cx: 0.36, cy: 0.32, r: 0.75 },
        stop("0", "#6b6d72"), stop("0.35", "#2f3135"), stop("1", "#0c0d0f")),
      s("radialGradient", { id: "white", cx: 0.36, cy: 0.32, r: 0.8 },
        stop("0", "#ffffff"), stop("0.55", "#f4f2ec"), stop("1", "#c9c4b8")),
      s("radialGradient", { id: "shadow" }, stop("0.72", "#2b1a05"), s("stop", { offset: 1, "stop-color": "#2b1a05", "stop-opacity": 0 })),
      s("filter", { id: "grain", x: 0, y: 0, width: "100%", height: "100%" },
        s("feTurbulence", { type: "fractalNoise", baseFrequency: "0.012 0.32", numOctaves: 3, seed: 4 }),
        s("feColorMatrix", { values: "0 0 0 0 0.36  0 0 0 0 0.22  0 0 0 0 0.06  0 0 0 0.5 -0.16" })));
  }

  wood(side) {
    return s("g", {},
      s("rect", { width: side, height: side, rx: 7, fill: "url(#wood)" }),
      s("rect", { width: side, height: side, rx: 7, filter: "url(#grain)", class: "grain" }),
      s("rect", { width: side, height: side, rx: 7, class: "shade" }));
  }

  lines() {
    const size = this.size;
    const [first, last] = [MARGIN, MARGIN + CELL * (size - 1)];
    const group = s("g", { class: "lines" });
    for (let index = 0; index < size; index++) {
      const at = MARGIN + CELL * index;
      const edge = index === 0 || index === size - 1 ? "edge" : null;
      group.append(s("path", { d: `M${first} ${at}H${last}M${at} ${first}V${last}`, class: edge }));
      for (const [x, y, text] of [
        [at, 15, LETTERS[index]], [at, last + MARGIN - 9, LETTERS[index]],
        [14, at + 4, size - index], [last + MARGIN - 14, at + 4, size - index],
      ]) group.append(s("text", { x, y, "aria-hidden": "true" }, String(text)));
    }
    for (const [row, column] of starPoints(size)) {
      group.append(s("circle", { cx: MARGIN + CELL * column, cy: MARGIN + CELL * row, r: 3.2 }));
    }
    return group;
  }

  center(index) {
    return [MARGIN + CELL * (index % this.size), MARGIN + CELL * Math.floor(index / this.size)];
  }

  pointOf(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = (CELL * (this.size - 1) + 2 * MARGIN) / box.width;
    const column = Math.round(((event.clientX - box.left) * scale - MARGIN) / CELL);
    const row = Math.round(((event.clientY - box.top) * scale - MARGIN) / CELL);
    const isOn = Math.min(row, column) >= 0 && Math.max(row, column) < this.size;
    return isOn ? row * this.size + column : -1;
  }

  // Show a position: stones as text, the last move, dead stones, who plays and where that is not allowed.
  show({ size, board, last, illegal, dead, to_play: toPlay }, canPlay) {
    this.resize(size);
    for (let index = 0; index < board.length; index++) {
      if (board[index] === this.stones[index]) continue;
      const old = this.elements.get(index);
      if (old) {
        this.elements.delete(index);
        for (const one of old) {
          one.classList.add("gone");
          setTimeout(() => one.remove(), 200);
        }
      }
      if (board[index] !== ".") this.place(index, board[index]);
    }
    this.stones = board;
    this.illegal = new Set(illegal.map((vertex) => indexOf(vertex, size)));
    this.toPlay = toPlay;
    this.canPlay = canPlay;
    this.svg.classList.toggle("playable", canPlay);
    this.hover(-1);
    const deadPoints = new Set(dead.map((vertex) => indexOf(vertex, size)));
    for (const [index, [, stone]] of this.elements) stone.classList.toggle("dead", deadPoints.has(index));
    this.layers.marks.replaceChildren();
    const index = indexOf(last, size);
    if (index >= 0 && board[index] !== ".") {
      const [cx, cy] = this.center(index);
      this.layers.marks.append(s("circle", { cx, cy, r: CELL * 0.2, class: `last on-${NAMES[board[index]]}` }));
    }
    for (const point of deadPoints) {
      const [x, y] = this.center(point);
      const d = CELL * 0.17;
      this.layers.marks.append(s("path", {
        d: `M${x - d} ${y - d}l${2 * d} ${2 * d}m0 ${-2 * d}l${-2 * d} ${2 * d}`, class: "cross",
      }));
    }
  }

  place(index, letter) {
    const [cx, cy] = this.center(index);
    const shadow = s("circle", { cx: cx + 1.6, cy: cy + 2.6, r: CELL * 0.5, fill: "url(#shadow)", class: "shadow" });
    const stone = s("circle", { cx, cy, r: CELL * 0.475, fill: `url(#${NAMES[letter]})`, class: `stone ${NAMES[letter]}` });
    stone.style.transformOrigin = `${cx}px ${cy}px`;
    this.layers.shadows.append(shadow);
    this.layers.stones.append(stone);
    this.elements.set(index, [shadow, stone]);
  }

  hover(index) {
    const vertex = index >= 0 ? vertexAt(index, this.size) : null;
    if (vertex !== this.hovered) {
      this.hovered = vertex;
      this.onHover(vertex);
    }
    const isFree = this.canPlay && index >= 0 && this.stones[index] === "." && !this.illegal.has(index);
    this.layers.ghost.replaceChildren();
    if (isFree) {
      const [cx, cy] = this.center(index);
      this.layers.ghost.append(s("circle", { cx, cy, r: CELL * 0.475, fill: `url(#${this.toPlay})` }));
    }
  }

  choose(index) {
    if (index >= 0) this.onPlay(vertexAt(index, this.size));
  }

  press(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key in steps) {
      const [down, right] = steps[event.key];
      const clamp = (value) => Math.max(0, Math.min(this.size - 1, value));
      this.cursor = clamp(Math.floor(this.cursor / this.size) + down) * this.size + clamp((this.cursor % this.size) + right);
      this.showCursor(true);
      this.sayPoint();
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(this.cursor);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  showCursor(isShown) {
    const [x, y] = this.center(this.cursor);
    this.focusRing.setAttribute("x", x - CELL * 0.47);
    this.focusRing.setAttribute("y", y - CELL * 0.47);
    this.focusRing.setAttribute("visibility", isShown ? "visible" : "hidden");
    this.hover(isShown ? this.cursor : -1);
  }

  sayPoint() {
    const move = vertexAt(this.cursor, this.size);
    const letter = this.stones[this.cursor];
    this.onSay(letter === "." ? t("say.empty", { move }) : t("say.stone", { move, color: t(`color.${NAMES[letter]}`) }));
  }

  // Expected owners, Black's positive, as squares; null shows none.
  showOwners(owners) {
    this.layers.owners.replaceChildren();
    this.layers.disputes.replaceChildren();
    if (!owners || owners.length !== this.size * this.size) return;
    owners.forEach((owner, index) => {
      const stone = this.stones[index];
      const isOwn = stone === (owner > 0 ? "X" : "O");
      const side = CELL * (stone === "." ? 0.62 : 0.4) * Math.sqrt(Math.abs(owner));
      if (side < 4 || isOwn) return; // a stone that lives needs no mark
      const [cx, cy] = this.center(index);
      const box = { x: cx - side / 2, y: cy - side / 2, width: side, height: side, rx: 3 };
      const layer = stone === "." ? this.layers.owners : this.layers.disputes;
      layer.append(s("rect", { ...box, class: owner > 0 ? "black" : "white" }));
    });
  }

  clearOverlay() {
    this.layers.overlay.replaceChildren();
    this.layers.stones.classList.remove("faded");
  }

  // A disc with up to two lines of text on a point; the smaller its share of 1, the fainter.
  label(vertex, kind, first, second = "", share = 1) {
    const index = indexOf(vertex, this.size);
    if (index < 0) return;
    const [x, y] = this.center(index);
    const lines = second
      ? [s("text", { x, y: y - 0.5, class: "large" }, first), s("text", { x, y: y + 10.5, class: "small" }, second)]
      : [s("text", { x, y: y + 5, class: "single" }, first)];
    this.layers.overlay.append(s("g", { class: `label ${kind}` },
      s("circle", { cx: x, cy: y, r: CELL * 0.46, opacity: FAINTEST + (1 - FAINTEST) * share }), ...lines));
  }

  // Two half discs whose sizes are shares of 1, for two searches.
  halves(vertex, first, second, isDifferent) {
    const index = indexOf(vertex, this.size);
    if (index < 0) return;
    const [x, y] = this.center(index);
    const half = (share, sweep, kind) => {
      const r = CELL * 0.47 * Math.sqrt(share);
      return r < 1 ? null : s("path", { d: `M${x} ${y - r}A${r} ${r} 0 0 ${sweep} ${x} ${y + r}Z`, class: kind });
    };
    const ring = isDifferent ? s("circle", { cx: x, cy: y, r: CELL * 0.49, class: "differs" }) : null;
    this.layers.overlay.append(s("g", { class: "halves" }, half(first, 0, "first"), half(second, 1, "second"), ring));
  }

  // A variation as numbered stones.
  showLine(vertices, toPlay) {
    this.clearOverlay();
    const other = { black: "white", white: "black" };
    let color = toPlay;
    const seen = new Set();
    vertices.forEach((vertex, number) => {
      const index = indexOf(vertex, this.size);
      if (index >= 0 && !seen.has(index)) {
        seen.add(index);
        const [cx, cy] = this.center(index);
        this.layers.overlay.append(s("g", { class: `planned ${color}` },
          s("circle", { cx, cy, r: CELL * 0.475, fill: `url(#${color})` }),
          s("text", { x: cx, y: cy + 5.5 }, String(number + 1))));
      }
      color = other[color];
    });
  }
}

