// A server for tests of the client without a network: it responds to each `fetch` of this process.

/** The real one, for tests with a real server. */
export const fetchOfNode = globalThis.fetch;

let count = 0;

/** It has lists, the event stream of each, and a function for other responses. */
export class FakeServer {
  /** Each server has its own, so that it does not get late requests of earlier tests. */
  url = `http://lists${(count += 1)}.test`;
  /** The requests so far, without those of documents and streams: `POST /lists/a/move {"task":"b"}`. Members are sorted by name. */
  requests = [];
  /** The `Idempotency-Key` of each of these requests. */
  keys = [];
  /** The number of requests for lists by their ids. */
  searches = 0;
  /** The number of event streams of lists so far. */
  streams = 0;
  /** The author of the clients, as the event `hello` of a list has it; undefined: there is none. */
  author = undefined;
  /** The first events of a stream, each with its name and data: called with the list, which is "" for that of all lists, and `Last-Event-ID`. */
  greet = (id) => [["hello", id ? { version: 1, author: this.author } : {}]];
  isReachable = true;
  /** Whether the server gets requests, but its responses are lost. */
  losesResponses = false;
  /**
   * Called for each other request with its method, path and body: returns the status, the document, and perhaps header fields, or a promise of
   * them. In the response to a batch, `results` that are absent are those of operations that were applied.
   */
  respond = () => [200, { version: 2 }];
  #documents = new Map();
  #streams = new Map();

  constructor() {
    globalThis.fetch = (address, options) => this.#fetch(address, options);
  }

  /** Adds a list of tasks by their titles, which are also their ids; two spaces make a subtask. */
  make(id, titles, settings = {}) {
    const tasks = [];
    let parent = null;
    for (const text of titles) {
      const title = text.trim();
      if (!text.startsWith("  ")) parent = null;
      tasks.push({ id: title, title, section: null, parent });
      parent ??= title;
    }
    const ownSettings = {
      elementsOffset: 0,
      collapseSubElements: false,
      moves: "anywhere",
      ...settings,
    };
    this.#documents.set(id, { id, title: id, version: 1, sections: [], tasks, ...ownSettings });
  }

  /** Deletes a list. Its followers learn it. */
  delete(id) {
    this.#documents.delete(id);
    this.send(id, "deleted", {});
  }

  /** The number of open streams of a list. */
  open(list) {
    return this.#streams.get(list)?.size ?? 0;
  }

  /** Sends an event of a list. */
  send(list, event, data) {
    for (const stream of this.#streams.get(list) ?? []) stream.enqueue(textOf(event, data));
  }

  /** Ends the streams of a list. */
  endStream(list) {
    for (const stream of this.#streams.get(list)) stream.close();
    this.#streams.delete(list);
  }

  async #fetch(address, { method = "GET", headers, body, signal }) {
    signal?.throwIfAborted();
    if (!this.isReachable || !address.startsWith(this.url)) throw new TypeError("fetch failed");
    const path = address.slice(this.url.length);
    const [, id, isStream] = /^\/lists\/([^/?]+)(\/events)?$/.exec(path) ?? [];
    if (method === "GET" && id) {
      const document = this.#documents.get(id);
      if (!document) return notFound(id);
      return isStream ? this.#stream(id, headers, signal) : json(200, document);
    }
    if (path === "/events") return this.#stream("", headers, signal);
    const [, asked] = /^\/lists\?ids=(.+)$/.exec(path) ?? [];
    if (asked) {
      this.searches += 1;
      const ids = decodeURIComponent(asked).split(",");
      return json(200, {
        lists: ids
          .flatMap((one) => this.#documents.get(one) ?? [])
          .map(({ id: one, title }) => ({ id: one, title })),
      });
    }
    this.requests.push(body ? `${method} ${path} ${sorted(body)}` : `${method} ${path}`);
    this.keys.push(headers["Idempotency-Key"]);
    if (this.losesResponses) throw new TypeError("fetch failed");
    const [, changed] = /^\/lists\/([^/]+)\/batch$/.exec(path) ?? [];
    if (changed && !this.#documents.has(changed)) return notFound(changed);
    const [status, document, fields] = await this.respond(method, path, body);
    if (changed && status < 300)
      document.results ??= JSON.parse(body).steps.flatMap((step) => step.map(() => ({})));
    return json(status, document, fields);
  }

  #stream(id, fields, signal) {
    const start = (controller) => {
      if (id) this.streams += 1;
      const open = this.#streams.get(id) ?? new Set();
      this.#streams.set(id, open.add(controller));
      for (const event of this.greet(id, fields["Last-Event-ID"]))
        controller.enqueue(textOf(...event));
      signal.addEventListener("abort", () => {
        if (open.delete(controller)) controller.error(signal.reason);
      });
    };
    const headers = { "Content-Type": "text/event-stream" };
    return new Response(new ReadableStream({ start }), { headers });
  }
}

function notFound(id) {
  return json(404, { code: "list_not_found", detail: `List "${id}" does not exist.` });
}

/** A response of reorderd. A document without a `code` in a response of another status is that of a proxy. */
function json(status, document, headers = {}) {
  if (status === 204) return new Response(null, { status, headers });
  const isProblem = status >= 400 && document.code !== undefined;
  const type = `application/${isProblem ? "problem+" : ""}json`;
  const body = JSON.stringify(isProblem ? { status, ...document } : document);
  return new Response(body, { status, headers: { "Content-Type": type, ...headers } });
}

function textOf(event, data) {
  return new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** JSON text with the members of each object sorted by name. */
function sorted(text) {
  const sort = (_, value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  };
  return JSON.stringify(JSON.parse(text), sort);
}

/** The time after which a test stops waiting. Only a hang reaches it. */
const hangMilliseconds = 300_000;

/** Waits until a condition holds. @throws {Error} with the condition, after `hangMilliseconds` */
export async function until(condition) {
  const end = performance.now() + hangMilliseconds;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`This did not happen: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
