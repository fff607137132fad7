// What the answer to an import says, as far as it needs no words and no elements.

const kinds = ["left_out", "shortened", "changed"];

/** The remarks with the same kind and text. @returns groups of `kind`, `text` and `lines`: pairs of first and last lines */
export function groupsOf(remarks) {
  const groups = new Map();
  for (const { kind, text, firstLine, lastLine } of remarks) {
    const key = `${kind} ${text}`;
    const group = groups.get(key) ?? { kind, text, lines: [] };
    group.lines.push([firstLine, lastLine]);
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind),
  );
}

/** Line numbers as people write them: “3, 7–9”. */
export function rangesOf(lines) {
  return lines.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(", ");
}

/** The first rows of a list's document in their order: sections, and tasks with their `depth`. */
export function rowsOf({ sections, tasks }, most) {
  const ofSections = new Map([null, ...sections.map(({ id }) => id)].map((id) => [id, []]));
  for (const task of tasks) ofSections.get(task.section ?? null).push(task);
  const rows = [];
  for (const [id, inside] of ofSections) {
    if (id !== null) rows.push({ isSection: true, depth: 0, title: titleOf(sections, id) });
    for (const { title, depth, done } of inside.slice(0, most)) rows.push({ title, depth, done });
    if (rows.length >= most) break;
  }
  return rows.slice(0, most);
}

function titleOf(sections, id) {
  return sections.find((one) => one.id === id).title;
}

/** The longest name that the server accepts, in bytes of UTF-8. */
const mostBytes = 255;

/** A file's name, which keeps its end if it has to be shortened. */
export function nameFor(name) {
  const size = (text) => new TextEncoder().encode(text).length;
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? name.slice(dot) : "";
  let start = name.slice(0, name.length - end.length);
  while (start.length > 2 && size(start + end) > mostBytes) start = start.replace(/.$/su, "");
  return start + end;
}

/** A file with lists of a preview. */
export function fileOf(lists) {
  const documents = lists.map(({ document }) => JSON.stringify(document));
  return new File([documents.join("\n")], "lists.json");
}

/** The query of an import. @param options `list`, `columns` (such as `title=Task`), `replace`, and `dryRun` */
export function queryOf(name, { list, columns = [], replace, dryRun }) {
  const query = new URLSearchParams({ name: nameFor(name) });
  if (list) query.set("list", list);
  for (const column of columns) query.append("column", column);
  for (const [flag, isSet] of Object.entries({ replace, dryRun }))
    if (isSet) query.set(flag, "true");
  return query;
}

/** The file name in a `Content-Disposition` (RFC 6266); null if it has none. */
export function nameIn(disposition) {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "") ?? [];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded.trim());
    } catch {
      // The other form has the name for older programs.
    }
  }
  const [, plain] = /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? "") ?? [];
  return plain?.replaceAll(/\\(.)/g, "$1") ?? null;
}
