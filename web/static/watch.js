// The panel that shows searches at work: one rule, or two side by side.
import { Branches } from "./branches.js";
import { field, h, option, s } from "./dom.js";
import { drawRegret } from "./graph.js";
import { percent, t, wholePercent } from "./texts.js";

const FAR_APART = 0.1; // of the visits
const PACES = { full: null, quick: 1000, medium: 100, slow: 10 };

const shareOf = (search, move) => {
  const total = search.children.reduce((sum, child) => sum + child[1], 0);
  const child = search.children.find((one) => one[0] === move);
  return total && child ? child[1] / total : 0;
};

export class WatchPanel {
  constructor(host, picture, { send, redraw }) {
    this.host = host;
    this.picture = picture;
    this.send = send;
    this.redraw = redraw;
    this.latest = null;
    this.isRunning = this.isPaused = this.isVisible = false;
    this.showsAll = false;
    this.branches = [];
    this.form = h("form", { class: "card", onsubmit: (event) => { event.preventDefault(); this.start(); } });
    this.stopButton = h("button", { type: "button", id: "watch-stop", disabled: true, onclick: () => send("watch-stop") }, t("watch.stop"));
    this.pauseButton = h("button", { type: "button", id: "watch-pause", disabled: true, onclick: () => this.pause() }, t("watch.pause"));
    this.verdict = h("p", { class: "verdict", "aria-live": "polite" });
    this.regret = h("div", { class: "card", hidden: true });
    this.trees = h("div", { class: "trees" }, h("p", { class: "quiet" }, t("watch.empty")));
    host.append(this.form, this.verdict, this.regret, this.trees);
  }

  offer(choices) {
    if (this.form.childElementCount) return;
    const select = (name, options, chosen) => h("select", { name }, ...options.map(([value, text]) => option(value, text, value === chosen)));
    const same = (names) => names.map((name) => [name, name.split("/").at(-1)]);
    const rule = (label, number, chosen) => h("fieldset", { class: `rule ${number ? "second" : "first"}` }, h("legend", {}, label),
      field(t("watch.select"), select(`select${number}`, same(choices.selections), chosen)),
      field(t("watch.backup"), select(`backup${number}`, same(choices.backups), "mean")),
      field(t("watch.parameters"), h("input", { name: `parameters${number}`, maxlength: 400, placeholder: "puct.c0=1.5", autocomplete: "off" })));
    const compare = h("input", { type: "checkbox", name: "compare", onchange: () => this.adapt() });
    this.form.append(
      h("div", { class: "columns" },
        field(t("watch.domain"), select("domain", ["go", "simulated"].map((name) => [name, t(`watch.domain.${name}`)]), "go")),
        field(t("watch.preset"), select("preset", same(Object.keys(choices.presets)), "fuego")),
        field(t("watch.test"), select("test", choices.tests.map((name) => [name, t(`watch.test.${name}`)]), "A")),
        field(t("watch.index"), h("input", { name: "index", type: "number", min: 0, max: 1000000, value: 0 }))),
      h("div", { class: "columns" }, rule(t("watch.first"), 0, "puct"), rule(t("watch.second"), 1, "uct")),
      h("label", { class: "check" }, compare, t("watch.compare")),
      h("div", { class: "columns" },
        field(t("watch.by"), select("by", ["simulations", "time"].map((name) => [name, t(`watch.by.${name}`)]), "simulations")),
        field(t("watch.simulations"), h("input", { name: "simulations", type: "number", min: 1, max: 10000000, value: 2000 })),
        field(t("watch.seconds"), h("input", { name: "seconds", type: "number", min: 0.1, max: 3600, step: 0.1, value: 5 })),
        field(t("watch.pace"), select("pace", Object.keys(PACES).map((name) => [name, t(`watch.pace.${name}`)]), "full"))),
      h("div", { class: "row" }, h("button", { class: "primary", id: "watch-start" }, t("watch.start")), this.pauseButton, this.stopButton));
    this.form.addEventListener("change", () => this.adapt());
    this.adapt();
  }

  adapt() {
    const { domain, preset, test, index, compare, by, simulations, seconds } = this.form.elements;
    const show = (control, isShown) => {
      control.closest(".field").hidden = !isShown;
      control.disabled = !isShown; // a wrong value that nobody sees would block the form
    };
    const isGo = domain.value === "go";
    show(preset, isGo);
    show(test, !isGo);
    show(index, !isGo);
    this.form.querySelector(".second").hidden = !compare.checked;
    show(by, compare.checked);
    const byTime = compare.checked && by.value === "time";
    show(simulations, !byTime);
    show(seconds, byTime);
  }

  start() {
    const { elements } = this.form;
    const value = (name) => (elements[name].disabled ? undefined : elements[name].value);
    const number = (name) => (elements[name].disabled ? undefined : Number(elements[name].value));
    const numbers = elements.compare.checked ? [0, 1] : [0];
    for (const one of this.branches) one.open.clear();
    this.isPaused = false;
    this.pauseButton.textContent = t("watch.pause");
    this.host.dataset.state = "starting";
    this.send("watch", {
      domain: value("domain"), preset: value("preset"), test: value("test"), index: number("index"),
      contestants: numbers.map((one) => ({
        select: value(`select${one}`), backup: value(`backup${one}`), parameters: value(`parameters${one}`).split(/[\s,]+/).filter(Boolean),
      })),
      by: value("by"), simulations: number("simulations"), seconds: number("seconds"), pace: PACES[value("pace")],
    });
  }

  pause() {
    this.isPaused = !this.isPaused;
    this.send("watch-pause", { on: this.isPaused });
    this.pauseButton.textContent = t(this.isPaused ? "watch.goOn" : "watch.pause");
  }

  get showsBoard() { return this.latest?.domain === "go"; }

  visible(isVisible) {
    this.isVisible = isVisible;
    const showsPicture = isVisible && this.latest?.domain === "simulated";
    this.picture.hidden = !showsPicture;
    document.body.classList.toggle("simulated", showsPicture);
  }

  ended() {
    this.isRunning = false;
    this.latest = null;
    this.host.dataset.state = "ended";
    this.stopButton.disabled = this.pauseButton.disabled = true;
    for (const one of this.branches) one.end();
    this.visible(this.isVisible);
    this.redraw();
  }

  show(watch) {
    this.latest = watch;
    this.stopButton.disabled = false;
    this.pauseButton.disabled = watch.state === "finished";
    this.host.dataset.state = watch.state;
    this.showVerdict(watch.searches);
    const isSimulated = watch.domain === "simulated";
    this.regret.hidden = !isSimulated;
    if (isSimulated) {
      this.regret.replaceChildren(h("h2", {}, t("watch.regret")), drawRegret(watch.searches.map((one) => one.regrets), watch.searches.map((one) => one.simulations)));
      this.picture.replaceChildren(this.drawRoot(watch.searches));
    }
    this.showTrees();
    this.visible(this.isVisible);
  }

  showVerdict(searches) {
    const [first, second] = searches.map((one) => one.best);
    let text = "";
    if (searches.length > 1 && first && second) text = first === second ? t("watch.agree", { move: first }) : t("watch.differ", { first, second });
    if (this.verdict.textContent !== text) this.verdict.textContent = text;
    this.verdict.classList.toggle("differ", searches.length > 1 && first !== second);
  }

  isFarApart(searches, move) {
    return searches.length > 1 && Math.abs(shareOf(searches[0], move) - shareOf(searches[1], move)) >= FAR_APART;
  }

  showTrees() {
    const { searches } = this.latest;
    if (this.branches.length !== searches.length) {
      this.branches = searches.map((_, number) => new Branches({
        onToggle: (path, isOpen) => this.send("watch-open", { contestant: number, path, open: isOpen }),
        onMore: () => {
          this.showsAll = !this.showsAll;
          if (this.latest) this.showTrees();
        },
      }));
      this.trees.classList.toggle("two", searches.length > 1);
      this.trees.replaceChildren(...this.branches.map((one) => one.element));
    }
    searches.forEach((search, number) => {
      const name = searches.length > 1 ? `${"AB"[number]}: ${search.name}` : search.name;
      this.branches[number].show(search, name, number ? "second" : "first", this.showsAll, (move) => this.isFarApart(searches, move));
    });
  }

  // What both searches think of the moves, on the board.
  drawOn(board) {
    const { searches } = this.latest;
    if (searches.length === 1) {
      const total = searches[0].children.reduce((sum, child) => sum + child[1], 0);
      searches[0].children.slice(0, 10).forEach(([move, visits, value]) => {
        if (visits > 0.005 * total) board.label(move, move === searches[0].best ? "best" : "other", wholePercent(visits / total), value.toFixed(2), visits / total);
      });
      return;
    }
    const moves = new Set(searches.flatMap((one) => one.children.slice(0, 20).map((child) => child[0])));
    for (const move of moves) board.halves(move, shareOf(searches[0], move), shareOf(searches[1], move), this.isFarApart(searches, move));
  }

  // The root of a simulated tree: moves by true worth, with what the searches think of them.
  drawRoot(searches) {
    const [width, height, pad] = [400, 400, 34];
    const ranked = searches[0].children.filter((child) => child[5] !== null).sort((one, other) => other[5] - one[5]).slice(0, 40);
    const values = searches.flatMap((one) => one.children.filter((child) => child[1] > 0).map((child) => child[2]));
    const low = Math.min(...ranked.map((child) => child[5]), ...values, 0.95);
    const high = Math.max(...ranked.map((child) => child[5]), ...values, 0.05);
    const step = (width - 2 * pad) / Math.max(1, ranked.length);
    const x = (place) => pad + step * (place + 0.5);
    const y = (value) => pad + (height - 2 * pad) * (1 - (value - low) / Math.max(1e-6, high - low));
    const parts = [];
    searches.forEach((search, number) => {
      const kind = number ? "second" : "first";
      const most = Math.max(1, ...search.children.map((child) => child[1]));
      ranked.forEach(([move], place) => {
        const child = search.children.find((one) => one[0] === move);
        if (!child) return;
        const tall = ((height - 2 * pad) * 0.35 * child[1]) / most;
        const wide = (0.8 * step) / searches.length;
        parts.push(s("rect", { x: x(place) - 0.4 * step + number * wide, y: height - pad - tall, width: wide, height: tall, class: `visits ${kind}` }));
        if (child[1] > 0) parts.push(s("circle", { cx: x(place), cy: y(child[2]), r: Math.min(5, 2 + 4 * Math.sqrt(child[1] / most)), class: `thought ${kind}` }));
      });
    });
    const line = ranked.map((child, place) => `${place ? "L" : "M"}${x(place)} ${y(child[5])}`).join("");
    return s("svg", { viewBox: `0 0 ${width} ${height}`, class: "root", role: "img", "aria-label": t("watch.pictureLabel") },
      ...parts, s("path", { d: line, class: "truth" }),
      ...ranked.slice(0, ranked.length > 20 ? 1 : 20).map((child, place) =>
        s("text", { x: x(place), y: height - pad + 12, class: place ? "name" : "name best" }, child[0])),
      s("path", { d: `M${pad} ${height - pad}h${width - 2 * pad}`, class: "axis" }),
      s("text", { x: pad - 4, y: y(high) + 4, class: "left" }, percent(high)), s("text", { x: pad - 4, y: y(low) + 4, class: "left" }, percent(low)),
      s("text", { x: width / 2, y: height - 6 }, `${t("watch.true")} —   ${t("watch.thought")} ●   ${t("watch.visit")} ▮`));
  }
}
