// All small lists, as outlines: arrays of rows from top to bottom. An entry is a header `{ section }`, or a task `{ id, depth }` with
// the flags `collapsed` (with one hidden subtask) and `locked`.

const mostTasks = 6;
const mostSections = 3;
const deepest = 3;
/** Lists with at most this number of tasks are short. */
const short = 3;

export const isRow = ({ id }) => id !== undefined;
export const rowsIn = (entries) => entries.filter(isRow).length;

/** All short lists as outlines, and one in `share` of the longer ones. */
export function* lists(share) {
  let count = 0;
  for (let sections = 0; sections <= mostSections; sections += 1) {
    for (let tasks = 0; tasks <= mostTasks; tasks += 1) {
      for (const outline of outlines(tasks, sections)) {
        count += 1;
        if (tasks <= short || count % share === 0) yield outline;
      }
    }
  }
}

/** All outlines with this number of tasks and of sections. */
function* outlines(tasks, sections) {
  const add = function* (outline, left, next) {
    if (left === 0 && next === sections) yield outline;
    if (next < sections) yield* add([...outline, { section: `s${next}` }], left, next + 1);
    if (left === 0) return;
    const above = outline.at(-1);
    const most = above?.id === undefined ? 0 : Math.min(deepest, above.depth + 1);
    const id = "abcdef"[tasks - left];
    for (let depth = 0; depth <= most; depth += 1)
      yield* add([...outline, { id, depth }], left - 1, next);
  };
  yield* add([], tasks, 0);
}

/** An outline with the settings of its list: as it is, and with one row after another collapsed or locked, or with a limit. */
export function* variants(outline) {
  yield { outline, settings: {} };
  for (const [index, { id, depth }] of outline.entries()) {
    if (id === undefined) continue;
    const flagged = (flag) =>
      outline.map((entry, at) => (at === index ? { ...entry, [flag]: true } : entry));
    const isLeaf = !(outline[index + 1]?.depth > depth);
    if (isLeaf) yield { outline: flagged("collapsed"), settings: {} };
    yield { outline: flagged("locked"), settings: {} };
  }
  const top = outline.filter(({ depth }) => depth === 0).length;
  for (let elementsOffset = 1; elementsOffset <= Math.min(2, top); elementsOffset += 1)
    yield { outline, settings: { elementsOffset } };
  yield { outline, settings: { moves: "siblings" } };
  yield { outline, settings: { maxDepth: 2 } };
  yield { outline, settings: { maxTasksPerSection: 1 } };
  yield { outline, settings: { tasksPerParent: 1 } };
}

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

/** Each single row and each pair of rows, as indices of an outline. */
export function* subjects(outline) {
  const rows = outline.flatMap(({ id }, index) => (id === undefined ? [] : [index]));
  for (const [number, one] of rows.entries()) {
    yield [one];
    for (const other of rows.slice(number + 1)) yield [one, other];
  }
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
