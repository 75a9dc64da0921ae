// The tools of the page: sound, theme, help.
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { click, sound } from "./sound.js";
import { t } from "./texts.js";

setTheme(localStorage.getItem("miai-theme"));

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function makeTools(place) {
  const soundButton = h("button", { id: "sound", title: t("tool.sound"), "aria-label": t("tool.sound"), onclick: () => { sound.isOn = !sound.isOn; showSound(); click(); } });
  const showSound = () => { soundButton.replaceChildren(icon(sound.isOn ? "soundOn" : "soundOff")); soundButton.setAttribute("aria-pressed", String(sound.isOn)); };
  const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const themeButton = h("button", { id: "theme", title: t("tool.theme"), "aria-label": t("tool.theme"), onclick: () => {
    const theme = isDark() ? "light" : "dark";
    localStorage.setItem("miai-theme", theme);
    setTheme(theme);
  } }, icon("theme"));
  const helpButton = h("button", { id: "help", title: t("tool.help"), "aria-label": t("tool.help"), onclick: showHelp }, icon("help"));
  showSound();
  place.append(soundButton, themeButton, helpButton);
}

function showHelp() {
  const rows = t("help.keys").split("\n").map((line) => line.split("|")).map(([keys, what]) => h("tr", {}, h("td", {}, h("kbd", {}, keys)), h("td", {}, what)));
  const dialog = h("dialog", {}, h("h2", {}, t("help.title")), h("table", {}, h("tbody", {}, ...rows)), h("button", { class: "primary", onclick: () => dialog.close() }, t("help.close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
