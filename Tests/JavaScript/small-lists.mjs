// All small lists, as outlines: arrays of rows from top to bottom. An entry is a header `{ section }`, or a task `{ id, depth }` with
// the flags `collapsed` (with one hidden subtask) and `locked`.

const deepest = 3;

/** All outlines with this number of tasks and of sections. */
export function* outlines(tasks, sections) {
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

/** An outline with the settings of its list: as it is, and with one row after another collapsed or locked. */
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
