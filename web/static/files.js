// Games in files: downloaded, chosen, or dropped on the page.
import { h } from "./dom.js";
import { toast } from "./play.js";
import { t } from "./texts.js";

const MOST_SGF = 600_000;

export function download(sgf) {
  const address = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
  const link = h("a", { href: address, download: `miai-${new Date().toISOString().slice(0, 10)}.sgf` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function chooseFile(load) {
  const input = h("input", { type: "file", accept: ".sgf" });
  input.addEventListener("change", () => input.files[0] && read(input.files[0], load));
  input.click();
}

export function takeDrops(load) {
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0], load);
  });
}

async function read(file, load) {
  if (file.size > MOST_SGF) {
    toast(t("drop.large", { name: file.name, most: MOST_SGF }));
    return;
  }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer()); // the server knows their encoding
    load(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
  } catch {
    toast(t("drop.unreadable", { name: file.name }));
  }
}
