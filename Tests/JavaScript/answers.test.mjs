// The answers in Tests/Fixtures/answers.json: what the client does with each of them, for each kind of request.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hasResults, isDocumentOf } from "../../clients/javascript/answers.js";
import { countAfter } from "../../clients/javascript/batches.js";
import { undoChange } from "../../clients/javascript/list-history.js";
import { Server } from "../../clients/javascript/server.js";

const { cases } = JSON.parse(readFileSync(new URL("../Fixtures/answers.json", import.meta.url)));

const server = new Server("http://answers.test", () => null, "test");
const list = "/lists/groceries";

const requests = {
  read: () => server.send("GET", list, { kind: "read", isDocumented: isDocumentOf("groceries") }),
  write: () => undoChange(server, "groceries", { version: 7 }),
  step: () => server.send("POST", `${list}/batch`, { kind: "step", isDocumented: hasResults(1) }),
  steps: () => server.send("POST", `${list}/batch`, { kind: "step", isDocumented: hasResults(4) }),
  stream: () =>
    server.follow(
      "groceries",
      () => "7",
      new AbortController().signal,
      () => {},
      () => {},
    ),
};

/** The action as the fixture names it, and the error, if there is one. */
async function decide(kind) {
  try {
    await requests[kind]();
    return ["done"];
  } catch (error) {
    if (error.action !== "split") return [error.action, error];
    const count = countAfter(kind === "step" ? 1 : 4, error);
    return [count === null ? "wait" : count === 0 ? "refuse" : `split ${count}`, error];
  }
}

for (const { name, status, headers, body, code, retryAfter, ...actions } of cases) {
  test(name, async () => {
    globalThis.fetch = async () => {
      if (status === null) throw new TypeError("fetch failed");
      const hasBody = status >= 200 && status !== 204 && status !== 304;
      return new Response(hasBody ? body : null, { status, headers });
    };
    for (const kind of Object.keys(requests)) {
      if (!(kind in actions)) continue;
      const [action, error] = await decide(kind);
      assert.equal(action, actions[kind], kind);
      if (action === "wait") assert.ok((error.retryAfterSeconds ?? 0) >= (retryAfter ?? 0), kind);
      if (action === "refuse") assert.equal(error.code, code, kind);
    }
  });
}
