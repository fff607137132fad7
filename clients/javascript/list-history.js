// The history of a list: its last changes, with the titles that its tasks had then.
import { hasArray, isVersion } from "./answers.js";
import { nameIn } from "./ids.js";

/**
 * @param before the member `before` of the page before
 * @returns a page, newest first; each change has the epoch that belongs to its version, and the name in its `Client-Id`
 */
export async function readHistory(server, list, { before, limit, signal }) {
  const query = new URLSearchParams({ order: "desc" });
  if (before) query.set("before", before);
  if (limit) query.set("limit", limit);
  const path = `/lists/${encodeURIComponent(list)}/changes?${query}`;
  const page = await server.send("GET", path, { signal, isDocumented: hasArray("changes") });
  const changes = page.changes.map((change) => ({
    ...change,
    epoch: page.epoch,
    name: nameIn(change.client),
  }));
  return { version: page.version, changes, before: page.before };
}

/**
 * @param key the request's idempotency key, if it is perhaps sent again
 * @returns the `version` and the `epoch` of the list, and whether it has `changed`
 */
export async function undoChange(server, list, { version, epoch }, key) {
  const body = { version: epoch === undefined ? version : `${version}-${epoch}` };
  const path = `/lists/${encodeURIComponent(list)}/undo`;
  return changed(
    await server.request("POST", path, { body, key, isMinimal: true, isDocumented: isVersion }),
  );
}

/** What the response to a change of a list says. */
export function changed({ document, epoch }) {
  return { version: document.version, epoch, changed: document.changed ?? true };
}
