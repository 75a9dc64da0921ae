// The panel to play: the form of a new game, hints, the score, the comment.
import { byId, field, h, option } from "./dom.js";
import { grouped, percent, signed, t, texts } from "./texts.js";

const CLOCKS = [[300, 0], [300, 10], [600, 20], [60, 5]];
const REMEMBERED = "miai-new-game";

export class PlayPanel {
  // mayReplace() resolves to whether the present game may be given up.
  constructor(host, send, mayReplace) {
    this.host = host;
    this.send = send;
    this.mayReplace = mayReplace;
    this.hintBox = h("div", { class: "card", hidden: true });
    this.scoreBox = h("div", { class: "card", hidden: true });
    this.comment = h("textarea", {
      rows: 3, maxlength: 10000, placeholder: t("comment.none"), "aria-label": t("comment.title"),
      onchange: () => send("comment", { node: this.node, text: this.comment.value }),
      onblur: () => this.node !== this.position.node && this.showComment(),
    });
    this.form = h("form", { class: "card", onsubmit: (event) => { event.preventDefault(); this.start(); } });
    host.append(this.hintBox, this.scoreBox, this.form, h("div", { class: "card" }, h("h2", {}, t("comment.title")), this.comment));
  }

  offer(choices) {
    if (this.form.childElementCount) return;
    let old = {};
    try {
      old = JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}");
    } catch { /* what was remembered is damaged */ }
    const select = (name, options, fallback) => {
      const chosen = options.some(([value]) => String(value) === String(old[name])) ? old[name] : fallback;
      return h("select", { name }, ...options.map(([value, text]) => option(value, text, String(value) === String(chosen))));
    };
    const levelText = (level) => texts[`new.level.${level}`] ?? t("new.level", { level });
    const opponent = h("select", { name: "opponent" },
      h("optgroup", { label: t("new.levels") }, ...choices.levels.map((level) => option(`level:${level}`, levelText(level)))),
      h("optgroup", { label: t("new.presets") }, ...Object.entries(choices.presets).map(([name, summary]) => option(`preset:${name}`, `${name}: ${summary}`))),
      option("nobody", t("new.nobody")));
    opponent.value = [...opponent.options].some((one) => one.value === old.opponent) ? old.opponent : "level:5";
    const komi = h("input", { name: "komi", type: "number", step: 0.5, min: -1000, max: 1000, value: old.komi ?? choices.game.komi, required: true });
    const handicap = select("handicap", [[0, t("new.handicap.0")], ...[2, 3, 4, 5, 6, 7, 8, 9].map((count) => [count, t("new.stones", { count })])], 0);
    handicap.addEventListener("change", () => { komi.value = handicap.value === "0" ? choices.game.komi : 0.5; });
    const sizes = [...new Set([5, 7, 9, 11, 13, 15, 17, 19, choices.game.size])].sort((one, other) => one - other);
    const clockText = ([main, byoyomi]) => t(byoyomi ? "new.clock.text" : "new.clock.main", { main: main / 60, byoyomi });
    this.form.append(
      h("h2", {}, t("new.title")),
      field(t("new.opponent"), opponent),
      h("div", { class: "columns" },
        field(t("new.color"), select("color", ["black", "white", "random"].map((name) => [name, t(`new.color.${name}`)]), "black")),
        field(t("new.size"), select("size", sizes.map((size) => [size, `${size} × ${size}`]), choices.game.size)),
        field(t("new.handicap"), handicap),
        field(t("new.komi"), komi),
        field(t("new.rules"), select("rules", choices.rules.map((name) => [name, texts[`rules.${name}`] ?? name]), choices.game.rules)),
        field(t("new.clock"), select("clock", [["", t("new.clock.none")], ...CLOCKS.map((clock) => [clock.join(), clockText(clock)])], ""))),
      h("button", { class: "primary", id: "start" }, t("new.start")));
  }

  async start() {
    if (!(await this.mayReplace())) return;
    const values = Object.fromEntries(new FormData(this.form));
    localStorage.setItem(REMEMBERED, JSON.stringify(values));
    const [kind, name] = values.opponent.split(":");
    const clock = values.clock ? values.clock.split(",").map(Number) : null;
    this.send("new-game", {
      settings: {
        size: Number(values.size), komi: Number(values.komi), rules: values.rules, handicap: Number(values.handicap),
        color: kind === "nobody" ? "both" : values.color,
        level: kind === "level" ? Number(name) : null, preset: kind === "preset" ? name : null,
        clock: clock === null ? null : { main: clock[0], byoyomi: clock[1] },
      },
    });
  }

  show(position) {
    this.position = position;
    if (document.activeElement !== this.comment) this.showComment();
  }

  // While a comment is written it stays, and belongs to its node, even if a move is made meanwhile.
  showComment() {
    this.node = this.position.node;
    this.comment.value = this.position.comment;
  }

  forget() {
    this.hintBox.hidden = this.scoreBox.hidden = true;
  }

  showHint(hint, toPlay, onHover) {
    const rows = hint.moves.slice(0, 5).map((move, number) => h("tr", {
      tabindex: 0, onmouseenter: () => onHover(move.line, toPlay), onfocus: () => onHover(move.line, toPlay),
      onmouseleave: () => onHover(null), onblur: () => onHover(null),
    }, h("td", {}, h("b", {}, String(number + 1))), h("td", {}, move.move), h("td", {}, percent(move.value)),
    h("td", {}, signed(move.points)), h("td", { class: "line" }, move.line.slice(1, 6).join(" "))));
    this.hintBox.hidden = false;
    this.hintBox.replaceChildren(h("h2", {}, t("hint.title")), h("table", {},
      h("thead", {}, h("tr", {}, h("th"), ...["move", "wins", "points", "line"].map((name) => h("th", {}, t(`table.${name}`))))),
      h("tbody", {}, ...rows)));
  }

  showScore({ now, points, black }) {
    const values = { who: t(points > 0 ? "color.black" : "color.white"), points: Math.abs(points).toFixed(1), black: percent(black) };
    this.scoreBox.hidden = false;
    this.scoreBox.replaceChildren(h("h2", {}, t("score.title")),
      h("p", {}, t(Math.abs(points) < 0.05 ? "score.even" : "score.expected", values)),
      h("p", { class: "quiet" }, t("score.now", { now })));
  }
}

// A question with two answers; resolves to whether it was yes.
export function ask(question) {
  return new Promise((resolve) => {
    const dialog = h("dialog", {},
      h("p", {}, question),
      h("div", { class: "row" },
        h("button", { class: "primary", onclick: () => dialog.close("yes") }, t("confirm.yes")),
        h("button", { onclick: () => dialog.close("no") }, t("confirm.no"))));
    dialog.addEventListener("close", () => { resolve(dialog.returnValue === "yes"); dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function toast(text, kind = "wrong") {
  const one = h("div", { class: `toast ${kind}` }, text);
  byId("toasts").append(one);
  while (byId("toasts").childElementCount > 4) byId("toasts").firstChild.remove();
  setTimeout(() => one.remove(), 7000);
}

// A player's clock as text: minutes and seconds, tenths in the last ten.
export function clockText(seconds) {
  if (seconds < 10) return seconds.toFixed(1);
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

export const describeVisits = (analysis) => t("analyze.visits", {
  visits: grouped(analysis.visits), speed: grouped(analysis.simulations / Math.max(0.05, analysis.seconds)),
});

export function describeResult(result) {
  const [winner, points] = [result[0], result.slice(2)];
  const color = t(winner === "B" ? "color.black" : "color.white");
  if (result === "0") return t("result.draw");
  if (/^[BW]\+R/.test(result)) return t("result.resign", { color });
  if (/^[BW]\+T/.test(result)) return t("result.time", { color });
  return /^[BW]\+[\d.]+$/.test(result) ? t("result.points", { color, points }) : t("result.other", { result });
}
