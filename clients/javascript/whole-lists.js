// Creates, copies, deletes and restores whole lists. The server does it at once, so these requests need the network.
import { makeID } from "./ids.js";

const pageSize = 1000;

function pathOf(list, action = "") {
  return `/lists/${encodeURIComponent(list)}${action}`;
}

/** @param list the members of the document. Without an `id`, the list gets a new one. @returns the id */
export async function createList(server, list) {
  const body = { title: "", ...list, id: list.id ?? makeID() };
  await server.send("POST", "/lists", { body });
  return body.id;
}

/** @returns the id of the copy */
export async function copyList(server, list, { id = makeID(), title }) {
  await server.send("POST", pathOf(list, "/copy"), { body: { id, title } });
  return id;
}

export async function deleteList(server, list, { permanent = false }) {
  await server.send("DELETE", pathOf(list, permanent ? "?permanent=true" : ""));
}

/** The lists in the bin. O(lists), with a request for each 1,000 */
export async function deletedLists(server, signal) {
  const lists = [];
  let cursor = null;
  do {
    const query = new URLSearchParams({ limit: pageSize });
    if (cursor !== null) query.set("cursor", cursor);
    const page = await server.send("GET", `/bin?${query}`, { signal });
    lists.push(...page.lists);
    cursor = page.cursor;
  } while (cursor !== null);
  return lists;
}

export async function restoreList(server, list) {
  await server.send("POST", pathOf(list, "/restore"));
}
