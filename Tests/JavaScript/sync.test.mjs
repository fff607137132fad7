// The scenarios in Tests/Fixtures/sync.json, with the whole client: only the network, the storage and the timers are replaced.
//
// This client is faster than the scripts at two places, and these requests get no answer here: when its stream is open again, it sends what
// waits, and when a list is gone, it looks for it at once. If a version is missing, it asks for the changes before the document.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { connect } from "../../clients/javascript/client.js";
import { visibleRows } from "../../clients/javascript/visible-rows.js";
import { installStorage, removeStorage } from "./fake-indexeddb.mjs";
import { documentOf, outlineOf, stepOf } from "./short-documents.mjs";
import { follow } from "./table-view.mjs";

const scenarios = JSON.parse(readFileSync(new URL("../Fixtures/sync.json", import.meta.url)));

/** Longer timers of the client are pauses, or time limits. */
const shortMilliseconds = 100;
/** The time limits of a quiet stream and of a database end nothing here. */
const limits = [40_000, 3_000];

const { fetch, setTimeout, clearTimeout } = globalThis;
/** The pauses of the client, by their timers. */
const pauses = new Map();
let count = 0;

before(() => {
  globalThis.setTimeout = (act, milliseconds = 0, ...rest) => {
    if (milliseconds <= shortMilliseconds) return setTimeout(act, 0, ...rest);
    const timer = { act, isLimit: limits.includes(milliseconds) };
    pauses.set(timer, timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    if (!pauses.delete(timer)) clearTimeout(timer);
  };
});

after(() => Object.assign(globalThis, { fetch, setTimeout, clearTimeout }));

/** One person's program, and what it has on its disk. */
class Device {
  /** The requests that have no answer yet: `read` and `batch`. Each has `answer`, and a batch its `body`. */
  requests = {};
  refusals = [];
  /** The names of the steps that delete a task. */
  deletions = new Set();
  #url = `http://sync${(count += 1)}.test`;
  records = installStorage();
  /** Whether the client has opened the stream meanwhile. */
  isReconnected = false;
  #stream = null;
  /** The last version of the server that the client can know. */
  #version = 0;
  #lists;
  /** The rows of a table view. */
  #table;
  /** The names of steps and of operations, by the ids that the client has given them. */
  #steps = new Map();
  #operations = new Map();
  #run = 0;

  start() {
    this.#run += 1;
    this.#stream = null;
    this.requests = {};
    pauses.clear();
    const run = this.#run;
    // Requests of a program that has ended, also of the device before, get no answer and do nothing.
    globalThis.fetch = (address, options) =>
      run === this.#run && address.startsWith(`${this.#url}/`)
        ? this.#request(address, options)
        : new Promise(() => {});
    this.#lists = connect({ url: this.#url, clientID: "test" });
    this.list = this.#lists.list("l");
    this.#table = null;
    this.list.subscribe(({ rows, delta }) => {
      this.#table = delta ? follow(this.#table, rows, delta) : [...rows];
    });
    this.list.on("refused", ({ step, code }) => {
      if (run === this.#run) this.refusals.push([this.#steps.get(step.id), code]);
    });
  }

  #request(address, { method, body, headers, signal }) {
    const path = address.slice(this.#url.length);
    if (path === "/lists/l/events") return this.#open(headers["Last-Event-ID"], signal);
    const kind = method === "POST" ? "batch" : "read";
    return new Promise((resolve, reject) => {
      const answer = (status, fields, text) =>
        status === null
          ? reject(new TypeError("fetch failed"))
          : resolve(
              new Response(status === 204 || status === 304 ? null : text, {
                status,
                headers: fields,
              }),
            );
      this.requests[kind] = { answer, body, isSearch: path === "/lists?ids=l", isNew: true };
      signal.addEventListener("abort", () => {
        if (this.requests[kind]?.answer === answer) delete this.requests[kind];
        reject(signal.reason);
      });
    });
  }

  #open(version, signal) {
    const start = (controller) => {
      this.#stream = controller;
      this.isReconnected = true;
      this.#send("hello", { version: this.#version });
      if (Number.parseInt(version, 10) < this.#version) this.#send("refetch", {});
      signal.addEventListener("abort", () => {
        if (this.#stream === controller) this.#stream = null;
        controller.error(signal.reason);
      });
    };
    const headers = { "Content-Type": "text/event-stream" };
    return Promise.resolve(new Response(new ReadableStream({ start }), { headers }));
  }

  #send(event, data) {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#stream?.enqueue(new TextEncoder().encode(text));
  }

  /** Lets something of a script happen. */
  async happen(element) {
    this.isReconnected = false;
    this.#version = element.data?.version ?? this.#version;
    if ("do" in element) this.#do(element.do, element.step);
    else if ("to" in element) await this.#answer(element.to, element.answer);
    else if ("event" in element) this.#send(element.event, this.#translated(element.data ?? {}));
    else if ("pause" in element) this.#endPauses();
    else if ("token" in element) this.#lists.reconnect();
    else if ("seen" in element)
      this.refusals = this.refusals.filter(([name]) => name !== element.seen);
    else if ("discard" in element) this.list.discardWaiting();
    else this.start();
    await settled();
  }

  #do(name, operations) {
    const steps = operations.map(stepOf);
    if (steps.length === 1 && steps[0].kind === "delete") this.deletions.add(name);
    const { id } = this.list.make(steps.length === 1 ? steps[0] : { kind: "group", steps });
    this.list.emit("change"); // as `do` does
    this.#steps.set(id, name);
    for (const [index, { opId }] of operations.entries())
      this.#operations.set(opId, operations.length === 1 ? id : `${id}.${index}`);
  }

  async #answer(kind, answer) {
    const request = this.requests[kind];
    assert.ok(request, `there is no ${kind} on the way`);
    delete this.requests[kind];
    if (answer === null) return request.answer(null);
    const { status, headers, body } = answer;
    const isDocument = kind === "read" && status === 200 && Number.isInteger(body?.version);
    if (isDocument) this.#version = body.version;
    const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
    const content = isDocument ? documentOf(body) : this.#translated(body);
    if (!request.isSearch) return request.answer(status, headers, text(content));
    // A client that looks for a list that was deleted asks for it by its id.
    const isFound = isDocument || status !== 404;
    request.answer(200, headers, text({ lists: isFound ? [{ id: "l" }] : [] }));
    await settled();
    if (isFound) await this.#answer("read", answer);
    return undefined;
  }

  /** A value with the ids of the client's operations. */
  #translated(value) {
    return JSON.parse(JSON.stringify(value), (name, one) =>
      name === "opId" ? (this.#operations.get(one) ?? one) : one,
    );
  }

  #endPauses() {
    const ended = [...pauses.keys()].filter(({ isLimit }) => !isLimit);
    for (const timer of ended) {
      pauses.delete(timer);
      timer.act();
    }
  }

  /** Lets requests fail that the scripts do not have. */
  async endEarlyRequests({ sends, reads }) {
    const { batch, read } = this.requests;
    const early = [
      batch?.isNew && !sends && this.isReconnected && "batch",
      read?.isNew && !reads && read.isSearch && "read",
    ].filter(Boolean);
    for (const kind of early) await this.#answer(kind, null);
    if (early.length > 0) await settled();
  }

  /** How the client is now, as `then` has it. */
  get state() {
    const { state, tree } = this.list;
    const { batch, read } = this.requests;
    const sends = batch?.isNew && namesIn(batch.body, this.#steps);
    const reads = Boolean(read?.isNew);
    for (const one of [batch, read]) if (one) one.isNew = false;
    const waiting = this.records("waiting").filter(({ version }) => version === undefined);
    assert.equal(this.list.waiting, waiting.length);
    if (tree) assert.deepEqual(this.#table, [...visibleRows(tree)]);
    return {
      ...(tree && state !== "gone" && { shown: outlineOf(tree) }),
      waits: waiting.map(({ step }) => this.#steps.get(step.id)),
      ...(sends && { sends }),
      ...(reads && { reads }),
      ...(this.refusals.length > 0 && { refused: this.refusals }),
      ...(["locked", "gone"].includes(state) && { state }),
    };
  }

  stop() {
    this.#run += 1;
    this.list.close();
    pauses.clear();
    removeStorage();
  }
}

/** The names of the steps in a batch. */
function namesIn(body, names) {
  return JSON.parse(body).steps.map(([{ opId }]) => names.get(opId.split(".")[0]));
}

/** Whether the server does not accept the token for a batch. */
function isTokenRefused({ to, answer }) {
  return to === "batch" && [401, 403].includes(answer?.status);
}

/** Waits until the client has done everything that needs no answer and no pause. */
async function settled() {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setTimeout(resolve));
}

for (const { name, script } of scenarios) {
  test(name, async () => {
    const device = new Device();
    device.start();
    await settled();
    assert.ok(device.state.reads);
    try {
      for (const [index, { then, ...element }] of script.entries()) {
        const isGone = device.list.state === "gone";
        const isForgotten = device.records("documents").length === 0;
        await device.happen(element);
        if ("restart" in element ? isForgotten : isGone && isTokenRefused(element)) return;
        await device.endEarlyRequests(then);
        const { state } = device;
        const mayBeLocked = "pause" in element || "token" in element; // until the next answer
        if (mayBeLocked && !then.state && state.state === "locked") delete state.state;
        const refused = then.refused?.filter(([one]) => !device.deletions.has(one));
        const wanted = { ...then, ...(refused && { refused }) };
        if (refused?.length === 0) delete wanted.refused;
        assert.deepEqual(state, wanted, `${index}: ${JSON.stringify(element)}`);
      }
    } finally {
      device.stop();
    }
  });
}
