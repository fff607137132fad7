// Server-sent events.

/** Reads server-sent events from pieces of text. */
export class EventParser {
  #rest = "";
  #event = "";
  #data = [];

  constructor(onEvent) {
    this.onEvent = onEvent;
  }

  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n/);
    this.#rest = lines.pop();
    for (const line of lines) this.#read(line);
  }

  #read(line) {
    if (line === "") {
      if (this.#data.length > 0) this.onEvent(this.#event, JSON.parse(this.#data.join("\n")));
      this.#event = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    if (name === "data") this.#data.push(value);
  }
}
