// The history of a list: its last changes, with the titles that its tasks had then.
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
  const page = await server.send("GET", path, { signal });
  const changes = page.changes.map((change) => ({
    ...change,
    epoch: page.epoch,
    name: nameIn(change.client),
  }));
  return { version: page.version, changes, before: page.before ?? null };
}

export async function undoChange(server, list, { version, epoch }) {
  const body = { version: epoch === undefined ? version : `${version}-${epoch}` };
  await server.send("POST", `/lists/${encodeURIComponent(list)}/undo`, { body });
}
