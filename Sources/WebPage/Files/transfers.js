// Requests with files: a file that is imported, and a list as a file.
import {
  Problem,
  Unauthorized,
  Unreachable,
  answerOf,
  currentToken,
  home,
  wantToken,
} from "./app.js";
import { nameIn, queryOf } from "./import-report.js";

/** A file that was moved, deleted or changed after it was chosen, or a folder. */
export class Unreadable extends Error {}

/**
 * Sends a file, and waits until the server has read it.
 * @param options see `queryOf`
 * @param [signal] aborts the request
 * @returns the response, with the lists' documents if it is a preview
 * @throws {Problem | Unreachable | Unreadable} A `Problem` has the problem document as `document`.
 */
export async function sendFile(file, options, signal) {
  const isReadable = () =>
    file
      .slice(0, 1)
      .arrayBuffer()
      .then(() => true)
      .catch(() => false);
  if (!(await isReadable())) throw new Unreadable();
  const path = `/imports?${queryOf(file.name, options)}`;
  try {
    const headers = options.dryRun ? {} : { Prefer: "return=minimal" };
    const response = await request(path, { method: "POST", body: file, headers, signal });
    return resultOf(response, await textOf(response), ({ lists }) => Array.isArray(lists));
  } catch (error) {
    if (error instanceof Unreachable && !(await isReadable())) throw new Unreadable();
    throw error;
  }
}

/**
 * A list as a file.
 * @returns its `name` and its content, a `blob`
 * @throws {Problem | Unreachable}
 */
export async function readExport(list, format) {
  const response = await request(`/lists/${encodeURIComponent(list)}/export?format=${format}`);
  const name = nameIn(response.headers.get("Content-Disposition"));
  if (!response.ok || name === null) resultOf(response, await textOf(response), () => false);
  return { name, blob: await response.blob().catch(unreachable) };
}

async function request(path, { headers = {}, ...options } = {}) {
  const token = currentToken();
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(home + path, { ...options, headers, cache: "no-store" }).catch(
    unreachable,
  );
  return Object.assign(response, { token });
}

function textOf(response) {
  return response.text().catch(unreachable);
}

function unreachable() {
  throw new Unreachable();
}

function resultOf({ status, headers, token }, text, isDocumented) {
  const type = headers.get("Content-Type");
  const { action, document } = answerOf(
    "write",
    { status, type, text },
    (one) => one && isDocumented(one),
  );
  if (action === "done") return document;
  if (action === "wait") throw new Unreachable();
  if (action !== "signIn")
    throw Object.assign(new Problem(action, status, document, token), { document });
  wantToken(document.detail, token);
  throw new Unauthorized(document.detail);
}
