// Rows that are taken out of a plain array and put back: too simple to be wrong. See outlines.mjs for its entries.

/** The entries of a row and of its visible subtasks. */
export function blockAt(outline, index) {
  let end = index + 1;
  while (outline[end]?.depth > outline[index].depth) end += 1;
  return outline.slice(index, end);
}

/**
 * Takes rows with their subtasks out of an outline: `blocks`, one for each row that is not inside another, the `rest`, and the `places`
 * of the rest.
 */
export function takeOut(outline, subject) {
  const blocks = [];
  const gone = new Set();
  for (const index of subject) {
    if (gone.has(outline[index])) continue;
    const block = blockAt(outline, index);
    for (const entry of block) gone.add(entry);
    blocks.push(block);
  }
  const rest = outline.filter((entry) => !gone.has(entry));
  return { blocks, rest, places: places(rest) };
}

/**
 * Puts the blocks before `rest[index]`, at a level.
 * @returns null if that is not possible: it would be no outline, or another row would get another parent
 */
export function putBack({ blocks, rest, places: before }, index, level) {
  const after = rest.slice(0, index);
  for (const block of blocks) {
    for (const entry of block)
      after.push({ ...entry, depth: entry.depth - block[0].depth + level });
  }
  for (const entry of rest.slice(index)) after.push(entry);
  const found = places(after);
  if (!found) return null;
  for (const [id, place] of before) if (found.get(id) !== place) return null;
  return after;
}

/** The place of each task, `section/parent`; null if this is no outline of a list that shows all these rows. */
function places(outline) {
  const found = new Map();
  let section = "";
  let path = [];
  for (const [index, entry] of outline.entries()) {
    if (entry.id === undefined) {
      [section, path] = [entry.section, []];
      continue;
    }
    const above = outline[index - 1];
    const parent = path[entry.depth - 1];
    if (entry.depth > path.length || entry.depth > 15) return null;
    if (above && above.id === parent && parent !== undefined && above.collapsed) return null;
    found.set(entry.id, `${section}/${parent ?? ""}`);
    path = [...path.slice(0, entry.depth), entry.id];
  }
  return found;
}
