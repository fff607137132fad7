// Three devices on a bad network, with the real server: a proxy answers with pages and statuses of its own, and cuts requests, responses and
// streams; the clients are killed again and again. In the end nothing is lost, nothing is applied twice, and all see the same.
//
//   node Tests/JavaScript/torture.mjs PROGRAM [SEED] [STEPS]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../clients/javascript/client.js";
import { installStorage } from "./fake-indexeddb.mjs";
import { until } from "./fake-server.mjs";
import { randomOf } from "./random.mjs";
import { outlineOf } from "./short-documents.mjs";

const [program, seedText, stepsText] = process.argv.slice(2);
const seed = Number(seedText ?? Math.floor(Math.random() * 1e9));
const stepCount = Number(stepsText ?? 2_000);
const list = "torture";
console.log(`seed ${seed}, ${stepCount} steps`);

const { next: random, below, chance: isIn, pick: one } = randomOf(seed);

// The pauses of the client are short. They have a random part, and its time limits have none.
const { fetch, setTimeout } = globalThis;
globalThis.setTimeout = (act, milliseconds, ...rest) =>
  setTimeout(act, Number.isInteger(milliseconds) ? milliseconds : milliseconds / 100, ...rest);

// MARK: The server and the proxy

const folder = mkdtempSync(join(tmpdir(), "torture-"));
const options = ["serve", "--port", "0", "--store", `file:${join(folder, "lists.db")}`];
const server = spawn(program, options, { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill());
const address = await new Promise((resolve) => {
  let text = "";
  server.stdout.on("data", (data) => {
    text += data;
    const [found] = /http:\/\/\S+:\d+/.exec(text) ?? [];
    if (found) resolve(found);
  });
});

/** What something on the way answers in the server's place. */
const pages = [
  [200, "text/html", "<title>Welcome to the hotel</title>"],
  [200, "application/json", '{"login":"https://portal.example/"}'],
  [204, undefined, ""],
  ...[400, 401, 403, 404, 405, 407, 409, 410, 413, 422, 429, 500, 502, 503].map((status) => [
    status,
    "text/html",
    `<h1>${status}</h1>`,
  ]),
  [404, "application/json", '{"status":404,"code":"list_not_found"}'],
];

let isBad = true;
const counts = { page: 0, lost: 0, cut: 0, forwarded: 0, killed: 0 };

const proxy = createServer((incoming, outgoing) => {
  const path = incoming.url.replace(/^\/device\d+\/\d+/, "");
  if (isBad && isIn(0.12)) {
    counts.page += 1;
    const [status, type, text] = one(pages);
    outgoing.writeHead(status, type && { "Content-Type": type }).end(text);
    return;
  }
  if (isBad && isIn(0.08)) {
    counts.lost += 1;
    incoming.socket.destroy();
    return;
  }
  const fate = isBad ? random() : 1;
  const forwarded = send(address + path, { method: incoming.method, headers: incoming.headers });
  forwarded.on("response", (response) => {
    if (fate < 0.12) {
      // The server has done it, but the client does not learn that.
      counts.cut += 1;
      response.resume();
      incoming.socket.destroy();
      return;
    }
    counts.forwarded += 1;
    outgoing.writeHead(response.statusCode, response.headers);
    response.on("data", (data) => {
      const isCut = isBad && (fate < 0.2 || isIn(0.02));
      if (!isCut) return void outgoing.write(data);
      outgoing.write(data.subarray(0, data.length / 2));
      counts.cut += 1;
      response.destroy();
      incoming.socket.destroy();
      return undefined;
    });
    response.on("end", () => outgoing.end());
    response.on("error", () => outgoing.destroy());
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
});
await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${proxy.address().port}`;

// MARK: The devices

installStorage();
const { indexedDB } = globalThis;
const alive = new Map();
const runIn = (text) => /\/device(\d+)\/(\d+)/.exec(text) ?? [];
const isAlive = (device, run) => alive.get(device) === run;

// A program that was killed sends nothing, gets nothing, and writes nothing.
globalThis.fetch = async (target, settings) => {
  const [path, device, run] = runIn(target);
  const end = new Promise(() => {});
  if (path && !isAlive(device, run)) return end;
  const response = await fetch(target, settings).catch((error) => {
    if (path && !isAlive(device, run)) return end;
    throw error;
  });
  return path && !isAlive(device, run) ? end : response;
};
globalThis.indexedDB = {
  open(name, version) {
    const [path, device, run] = runIn(name);
    if (!isAlive(device, run)) return {};
    const opening = indexedDB.open(name.replace(path, `/device${device}`), version);
    const handlers = {};
    opening.onupgradeneeded = (event) => {
      Object.assign(handlers, { result: opening.result, transaction: opening.transaction });
      handlers.onupgradeneeded(event);
    };
    opening.onsuccess = () => {
      const { result } = opening;
      const { transaction } = result;
      result.transaction = (...parts) =>
        isAlive(device, run) ? transaction(...parts) : { objectStore: () => ({}) };
      handlers.result = result;
      handlers.onsuccess();
    };
    return handlers;
  },
};

const refused = new Map();

class Device {
  #number;
  #run = 0;
  list;

  constructor(number) {
    this.#number = number;
  }

  start() {
    this.#run += 1;
    alive.set(String(this.#number), String(this.#run));
    const clientID = `device${this.#number}`;
    const lists = connect({ url: `${url}/device${this.#number}/${this.#run}`, clientID });
    this.list = lists.list(list);
    this.list.on("refused", ({ step, code }) => refused.set(step.id, code));
  }

  /** Ends the program without a word, after its last step is stored. */
  async kill() {
    counts.killed += 1;
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve));
    alive.set(String(this.#number), "none");
    this.start();
  }
}

const devices = [1, 2, 3].map((number) => new Device(number));

/** The tasks that should exist in the end, by their ids: their titles. Each device changes the titles of its own tasks. */
const titles = new Map();
const steps = new Map();
let lastTitle = 0;

/** @returns whether the person has made a step */
function act(device) {
  const { rows } = device.list;
  const own = rows.filter(({ id }) => id.startsWith(`d${devices.indexOf(device)}-`));
  const make = (step, note) => {
    const made = device.list.make(step);
    if (!made) return false;
    steps.set(made.id, step);
    note?.(made.id);
    return true;
  };
  lastTitle += 1;
  const title = `title ${lastTitle}`;
  const kind = random();
  if (kind < 0.4 || own.length < 5) {
    const id = `d${devices.indexOf(device)}-${lastTitle}`;
    const to =
      rows.length > 0 && isIn(0.7) ? { after: one(rows).id, section: null } : { section: null };
    return make({ kind: "create", task: { id, title }, to }, () => titles.set(id, title));
  }
  if (kind < 0.6) {
    const { id } = one(own);
    return make({ kind: "update", task: id, set: { title } }, () => titles.set(id, title));
  }
  if (kind < 0.7) {
    const count = Math.min(own.length, 1 + below(3));
    const tasks = own.slice(0, count).map(({ id }) => id);
    return make({ kind: "delete", tasks }, () => tasks.forEach((id) => titles.delete(id)));
  }
  const moved = one(rows);
  const toOffset = below(rows.length + 1);
  const before = device.list.waiting;
  return device.list.drop({ task: moved.id, toOffset, level: 0 }) && device.list.waiting > before;
}

// MARK: The run

const create = await fetch(`${address}/lists`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ id: list, title: "Torture" }),
});
assert.equal(create.status, 201);
const watchdog = setTimeout(() => {
  console.error(
    "hangs",
    counts,
    devices.map(({ list: { state: one, waiting } }) => [one, waiting]),
  );
  process.exit(1);
}, 600_000);
for (const device of devices) device.start();
let done = 0;
while (done < stepCount) {
  const device = one(devices);
  if (device.list.tree && act(device)) done += 1;
  else await new Promise((resolve) => setTimeout(resolve, 2));
  if (isIn(0.2)) await new Promise((resolve) => setTimeout(resolve, random() * 10));
  if (isIn(0.03)) await device.kill();
}
isBad = false;
for (const device of devices) device.list.wake();

const document = async () => (await fetch(`${address}/lists/${list}`)).json();
await until(() => devices.every(({ list: { waiting } }) => waiting === 0));
const { version, epoch, tasks } = await document();
await until(() => devices.every(({ list: { version: own } }) => own === version));

// All see the same.
const outline = tasks.map(({ id, title }) => `${id}=${title}`).join(" ");
for (const device of devices) assert.equal(outlineOf(device.list.tree), outline);
// Nothing is lost. What was refused needed something that another device has deleted.
for (const code of refused.values())
  assert.ok(["task_not_found", "anchor_gone"].includes(code), code);
for (const [id] of refused)
  assert.ok(!["create", "update", "delete"].includes(steps.get(id)?.kind));
const found = new Map(tasks.map(({ id, title }) => [id, title]));
assert.deepEqual([...found].sort(), [...titles].sort());
// Nothing is applied twice.
const opIDs = [];
for (let since = 0, more = true; more;) {
  const path = `/lists/${list}/changes?since=${since}-${epoch}&limit=1000`;
  const page = await (await fetch(address + path)).json();
  assert.ok(page.changes, JSON.stringify(page));
  opIDs.push(...page.changes.map(({ opId }) => opId).filter(Boolean));
  since = page.changes.at(-1)?.version ?? since;
  ({ more } = page);
}
assert.equal(new Set(opIDs).size, opIDs.length);
const applied = new Set(opIDs.map((id) => id.split(".")[0]));
for (const [id, { kind }] of steps)
  if (kind !== "update") assert.ok(applied.has(id), `${kind} ${id}`);
clearTimeout(watchdog);
console.log(`${opIDs.length} changes, ${tasks.length} tasks, ${refused.size} refused`, counts);
server.once("exit", () => {
  rmSync(folder, { recursive: true });
  process.exit(0);
});
server.kill();
