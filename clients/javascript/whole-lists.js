// Creates, copies, deletes, restores and orders whole lists. The server does it at once, so these requests need the network.
import { hasArray, isNothing, isVersion } from "./answers.js";
import { changed } from "./list-history.js";

const pageSize = 1000;

function pathOf(list, action = "") {
  return `/lists/${encodeURIComponent(list)}${action}`;
}

/** @param list the members of the document */
export async function createList(server, list, key) {
  await server.send("POST", "/lists", {
    body: { title: "", ...list },
    key,
    isDocumented: isVersion,
  });
}

/** @param id the id of the copy */
export async function copyList(server, list, { id, title }, key) {
  const options = { body: { id, title }, key, isDocumented: isVersion };
  await server.send("POST", pathOf(list, "/copy"), options);
}

export async function deleteList(server, list, { permanent = false }) {
  const isDocumented = isNothing;
  await server.send("DELETE", pathOf(list, permanent ? "?permanent=true" : ""), { isDocumented });
}

/** The lists in the bin. O(lists), with a request for each 1,000 */
export async function deletedLists(server, signal) {
  const lists = [];
  let cursor = null;
  do {
    const query = new URLSearchParams({ limit: pageSize });
    if (cursor !== null) query.set("cursor", cursor);
    const options = { signal, isDocumented: hasArray("lists") };
    const page = await server.send("GET", `/bin?${query}`, options);
    lists.push(...page.lists);
    cursor = page.cursor;
  } while (cursor !== null);
  return lists;
}

/** @returns `newIds`: the new ids of tasks by the former ones, which other lists use */
export async function restoreList(server, list) {
  const options = { isDocumented: isVersion };
  const { newIds = {} } = await server.send("POST", pathOf(list, "/restore"), options);
  return { newIds };
}

/**
 * Orders a list, or removes its completed tasks.
 * @param action `sort`, `reverse` or `remove-done`
 * @returns the list's `version` and `epoch`, and whether it `changed`
 */
export async function changeOrder(server, list, action, body) {
  const options = { body, isMinimal: true, isDocumented: isVersion };
  return changed(await server.request("POST", pathOf(list, `/${action}`), options));
}

/**
 * Moves a section with its tasks to another list.
 * @param place `position`: its index among the sections there, by default the last one; `undo`: whether it is put back
 */
export async function moveSectionToList(server, list, section, toList, place) {
  const path = pathOf(list, `/sections/${encodeURIComponent(section)}/move`);
  await server.send("POST", path, { body: { toList, ...place }, isDocumented: isVersion });
}
