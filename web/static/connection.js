// The WebSocket to the server. It comes back by itself, also where there was no room, and brings the game along if the
// server has forgotten it.
const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;

export class Connection {
  constructor(onMessage, onStatus) {
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.wait = FIRST_WAIT;
    this.isReady = false;
    this.open();
  }

  open() {
    this.isFull = false;
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.onopen = () => {
      const saved = sessionStorage.getItem("miai-saved");
      this.socket.send(JSON.stringify({
        type: "hello", session: sessionStorage.getItem("miai-session"), saved: saved === null ? null : JSON.parse(saved),
      }));
    };
    this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.isReady = false;
      this.onStatus(this.isFull ? "full" : "lost");
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, this.wait * 1.6);
    };
  }

  receive(message) {
    if (message.type === "welcome") {
      sessionStorage.setItem("miai-session", message.session);
      this.wait = FIRST_WAIT;
      this.isReady = true;
      this.onStatus("ready");
    } else if (message.type === "saved") {
      try {
        sessionStorage.setItem("miai-saved", JSON.stringify(message.saved));
      } catch {
        sessionStorage.removeItem("miai-saved"); // larger than the browser keeps
      }
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
