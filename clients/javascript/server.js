// Requests to the server.
import { Emitter } from "./emitter.js";
import { EventParser } from "./event-parser.js";
import { detailOf } from "./refusal.js";

/** The server refused the request; a retry would not help. */
export class Problem extends Error {
  /** @param token the request's token */
  constructor(status, document, token) {
    const detail = document.detail ?? `The server refused the request (status ${status}).`;
    super(detail);
    this.name = "Problem";
    this.token = token;
    this.status = status;
    this.code = document.code;
    this.detail = detail;
  }
}

/** The server was unreachable, or asks for a later retry. */
export class Unreachable extends Error {
  code = "unreachable";

  constructor(retryAfterSeconds, detail = detailOf("unreachable")) {
    super(detail);
    this.name = "Unreachable";
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The server requires a token, or does not accept the token. Pending steps are kept. */
export class Unauthorized extends Unreachable {
  code = "unauthorized";

  constructor(detail = "The server requires another token.") {
    super(undefined, detail);
    this.name = "Unauthorized";
  }
}

const requestTimeoutMilliseconds = 30_000;
const silenceMilliseconds = 40_000;
const tooLarge = {
  code: "body_too_large",
  detail: "The request is larger than the server accepts.",
};

/** Event: `unauthorized` (detail: the token, and the server's reason). */
export class Server extends Emitter {
  /** The author of this client's changes, as the last `hello` of a list had it; undefined if the server did not say. */
  author = undefined;
  #url;
  #token;

  /**
   * @param url the server's address, without a slash at its end
   * @param token returns the token, or a promise of it; null if there is none
   * @param clientID the Client-Id of this window
   */
  constructor(url, token, clientID) {
    super();
    this.#url = url;
    this.#token = token;
    this.clientID = clientID;
  }

  /** Whether a change or a drag is of this client: others can send its Client-Id, but do not have its author. */
  isOwn({ client, by }) {
    return client === this.clientID && (this.author === undefined || by === this.author);
  }

  /**
   * Sends a request and reads the JSON response.
   * @param [options.body] the body: a value, or JSON text
   * @param {AbortSignal} [options.signal] aborts the request, as if the server were unreachable
   * @param [options.isMinimal] whether the response to a write needs no tasks, because the stream brings them
   * @throws {Problem | Unreachable}
   */
  async send(method, path, { body, key, signal, isMinimal } = {}) {
    const timeout = AbortSignal.timeout(requestTimeoutMilliseconds);
    const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const token = await unlessAborted(this.#currentToken(), ended);
    const fields = this.#fields(token);
    if (key) fields["Idempotency-Key"] = key;
    if (isMinimal) fields.Prefer = "return=minimal";
    if (body !== undefined) fields["Content-Type"] = "application/json";
    let response, text;
    try {
      response = await fetch(this.#url + path, {
        method,
        headers: fields,
        body: typeof body === "object" ? JSON.stringify(body) : body,
        cache: "no-store",
        signal: ended,
      });
      text = await response.text();
    } catch {
      throw new Unreachable();
    }
    const { status } = response;
    if (status >= 500 || status === 408 || status === 429) {
      throw new Unreachable(Number(response.headers.get("Retry-After")) || undefined);
    }
    // A proxy can have a lower limit than the server, and does not send a problem document.
    const document = status === 413 ? tooLarge : parse(text);
    if (response.ok) return document;
    if (status !== 401 && document.code === undefined) throw new Unreachable(); // by a proxy
    if (document.code === "request_in_progress") throw new Unreachable(1); // it has another request with the same key
    throw this.#failure(status, document, token);
  }

  /**
   * Receives the events of a list after a version, until the connection ends.
   *
   * `EventSource` is not used, because it cannot start after a given version. It also does not notice a dead connection, because
   * it hides comments, and heartbeats are comments.
   *
   * @param version returns the version, with "-" and the epoch if the document has one
   * @param {AbortSignal} signal ends the stream
   * @param onOpen is called when the stream is open
   * @param onEvent is called with each event's name and parsed data
   */
  follow(list, version, signal, onOpen, onEvent) {
    const path = `/lists/${encodeURIComponent(list)}/events`;
    return this.#receive(path, version, signal, onOpen, onEvent);
  }

  /**
   * Receives the events of all lists that the token covers, from now on and until the connection ends. The first event is `hello`.
   * @param signal and onEvent as in `follow`
   */
  followAll(signal, onEvent) {
    return this.#receive("/events", null, signal, () => {}, onEvent);
  }

  async #receive(path, version, signal, onOpen, onEvent) {
    const silence = new AbortController();
    const ended = AbortSignal.any([signal, silence.signal]);
    let timer;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMilliseconds);
    };
    listen();
    try {
      const token = await unlessAborted(this.#currentToken(), ended);
      const fields = { ...this.#fields(token), Accept: "text/event-stream" };
      if (version) fields["Last-Event-ID"] = version();
      const response = await fetch(this.#url + path, {
        headers: fields,
        cache: "no-store",
        signal: ended,
      });
      if (!response.ok) {
        const document = parse(await response.text());
        const isOurs = response.status === 401 || document.code !== undefined;
        if (isOurs && [401, 403, 404].includes(response.status))
          throw this.#failure(response.status, document, token);
        throw new Unreachable(Number(response.headers.get("Retry-After")) || undefined);
      }
      onOpen();
      const parser = new EventParser(onEvent);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      // In Node.js, a read can wait forever if the stream is aborted.
      while (!ended.aborted) {
        const { value, done } = await unlessAborted(reader.read(), ended);
        if (done) return;
        listen();
        parser.push(value);
      }
      throw new Unreachable();
    } catch (error) {
      if (error instanceof Problem || error instanceof Unreachable) throw error;
      throw new Unreachable();
    } finally {
      clearTimeout(timer);
      silence.abort(); // a connection that is not needed any more must not stay open
    }
  }

  #fields(token) {
    const fields = { "Client-Id": this.clientID };
    if (token) fields.Authorization = `Bearer ${token}`;
    return fields;
  }

  /** @throws {Unreachable} if the app cannot get a token now */
  async #currentToken() {
    try {
      return (await this.#token()) ?? null;
    } catch {
      throw new Unreachable();
    }
  }

  #failure(status, document, token) {
    if (status !== 401) return new Problem(status, document, token);
    this.emit("unauthorized", { token, detail: document.detail });
    return new Unauthorized(document.detail);
  }
}

/** @throws {Unreachable} when the signal is aborted */
function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Unreachable());
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}

function parse(text) {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Unreachable(); // the response came from a proxy
  }
}
