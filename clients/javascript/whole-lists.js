// Creates, copies, deletes, restores and orders whole lists. The server does it at once, so these requests need the network.
const pageSize = 1000;

function pathOf(list, action = "") {
  return `/lists/${encodeURIComponent(list)}${action}`;
}

/** @param list the members of the document */
export async function createList(server, list, key) {
  await server.send("POST", "/lists", { body: { title: "", ...list }, key });
}

/** @param id the id of the copy */
export async function copyList(server, list, { id, title }, key) {
  await server.send("POST", pathOf(list, "/copy"), { body: { id, title }, key });
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

/**
 * Orders a list, or removes its completed tasks.
 * @param action `sort`, `reverse` or `remove-done`
 * @returns the list's version, and whether it changed
 */
export async function changeOrder(server, list, action, body) {
  const { version, changed } = await server.send("POST", pathOf(list, `/${action}`), { body });
  return { version, changed };
}

/**
 * Moves a section with its tasks to another list.
 * @param position its index among the sections there; by default the last one
 */
export async function moveSectionToList(server, list, section, toList, position) {
  const path = pathOf(list, `/sections/${encodeURIComponent(section)}/move`);
  await server.send("POST", path, { body: { toList, position } });
}
