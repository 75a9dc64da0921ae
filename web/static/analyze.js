// The panel to analyse: candidates, policies, the graph of the game, variations, a review.
import { h } from "./dom.js";
import { drawGame } from "./graph.js";
import { describeVisits } from "./play.js";
import { grouped, percent, signed, t } from "./texts.js";
import { Variations } from "./variations.js";

const SHOWN = 10;

export class AnalyzePanel {
  // actions: goTo(node), line(vertices or null, toPlay), send(type, values), openFile(), redraw().
  constructor(host, actions) {
    this.actions = actions;
    this.analysis = null;
    this.policies = null;
    this.review = null;
    this.toggle = h("button", { class: "switch", id: "analyze", role: "switch", "aria-checked": "false",
      onclick: () => actions.send("analyze", { on: this.toggle.getAttribute("aria-checked") !== "true" }) }, t("analyze.on"));
    this.owners = h("button", { class: "switch", id: "owners", role: "switch", "aria-checked": "true", onclick: () => {
      this.owners.setAttribute("aria-checked", String(!this.showsOwners));
      actions.redraw();
    } }, t("analyze.owners"));
    this.figures = h("span", { class: "quiet figures" });
    this.rows = h("tbody");
    this.policyBox = h("div", { class: "card policies" });
    this.graphBox = h("div");
    this.treeBox = h("div", { class: "tree", id: "variations" });
    this.variations = new Variations(this.treeBox, actions.goTo);
    this.reviewButton = h("button", { id: "review", onclick: () => this.toggleReview() }, t("review.start"));
    this.reviewBox = h("div");
    const head = ["move", "wins", "points", "visits", "line"].map((name) => h("th", {}, t(`table.${name}`)));
    host.append(
      h("div", { class: "row" }, this.toggle, this.owners, this.figures),
      h("div", { class: "card candidates" }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), this.rows)),
      h("div", { class: "card" }, h("h2", {}, t("graph.title")), this.graphBox, h("div", { class: "row" }, this.reviewButton,
        h("button", { id: "open-sgf", onclick: actions.openFile }, t("action.open")),
        h("button", { id: "save-sgf", onclick: () => actions.send("save-sgf") }, t("action.save"))), this.reviewBox),
      h("div", { class: "card" }, h("h2", {}, t("tree.title")), this.treeBox,
        h("button", { class: "small", onclick: () => actions.deleteHere() }, t("tree.delete"))),
      this.policyBox);
    this.showCandidates(null);
    this.showPolicies(null);
  }

  get showsOwners() { return this.owners.getAttribute("aria-checked") === "true"; }
  get isOn() { return this.toggle.getAttribute("aria-checked") === "true"; }

  switched(on) {
    this.toggle.setAttribute("aria-checked", String(on));
    if (!on) this.showPolicies(null);
  }

  forget() {
    this.showCandidates(null);
    this.showPolicies(null);
  }

  showCandidates(analysis, toPlay) {
    this.analysis = analysis;
    this.figures.textContent = analysis === null ? "" : describeVisits(analysis);
    if (analysis === null) {
      this.rows.replaceChildren(h("tr", {}, h("td", { colspan: 5, class: "quiet" }, t("analyze.off"))));
      return;
    }
    // Rows stay the same elements, so that the mouse over one stays over it.
    const moves = analysis.moves.slice(0, SHOWN);
    while (this.rows.childElementCount > moves.length || this.rows.querySelector("[colspan]")) this.rows.lastChild.remove();
    while (this.rows.childElementCount < moves.length) this.rows.append(this.makeRow());
    moves.forEach((move, number) => {
      const row = this.rows.children[number];
      row.move = move;
      row.toPlay = toPlay;
      const values = [move.move, percent(move.value, 1), signed(move.points), grouped(move.visits), move.line.slice(1, 7).join(" ")];
      values.forEach((value, column) => {
        if (row.children[column].textContent !== value) row.children[column].textContent = value;
      });
    });
    if (this.hoveredRow) this.actions.line(this.hoveredRow.move.line, toPlay);
  }

  makeRow() {
    const enter = () => { this.hoveredRow = row; this.actions.line(row.move.line, row.toPlay); };
    const leave = () => { this.hoveredRow = null; this.actions.line(null); };
    const play = () => this.actions.send("play", { move: row.move.move });
    const press = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      play();
    };
    const row = h("tr", { tabindex: 0, onmouseenter: enter, onfocus: enter, onmouseleave: leave, onblur: leave, onclick: play, onkeydown: press },
    h("td", { class: "move" }), h("td"), h("td"), h("td"), h("td", { class: "line" }));
    return row;
  }

  showPolicies(policies) {
    this.policies = policies;
    this.policyBox.hidden = policies === null;
    if (policies === null) return;
    const column = (name, moves, layer) => h("div", {},
      h("h3", {}, t(`policy.${name}`)),
      ...(moves === null ? [h("p", { class: "quiet" }, t("policy.none"))] : moves.slice(0, 8).map(([move, share]) => {
        const bar = h("i", { class: "bar" });
        bar.style.width = `${100 * share}%`;
        return h("div", { class: "share" }, h("span", {}, move), h("span", { class: "track" }, bar), h("span", {}, percent(share)));
      })),
      layer ? h("p", { class: "quiet" }, t("policy.layer", { layer: layer.replaceAll("_", " ") })) : null);
    this.policyBox.replaceChildren(h("h2", {}, t("policy.title")), h("div", { class: "columns" },
      column("network", policies.network), column("playouts", policies.playouts, policies.playouts[0]?.[2])));
  }

  showGame(line, values, nodes, current) {
    const worst = new Set(this.review?.worst ?? []);
    this.graphBox.replaceChildren(drawGame(line, values, current, worst, this.actions.goTo));
    this.variations.show(nodes, current, line);
  }

  toggleReview() {
    this.actions.send("review", { on: !this.isReviewing });
  }

  reviewing(on) {
    this.isReviewing = on;
    this.reviewButton.textContent = t(on ? "review.stop" : "review.start");
  }

  showReview(review) {
    this.review = review;
    if (review === null || review.moves.length === 0) {
      this.reviewBox.replaceChildren();
      return;
    }
    const byNode = Object.fromEntries(review.moves.map((move) => [move.node, move]));
    const worst = review.worst.map((node) => {
      const move = byNode[node];
      return h("li", {}, h("button", { class: "link", onclick: () => this.actions.goTo(node) },
        h("b", {}, `${move.number} ${t(`color.${move.color}`)} ${move.move}`), " ",
        t("review.cost", { loss: percent(move.loss), points: move.points.toFixed(1) })), h("span", { class: "quiet" }, ` ${t("review.better", { line: move.line.slice(0, 5).join(" ") })}`));
    });
    const players = Object.entries(review.players).map(([color, one]) => h("p", { class: "quiet" }, t("review.summary", {
      color: t(`color.${color}`), best: percent(one.best), loss: percent(one.loss, 1), points: one.points.toFixed(1),
    })));
    this.reviewBox.replaceChildren(h("h3", {}, t("review.title")),
      worst.length ? h("ol", { class: "worst" }, ...worst) : h("p", {}, t("review.best")), ...players);
  }
}
