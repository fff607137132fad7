// Moves to another list. The server makes them at once, because this client does not know the other list.
import { isVersion } from "./answers.js";
import { undoIn } from "./limits.js";
import { placement, sectionOf } from "./list.js";
import { rootsOf } from "./rules.js";

/**
 * Makes a transfer.
 * @param transfer `from` and `to` (ids of lists), and `parts`: for each part its `tasks` and their place `to`
 * @param id is part of the requests' idempotency keys
 * @throws {Problem | Unreachable}
 */
export async function sendTransfer(server, { from, to: toList, parts }, id) {
  const path = `/lists/${encodeURIComponent(from)}/move`;
  for (const [index, { tasks, to }] of parts.entries())
    await server.send("POST", path, {
      body: { tasks, ...to, toList },
      key: `${id}.${index}`,
      isMinimal: true,
      isDocumented: isVersion,
    });
}

/**
 * The parts of a transfer that brings tasks of a list back to their present places. Tasks next to each other are one part.
 * @throws {Refusal} if a task does not exist
 */
export function partsBack(list, tasks) {
  const going = new Set(rootsOf(list, tasks));
  const parts = [];
  for (const parent of new Set([...going].map((root) => root.parent))) {
    const { children } = parent;
    for (let start = 0; start < children.length; start += 1) {
      if (!going.has(children[start])) continue;
      let end = start;
      while (going.has(children[end])) end += 1;
      const run = children.slice(start, end);
      parts.push({
        tasks: run.map(({ id }) => id),
        to: { ...placeOf(run[0], children, start, end), ...undoIn(list) },
      });
      start = end;
    }
  }
  return parts;
}

/** The place of a run of siblings, as a destination that is still right after other moves. */
function placeOf(first, siblings, start, end) {
  const { parent, position } = placement(first);
  const to = parent === null ? { section: sectionOf(first).id, position } : { parent, position };
  if (siblings[start - 1]) to.after = siblings[start - 1].id;
  if (siblings[end]) to.before = siblings[end].id;
  return to;
}
