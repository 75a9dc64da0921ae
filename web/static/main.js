// The page: what the server says goes to the board and the panels, what the person does goes to the server.
import { AnalyzePanel } from "./analyze.js";
import { Board } from "./board.js";
import { Connection } from "./connection.js";
import { byId, h } from "./dom.js";
import { chooseFile, download, takeDrops } from "./files.js";
import { icon } from "./icons.js";
import { PlayPanel, ask, describeResult, toast } from "./play.js";
import { showPlayers } from "./players.js";
import { click } from "./sound.js";
import { t, translated, wholePercent } from "./texts.js";
import { makeTools } from "./tools.js";
import { WatchPanel } from "./watch.js";

const TABS = ["play", "analyze", "watch"];
const EMPTY = { node: 0, size: 9, board: ".".repeat(81), last: null, illegal: [], dead: [], to_play: "black", phase: "free",
  captured: { black: 0, white: 0 }, result: "", thinking: "", comment: "", clocks: null, count: null };

const state = { tab: "play", position: EMPTY, nodes: [[-1, 0, "pass", false]], values: {}, settings: { color: "both" }, names: {},
  hint: null, score: null, preview: null, progress: null, status: "connecting", isLoading: false };

const send = (type, values) => connection.send(type, values) || toast(t(`status.${state.status}`));
const say = (text) => { byId("spoken").textContent = text; };

const board = new Board(byId("board"), { onPlay: play, onSay: say });
const playPanel = new PlayPanel(byId("panel-play"), send, mayReplace);
const analyzePanel = new AnalyzePanel(byId("panel-analyze"), {
  goTo: (node) => send("go-to", { node }), line: preview, send, openFile: () => chooseFile(load), redraw: drawOverlay,
  deleteHere: () => state.position.node && send("delete", { node: state.position.node }),
});
const watchPanel = new WatchPanel(byId("panel-watch"), byId("picture"), { send, redraw: drawOverlay });

function humanColor() {
  return state.settings.color === "both" ? null : state.settings.color;
}

function canPlay() {
  const { phase, to_play: toPlay, thinking } = state.position;
  if (phase === "agreeing") return false;
  return phase !== "playing" || ((humanColor() ?? toPlay) === toPlay && thinking !== "thinking");
}

// Moves and the board

let waiting = null; // on a touch screen a move on a large board wants a second tap

function play(vertex) {
  const { phase, size, board: stones } = state.position;
  if (phase === "agreeing") {
    send("toggle-dead", { point: vertex });
    return;
  }
  if (!canPlay()) return;
  if (matchMedia("(pointer: coarse)").matches && size > 9 && waiting !== vertex && stones) {
    waiting = vertex;
    board.clearOverlay();
    board.label(vertex, "planned-point", "?");
    setStatus(t("status.confirm", { move: vertex }));
    return;
  }
  waiting = null;
  send("play", { move: vertex });
}

async function pass() {
  const last = state.nodes[state.position.node];
  const ends = state.position.phase === "playing" && last[1] && last[2] === "pass";
  if (canPlay() && (!ends || (await ask(t("action.passEnds"))))) send("play", { move: "pass" });
}

async function resign() {
  if (state.position.phase === "playing" && (await ask(t("action.resignSure")))) send("resign");
}

function preview(line, toPlay) {
  state.preview = line === null ? null : { line, toPlay };
  drawOverlay();
}

function drawOverlay() {
  board.clearOverlay();
  const { position, tab } = state;
  const isWatching = tab === "watch" && watchPanel.showsBoard;
  board.showOwners(tab === "analyze" && analyzePanel.isOn && analyzePanel.showsOwners ? analyzePanel.analysis?.ownership : tab === "play" ? state.score?.ownership : null);
  if (state.preview) {
    board.showLine(state.preview.line, state.preview.toPlay);
  } else if (isWatching) {
    watchPanel.drawOn(board);
  } else if (tab === "analyze" && analyzePanel.isOn && analyzePanel.analysis) {
    const { moves } = analyzePanel.analysis;
    const most = Math.max(1, ...moves.map((move) => move.visits));
    moves.filter((move, number) => number < 8 && (number === 0 || move.visits > 0.01 * most)).forEach((move, number) =>
      board.label(move.move, number === 0 ? "best" : "other", wholePercent(move.value), short(move.visits), number === 0 ? 1 : move.visits / most));
  } else if (tab === "play" && state.hint && position.node === state.hint.node) {
    state.hint.moves.slice(0, 5).forEach((move, number) => board.label(move.move, number === 0 ? "best" : "other", String(number + 1)));
  }
}

const short = (visits) => (visits < 1000 ? String(visits) : visits < 99_950 ? `${(visits / 1000).toFixed(1)}k` : `${Math.round(visits / 1000)}k`);

// The line of the game through the position that is looked at.
function currentLine() {
  const children = state.nodes.map(() => []);
  state.nodes.forEach(([parent], number) => { if (parent >= 0) children[parent].push(number); });
  const line = [state.position.node];
  while (line[0] > 0 && state.nodes[line[0]]) line.unshift(state.nodes[line[0]][0]);
  while (children[line.at(-1)]?.length) line.push(children[line.at(-1)][0]);
  return line;
}

function step(where) {
  const line = currentLine();
  const here = line.indexOf(state.position.node);
  const target = { first: 0, back: Math.max(0, here - 1), on: Math.min(line.length - 1, here + 1), last: line.length - 1 }[where];
  if (target !== here) send("go-to", { node: line[target] });
}

// Messages

function receive(message) {
  state.isLoading = message.type === "loading" || (state.isLoading && ["analyzing", "values", "tree", "node", "welcome"].includes(message.type));
  switch (message.type) {
    case "welcome":
      playPanel.offer(message.choices);
      watchPanel.offer(message.choices);
      document.title = "miai";
      break;
    case "tree":
      Object.assign(state, { nodes: message.nodes, settings: message.settings, names: message.names, values: {}, hint: null, score: null });
      state.nodes.version = Math.random();
      analyzePanel.showReview(null);
      analyzePanel.forget();
      playPanel.forget();
      break;
    case "node":
      state.nodes[message.node] = message.row;
      break;
    case "values":
      Object.assign(state.values, message.values);
      showGame();
      break;
    case "position":
      showPosition(message);
      break;
    case "analyzing":
      analyzePanel.switched(message.on);
      drawOverlay();
      break;
    case "analysis":
      if (message.node !== state.position.node) break;
      state.values[message.node] = [message.black, message.points, message.visits];
      analyzePanel.showCandidates(message, state.position.to_play);
      showStatus();
      drawOverlay();
      scheduleGame();
      break;
    case "policies":
      if (message.node === state.position.node) analyzePanel.showPolicies(message);
      break;
    case "hint":
      state.hint = { ...message, node: state.position.node };
      playPanel.showHint(message, state.position.to_play, preview);
      drawOverlay();
      break;
    case "score":
      state.score = message;
      playPanel.showScore(message);
      drawOverlay();
      break;
    case "sgf":
      download(message.sgf);
      break;
    case "progress":
      state.progress = message;
      showStatus();
      break;
    case "review":
      analyzePanel.showReview(message);
      showGame();
      break;
    case "watch":
      watchPanel.show(message);
      showStatus();
      drawOverlay();
      break;
    case "watch-ended":
      watchPanel.ended();
      break;
    case "loading":
      showStatus();
      break;
    case "engine-asleep":
      toast(t("status.asleep"), "note");
      watchPanel.ended();
      break;
    case "engine-ended":
      toast(t(message.again ? "status.ended" : "status.endedOften"));
      if (message.again) send("refresh");
      break;
    case "not-kept":
      toast(t("status.notKept"), "note");
      break;
    case "notice":
      toast(translated(message.text), "note");
      break;
    case "error":
      toast(translated(message.text));
      break;
  }
}

function showPosition(position) {
  const old = state.position;
  state.position = position;
  if (position.thinking !== "reviewing") state.progress = null;
  if (position.node !== old.node || position.size !== old.size) {
    state.preview = state.score = null;
    waiting = null;
    if (position.node !== state.hint?.node) playPanel.forget();
    analyzePanel.forget();
    announce(old, position);
  }
  board.show(position, canPlay());
  playPanel.show(position);
  analyzePanel.reviewing(position.thinking === "reviewing");
  showPlayers(position, state.names, humanColor(), state.settings.komi);
  showButtons();
  showStatus();
  showGame();
  drawOverlay();
}

function announce(old, position) {
  const node = state.nodes[position.node];
  if (!node || node[1] === 0 || node[0] !== old.node) return;
  const color = t(node[1] === 1 ? "color.black" : "color.white");
  const captured = position.captured.black + position.captured.white - old.captured.black - old.captured.white;
  const words = node[2] === "pass" ? t("say.pass", { color }) : t("say.move", { color, move: node[2] });
  say(captured > 0 ? `${words} ${t("say.captured", { count: captured })}` : words);
  click();
}

function showGame() {
  if (state.tab === "analyze") analyzePanel.showGame(currentLine(), state.values, state.nodes, state.position.node);
}

let gameIsDue = false;

function scheduleGame() {
  if (gameIsDue) return;
  gameIsDue = true;
  setTimeout(() => { gameIsDue = false; showGame(); }, 500);
}

function setStatus(text) {
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

function showStatus() {
  const { phase, thinking, to_play: toPlay, result, count } = state.position;
  const color = t(`color.${toPlay}`);
  if (state.status !== "ready") setStatus(t(`status.${state.status}`));
  else if (state.isLoading) setStatus(t("status.loading"));
  else if (thinking === "reviewing") setStatus(t("status.reviewing", state.progress ?? { done: 0, of: "…" }));
  else if (["thinking", "searching", "analyzing", "counting", "watching"].includes(thinking)) setStatus(t(`status.${thinking}`));
  else if (phase === "agreeing") setStatus(t("status.agreeing", { result: describeResult(count) }));
  else if (result && phase !== "playing") setStatus(describeResult(result));
  else setStatus(t(phase === "playing" && humanColor() === toPlay ? "status.yourTurn" : "status.turn", { color }));
}

const button = (name, act, label) => h("button", { id: `do-${name}`, onclick: act, title: label ?? null, "aria-label": label ?? null });

function makeButtons() {
  byId("moves").append(...["first", "back", "on", "last"].map((name) => {
    const one = button(name, () => step(name), t(`move.${name}`));
    one.append(icon(name));
    return one;
  }));
  byId("moves").children[1].after(h("span", { id: "number" }));
  const acts = { undo: () => send("undo"), pass, resign, hint: () => send("hint"), score: () => send("score"), agree: () => send("agree"),
    playOn: () => send("play-on"), retry: () => send("refresh") };
  byId("actions").append(...Object.entries(acts).map(([name, act]) => {
    const one = button(name, act);
    one.textContent = t(`action.${name}`);
    return one;
  }));
}

function showButtons() {
  const { phase, thinking, node } = state.position;
  const agreeing = phase === "agreeing";
  const set = (name, isShown, isEnabled = true) => {
    byId(`do-${name}`).hidden = !isShown;
    byId(`do-${name}`).disabled = !isEnabled;
  };
  set("undo", !agreeing, node > 0);
  set("pass", !agreeing, canPlay());
  set("resign", phase === "playing");
  set("hint", !agreeing, thinking !== "thinking");
  set("score", !agreeing, thinking !== "thinking");
  set("agree", agreeing, thinking !== "counting");
  set("playOn", agreeing);
  const line = currentLine();
  const here = line.indexOf(node);
  set("retry", phase === "playing" && !canPlay() && thinking === "" && here === line.length - 1);
  byId("number").textContent = `${here} / ${line.length - 1}`;
  for (const name of ["first", "back"]) byId(`do-${name}`).disabled = here <= 0;
  for (const name of ["on", "last"]) byId(`do-${name}`).disabled = here >= line.length - 1;
}

async function mayReplace() {
  const isUnderWay = ["playing", "agreeing"].includes(state.position.phase) && state.nodes.length > 1;
  return !isUnderWay || ask(t("action.replaceSure"));
}

async function load(sgf) {
  if (!(await mayReplace())) return;
  send("load-sgf", { sgf });
  choose("analyze");
}

// Tabs and keys

function choose(name) {
  state.tab = name;
  for (const tab of TABS) {
    byId(`panel-${tab}`).hidden = tab !== name;
    byId(`tab-${tab}`).setAttribute("aria-selected", String(tab === name));
    byId(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
  }
  document.body.dataset.tab = name;
  watchPanel.visible(name === "watch");
  showGame();
  drawOverlay();
}

function makeTabs() {
  byId("tabs").append(...TABS.map((name) => h("button", {
    id: `tab-${name}`, role: "tab", "aria-controls": `panel-${name}`, onclick: () => choose(name),
    onkeydown: (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (!(event.key in steps)) return;
      const next = TABS[(TABS.indexOf(name) + steps[event.key] + TABS.length) % TABS.length];
      choose(next);
      byId(`tab-${next}`).focus();
      event.stopPropagation();
    },
  }, t(`tab.${name}`))));
}

const KEYS = { ArrowLeft: () => step("back"), ArrowRight: () => step("on"), Home: () => step("first"), End: () => step("last"),
  u: () => byId("do-undo").click(), p: pass, h: () => byId("do-hint").click(), s: () => byId("do-score").click(),
  a: () => { choose("analyze"); byId("analyze").click(); } };

addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

for (const element of document.querySelectorAll("[data-text]")) element.textContent = t(element.dataset.text);
makeTabs();
makeTools(byId("tools"));
takeDrops(load);
makeButtons();
showPosition(EMPTY);
choose("play");
const connection = new Connection(receive, (status) => {
  state.status = status;
  document.body.classList.toggle("lost", ["lost", "full", "refused"].includes(status));
  showStatus();
});
