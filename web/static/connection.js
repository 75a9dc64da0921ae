// The WebSocket to the server. It comes back by itself, also where there was no room, and brings the game along if the
// server has forgotten it.
const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;
const MOST_SAVED = 1_000_000; // bytes: with it a message is still shorter than the server takes
const CODE_NOT_ALLOWED = 4403;

const fits = (saved) => new Blob([saved]).size <= MOST_SAVED;

export class Connection {
  constructor(onMessage, onStatus) {
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.wait = FIRST_WAIT;
    this.isReady = false;
    this.isKept = true;
    this.open();
  }

  open() {
    this.isFull = false;
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.onopen = () => this.greet(sessionStorage.getItem("miai-session"));
    this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    this.socket.onclose = (event) => {
      this.isReady = false;
      if (event.code === CODE_NOT_ALLOWED) {
        this.onStatus("refused");
        return;
      }
      this.onStatus(this.isFull ? "full" : "lost");
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, this.wait * 1.6);
    };
  }

  greet(session, saved = null) {
    this.socket.send(JSON.stringify({ type: "hello", session, saved }));
  }

  // What the page keeps of the game, for a server that has forgotten it.
  keep(saved) {
    const wasKept = this.isKept;
    try {
      this.isKept = fits(saved);
      if (this.isKept) sessionStorage.setItem("miai-saved", saved);
    } catch {
      this.isKept = false; // larger than the browser keeps
    }
    if (this.isKept) return;
    sessionStorage.removeItem("miai-saved");
    if (wasKept) this.onMessage({ type: "not-kept" });
  }

  receive(message) {
    if (message.type === "forgotten") {
      const saved = sessionStorage.getItem("miai-saved");
      this.greet(null, saved !== null && fits(saved) ? JSON.parse(saved) : null);
      return;
    }
    if (message.type === "welcome") {
      sessionStorage.setItem("miai-session", message.session);
      this.wait = FIRST_WAIT;
      this.isReady = true;
      this.onStatus("ready");
    } else if (message.type === "saved") {
      this.keep(JSON.stringify(message.saved));
      return;
    } else if (message.type === "error" && message.text.startsWith("hello: saved")) {
      sessionStorage.removeItem("miai-saved"); // of another version of miai
      this.socket.close();
    } else if (message.code === "full" && !this.isReady) {
      this.isFull = true;
      this.socket.close();
      return;
    }
    this.onMessage(message);
  }

  send(type, values = {}) {
    if (!this.isReady) return false;
    this.socket.send(JSON.stringify({ type, ...values }));
    return true;
  }
}
