// The pictures on buttons, so that no font needs to have them.
import { s } from "./dom.js";

const PATHS = {
  first: "M5 4v16M19 4 8 12l11 8z",
  back: "M16 4 6 12l10 8z",
  on: "M8 4l10 8-10 8z",
  last: "M19 4v16M5 4l11 8-11 8z",
  soundOn: "M4 9v6h4l5 4V5L8 9zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  soundOff: "M4 9v6h4l5 4V5L8 9zM16 9l6 6M22 9l-6 6",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  help: "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.1-1.5 2.3M12 18.2v.3",
};

export const icon = (name) => s("svg", { viewBox: "0 0 24 24", class: `icon ${name}`, "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
