// Requests to the server.
import { credentials, wantToken } from "./access.js";

/** The Client-Id of this window. It stays the same when the page is reloaded. */
export const clientID = (() => {
  const known = sessionStorage.getItem("reorderd client");
  if (known) return known;
  const made = `web-${makeID()}`;
  sessionStorage.setItem("reorderd client", made);
  return made;
})();

/** A UUID of version 7. `crypto.randomUUID` does not exist in pages loaded over plain HTTP. */
export function makeID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let milliseconds = Date.now();
  for (let index = 5; index >= 0; index -= 1) {
    bytes[index] = milliseconds % 256;
    milliseconds = Math.floor(milliseconds / 256);
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The server refused the request; a retry would not help. */
export class Problem extends Error {
  /** @param shown the request's credentials */
  constructor(status, document, shown) {
    super(document.detail ?? document.title ?? `status ${status}`);
    this.status = status;
    this.shown = shown;
    this.code = document.code;
    this.detail = document.detail;
  }
}

/** The server was unreachable, or asks for a later retry. */
export class Unreachable extends Error {
  constructor(retryAfterSeconds) {
    super("unreachable");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The server requires a token, or does not accept the token. Pending steps are kept. */
export class Unauthorized extends Unreachable {
  constructor(why, shown) {
    super();
    wantToken(why, shown);
  }
}

const requestTimeoutMilliseconds = 30_000;

/**
 * Sends a request and reads the JSON response.
 * @param {AbortSignal} [options.signal] aborts the request, as if the server were unreachable
 * @throws {Problem | Unreachable}
 */
export async function send(method, path, { body, key, headers = {}, signal } = {}) {
  const shown = credentials();
  const fields = { "Client-Id": clientID, ...shown, ...headers };
  if (key) fields["Idempotency-Key"] = key;
  if (body !== undefined) fields["Content-Type"] = "application/json";
  const timeout = AbortSignal.timeout(requestTimeoutMilliseconds);
  let response, text;
  try {
    response = await fetch(path, {
      method,
      headers: fields,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch {
    throw new Unreachable();
  }
  if (response.status > 500 || response.status === 429) {
    throw new Unreachable(Number(response.headers.get("Retry-After")) || undefined);
  }
  const document = parse(text);
  if (response.status === 401) throw new Unauthorized(document.detail, shown);
  if (!response.ok) throw new Problem(response.status, document, shown);
  return document;
}

function parse(text) {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Unreachable(); // the response came from a proxy
  }
}

const silenceMilliseconds = 40_000;

/**
 * Receives the events of a list after a version, until the connection ends.
 *
 * `EventSource` is not used, because it cannot start after a given version. It also does not notice a dead connection, because
 * it hides comments, and heartbeats are comments.
 *
 * @param token the version, with "-" and the epoch if the document has one
 * @param {AbortSignal} signal ends the stream
 * @param onOpen is called when the stream is open
 * @param onEvent is called with each event's name and parsed data
 */
export async function follow(list, token, signal, onOpen, onEvent) {
  const silence = new AbortController();
  let timer;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMilliseconds);
  };
  listen();
  const shown = credentials();
  try {
    const response = await fetch(`/lists/${encodeURIComponent(list)}/events`, {
      headers: {
        Accept: "text/event-stream",
        "Last-Event-ID": token,
        "Client-Id": clientID,
        ...shown,
      },
      cache: "no-store",
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok) {
      const document = parse(await response.text());
      if (response.status === 401) throw new Unauthorized(document.detail, shown);
      if (response.status === 403 || response.status === 404)
        throw new Problem(response.status, document, shown);
      throw new Unreachable();
    }
    onOpen();
    const parser = new EventParser(onEvent);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      listen();
      parser.push(value);
    }
  } catch (error) {
    if (error instanceof Problem || error instanceof Unreachable) throw error;
    throw new Unreachable();
  } finally {
    clearTimeout(timer);
  }
}

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
