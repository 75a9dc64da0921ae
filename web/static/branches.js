// The tree of one search: its figures, and a row for each move. Rows stay the same elements while the search goes on, so
// that a press between two pictures of it still hits what it began on.
import { h } from "./dom.js";
import { grouped, percent, t } from "./texts.js";

const SHOWN = 12;

function makeRow(onToggle) {
  const twist = h("button", { class: "twist", type: "button" });
  const move = h("span", { class: "move" });
  const bar = h("i", { class: "bar" });
  const prior = h("i", { class: "prior" });
  const [visits, value, truth] = [h("span", { class: "number" }), h("span", { class: "number" }), h("span", { class: "number truth" })];
  const element = h("div", { role: "treeitem" }, twist, move, h("span", { class: "track" }, bar, prior), visits, value, truth);
  const row = { element, twist, move, bar, prior, visits, value, truth, path: [], pressed: null };
  // Another move may come to this place before the button is let go: what was pressed counts.
  twist.addEventListener("pointerdown", () => { row.pressed = row.path; });
  twist.addEventListener("pointerleave", () => { row.pressed = null; });
  twist.addEventListener("click", () => {
    const path = row.pressed ?? row.path;
    row.pressed = null;
    onToggle(path);
  });
  return row;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export class Branches {
  // onToggle(path, isOpen) is called for a move that is to be opened or closed, onMore() to show all moves or fewer.
  constructor({ onToggle, onMore }) {
    this.onToggle = onToggle;
    this.open = new Set();
    this.rows = [];
    this.title = h("h2");
    this.figures = h("p", { class: "quiet" });
    this.truth = h("p");
    this.list = h("div", { class: "branches", role: "tree" });
    this.more = h("button", { class: "small", onclick: onMore });
    this.element = h("div", {}, this.title, this.figures, this.truth, this.list, this.more, h("p", { class: "legend" }, t("watch.legend")));
  }

  // name: of the rule; isFar(move): whether another search thinks otherwise of a move.
  show(search, name, kind, showsAll, isFar) {
    this.element.className = `card search ${kind}`;
    write(this.title, name);
    write(this.figures, t("watch.figures", {
      simulations: grouped(search.simulations), seconds: search.seconds.toFixed(search.seconds < 1 ? 2 : 1), nodes: grouped(search.nodes), value: percent(search.value, 1),
    }));
    const truths = search.children.filter((child) => child[5] !== null);
    const truest = truths.length ? truths.reduce((best, child) => (child[5] > best[5] ? child : best)) : null;
    const regret = search.regrets.at(-1)?.[1];
    this.truth.hidden = truest === null;
    if (truest) write(this.truth, t("watch.truth", { move: truest[0] }) + (regret === undefined ? "" : ` · ${t("watch.regretNow", { regret: regret.toFixed(3) })}`));
    this.more.hidden = search.children.length <= SHOWN;
    write(this.more, showsAll ? t("watch.fewer") : t("watch.more", { count: search.children.length }));
    const marks = (child) => (child[0] === search.best ? " best" : "") + (isFar(child[0]) ? " far" : "") + (child === truest ? " truest" : "");
    this.showRows([...this.below(search, [], search.children, showsAll ? Infinity : SHOWN, marks)]);
  }

  * below(search, path, children, most, marks = () => "") {
    const total = children.reduce((sum, child) => sum + child[1], 0);
    for (const child of children.slice(0, most)) {
      const here = [...path, child[0]];
      const key = here.join(" ");
      const isOpen = this.open.has(key);
      yield { child, path: here, key, isOpen, total, marks: marks(child) };
      if (isOpen) yield* this.below(search, here, search.open[key] ?? [], Infinity);
    }
  }

  showRows(wanted) {
    const focused = this.rows.find((row) => row.twist === document.activeElement)?.path.join(" ");
    while (this.rows.length > wanted.length) this.rows.pop().element.remove();
    while (this.rows.length < wanted.length) {
      const row = makeRow((path) => this.toggle(path));
      this.rows.push(row);
      this.list.append(row.element);
    }
    wanted.forEach((one, number) => this.fill(this.rows[number], one));
    const place = wanted.findIndex((one) => one.key === focused);
    if (place >= 0 && this.rows[place].twist !== document.activeElement) this.rows[place].twist.focus({ preventScroll: true });
  }

  fill(row, { child: [move, visits, value, prior, hasChildren, truth], path, key, isOpen, total, marks }) {
    const { element, twist } = row;
    row.path = path;
    element.className = `branch${marks}`;
    element.setAttribute("aria-level", path.length);
    element.style.paddingLeft = `${14 * (path.length - 1)}px`;
    twist.style.visibility = hasChildren ? "" : "hidden";
    twist.disabled = !hasChildren;
    twist.setAttribute("aria-expanded", String(isOpen));
    twist.setAttribute("aria-label", t("watch.open", { move: key }));
    write(twist, isOpen ? "▾" : "▸");
    write(row.move, move);
    row.bar.style.width = `${(100 * visits) / Math.max(1, total)}%`;
    row.prior.style.left = `${100 * prior}%`;
    row.prior.title = t("watch.prior", { prior: percent(prior, 1) });
    write(row.visits, grouped(visits));
    write(row.value, value === null ? "–" : percent(value, 1));
    row.truth.hidden = truth === null;
    if (truth !== null) write(row.truth, percent(truth, 1));
  }

  toggle(path) {
    const key = path.join(" ");
    const isOpen = !this.open.has(key);
    if (isOpen) this.open.add(key);
    else this.open.delete(key);
    this.onToggle(path, isOpen);
  }

  // Show a search that has ended: nothing more can be opened.
  end() {
    for (const row of this.rows) row.twist.disabled = true;
  }
}
