// Requests to the server.
import { answerOf, isNothing, isObject } from "./answers.js";
import { Emitter } from "./emitter.js";
import { EventParser } from "./event-parser.js";
import { detailOf } from "./refusal.js";

/** The server refused the request; a retry would not help. */
export class Problem extends Error {
  /**
   * @param action see answers.js
   * @param [document] the problem document; undefined if a proxy has answered
   * @param token the request's token
   */
  constructor(action, status, document, token) {
    const detail = document?.detail ?? `The server refused the request (status ${status}).`;
    super(detail);
    this.name = "Problem";
    this.action = action;
    this.token = token;
    this.status = status;
    this.code = document?.code;
    this.pointer = document?.pointer;
    this.detail = detail;
  }
}

/** The server was unreachable, or asks for a later retry. */
export class Unreachable extends Error {
  code = "unreachable";
  action = "wait";

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
  action = "signIn";

  constructor(detail = "The server requires another token.") {
    super(undefined, detail);
    this.name = "Unauthorized";
  }
}

const requestTimeoutMilliseconds = 30_000;
const silenceMilliseconds = 40_000;

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

  /** Sends a request and returns the document of its response, as `request` does. */
  async send(method, path, options) {
    return (await this.request(method, path, options)).document;
  }

  /**
   * Sends a request and reads the JSON response.
   * @param [options.kind] what the request is, see answers.js
   * @param [options.isDocumented] whether a document is a response to this request
   * @param [options.body] the body: a value, or JSON text
   * @param {AbortSignal} [options.signal] aborts the request, as if the server were unreachable
   * @param [options.outlivesPage] whether the request is also sent if the page closes now
   * @param [options.isMinimal] whether the response to a write needs no tasks, because the stream brings them
   * @returns the `document`, and the `epoch` of the list's version, if the response has one
   * @throws {Problem | Unreachable}
   */
  async request(method, path, options = {}) {
    const { kind = "write", body, key, signal, isMinimal, outlivesPage } = options;
    const isDocumented =
      options.isDocumented ?? ((one) => isObject(one) || (method === "DELETE" && isNothing(one)));
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
        keepalive: outlivesPage,
        signal: ended,
      });
      text = await response.text();
    } catch {
      throw new Unreachable();
    }
    const document = this.#use(kind, response, text, token, isDocumented);
    return { document, epoch: epochOf(response) };
  }

  /** @returns the document of a response; undefined if it has none */
  #use(kind, response, text, token, isDocumented) {
    const { status, headers } = response;
    const type = headers.get("Content-Type");
    const { action, document } = answerOf(kind, { status, type, text }, isDocumented);
    if (action === "done") return document;
    if (action === "wait") {
      const seconds = document?.code === "request_in_progress" ? 1 : undefined;
      throw new Unreachable(Number(headers.get("Retry-After")) || seconds);
    }
    if (status !== 401) throw new Problem(action, status, document, token);
    this.emit("unauthorized", { token, detail: document.detail });
    throw new Unauthorized(document.detail);
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
      const text = response.ok ? "" : await response.text();
      this.#use("stream", response, text, token);
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

/** The epoch in the entity tag of a list's version; undefined without one. */
function epochOf({ headers }) {
  return /^(?:W\/)?"\d+-(\w+)/.exec(headers.get("ETag") ?? "")?.[1];
}
