// Lists as outlines: arrays of rows from top to bottom. An entry is a header `{ section }`, or a task `{ id, depth }` with
// the flags `collapsed` (with one hidden subtask) and `locked`.

export const isRow = ({ id }) => id !== undefined;

/** The outline as a document of the server. */
export function documentOf(outline, settings = {}) {
  const document = {
    id: "list",
    title: "",
    elementsOffset: 0,
    collapseSubElements: false,
    moves: "anywhere",
  };
  Object.assign(document, settings, { sections: [], tasks: [] });
  let section = null;
  const path = [];
  for (const entry of outline) {
    if (entry.id === undefined) {
      ({ section } = entry);
      document.sections.push({ id: section, title: section });
      continue;
    }
    const { id, depth, collapsed = false, locked = false } = entry;
    path.length = depth;
    document.tasks.push({ id, title: id, section, parent: path.at(-1) ?? null, collapsed, locked });
    path.push(id);
    if (collapsed) document.tasks.push({ id: `${id}0`, title: "", section, parent: id });
  }
  return document;
}

/** Rows of a list or of an outline as text. */
export function textOf(rows) {
  let section = null;
  let text = "";
  for (const row of rows) {
    if (!isRow(row)) ({ section } = row);
    else text += `${row.depth}${row.id}${row.section === undefined ? section : row.section} `;
  }
  return text;
}

/** The place before `entries[index]`, as an index path. */
export function pathOf(entries, index) {
  const header = entries.slice(0, index).findLastIndex((entry) => !isRow(entry));
  return { section: entries[header]?.section ?? null, row: index - header - 1 };
}
