// Both players above the board: names, captures, clocks.
import { byId, h } from "./dom.js";
import { clockText } from "./play.js";
import { t } from "./texts.js";

let clocks = null;
let shownAt = 0;

export function showPlayers(position, names, human, komi = 7) {
  const { captured, to_play: toPlay, phase } = position;
  clocks = position.clocks;
  shownAt = performance.now();
  byId("players").replaceChildren(...["black", "white"].map((color) => {
    const name = names[color] || (human === color ? t("player.you") : t(`color.${color}`));
    const other = color === "black" ? "white" : "black";
    return h("div", { class: `player ${phase !== "over" && toPlay === color ? "active" : ""}` },
      h("i", { class: `stone-icon ${color}` }),
      h("div", {}, h("b", {}, name), h("small", {}, t("player.captures", { count: captured[other] }), color === "white" ? ` · ${t("new.komi").toLowerCase()}\u00a0${komi}` : "")),
      h("output", { class: "clock", role: "timer", "aria-live": "off", "data-color": color }));
  }));
  tick();
}

function tick() {
  for (const output of document.querySelectorAll("output.clock")) {
    const one = clocks?.[output.dataset.color];
    output.hidden = !one;
    if (!one) continue;
    const runs = clocks.running === (output.dataset.color === "black" ? 1 : 2);
    let seconds = one.seconds - (runs ? (performance.now() - shownAt) / 1000 : 0);
    if (seconds < 0 && !one.byoyomi && clocks.byoyomi) seconds += clocks.byoyomi;
    const text = clockText(Math.max(0, seconds));
    if (output.textContent !== text) output.textContent = text;
    output.classList.toggle("short", seconds < 10);
  }
}

setInterval(tick, 200);
