// Shows what an import brings: the lists with their first tasks, and what differs from the file.
import { element, quoted } from "./app.js";
import { formats } from "./format-names.js";
import { groupsOf, rangesOf, rowsOf } from "./import-report.js";
import { words } from "./later-words.js";

const { common, importing: said } = words;

const mostLists = 20;
const mostRows = { alone: 12, beside: 5 };
/** More differences are folded. */
const mostOpen = 5;
const mostGroups = 100;
const mostRanges = 10;

/** Whether a list is there with other content. */
export const isConflict = ({ outcome }) => outcome === "replaced";

export function summaryOf({ format, lists }) {
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  return said.summary(formats[format], lists.length, count);
}

/** The elements of a preview. */
export function previewOf({ lists, remarks, moreRemarks }) {
  const shown = lists.slice(0, mostLists).map((list, index) => {
    const most = lists.length === 1 ? mostRows.alone : mostRows.beside;
    return listItem(list, most, index === 0);
  });
  const made = [element("ul", { className: "lists" }, ...shown, ...rest(lists.length, mostLists))];
  if (remarks.length > 0) made.push(differences(remarks, moreRemarks));
  return made;
}

function listItem(list, most, open) {
  const { title, count, doneCount, sectionCount, outcome, document } = list;
  const summary = element(
    "summary",
    {},
    element("span", { className: "name", dir: "auto" }, title || common.untitled),
    element(
      "span",
      { className: "count" },
      `${said.counts(count, doneCount, sectionCount)} · ${said.outcomes[outcome]}`,
    ),
  );
  const rows = rowsOf(document, most);
  const left = document.tasks.length - rows.filter(({ isSection }) => !isSection).length;
  if (rows.length === 0) return element("li", {}, element("div", {}, ...summary.childNodes));
  const more = left > 0 ? [element("p", { className: "count" }, said.more(left))] : [];
  return element("li", {}, element("details", { open }, summary, outline(rows), ...more));
}

/** Nested lists, as the tasks are nested. */
function outline(rows) {
  const levels = [element("ul", { className: "outline" })];
  for (const { title, depth, done, isSection } of rows) {
    levels.length = Math.min(levels.length, depth + 1);
    if (depth === levels.length) {
      levels.push(element("ul"));
      levels.at(-2).lastElementChild.append(levels.at(-1));
    }
    const name = element("span", { dir: "auto" }, title);
    if (done) name.append(element("span", { className: "hidden" }, ` (${said.done})`));
    const className = isSection ? "section" : done ? "done" : "";
    levels.at(-1).append(element("li", { className }, name));
  }
  return levels[0];
}

function differences(remarks, moreRemarks) {
  const groups = groupsOf(remarks);
  const items = [];
  for (const kind of new Set(groups.map((group) => group.kind))) {
    const ofKind = groups.filter((group) => group.kind === kind);
    const shown = ofKind.slice(0, mostGroups).map(difference);
    items.push(
      element("h3", {}, said.kinds[kind]),
      element("ul", {}, ...shown, ...rest(ofKind.length, mostGroups)),
    );
  }
  const title = element("summary", {}, said.differences(remarks.length + moreRemarks));
  const more =
    moreRemarks > 0 ? [element("p", { className: "count" }, said.more(moreRemarks))] : [];
  const open = groups.length <= mostOpen;
  return element("details", { className: "differences", open }, title, ...items, ...more);
}

/** The server describes the content in English. */
function difference({ text, lines }) {
  const shown = rangesOf(lines.slice(0, mostRanges));
  const left = lines.length - mostRanges;
  const isOne = lines.length === 1 && lines[0][0] === lines[0][1];
  const where = (isOne ? said.line : said.lines)(left > 0 ? `${shown}, ${said.more(left)}` : shown);
  return element(
    "li",
    {},
    element("span", { lang: "en" }, text),
    " ",
    element("span", { className: "count" }, where),
  );
}

function rest(count, most) {
  return count > most ? [element("li", { className: "count" }, said.more(count - most))] : [];
}

/** The choice what happens to lists that are there with other content. @param chosen is called with the choice */
export function conflictChoice(conflicts, isOnly, chosen) {
  const many = conflicts.length > 1;
  const choice = (value, text, warning) => {
    const input = element("input", { type: "radio", name: "existing", value });
    input.checked = value === "keep";
    input.addEventListener("change", () => chosen(value));
    const label = element("label", { className: "check" }, input, element("span", {}, text));
    if (!warning) return [label];
    const hint = element("p", { className: "hint warning", id: "replace-warning" }, warning);
    input.setAttribute("aria-describedby", hint.id);
    return [label, hint];
  };
  return element(
    "fieldset",
    { className: "existing" },
    element(
      "legend",
      {},
      said.exist(quoted(conflicts[0].title || common.untitled), conflicts.length),
    ),
    ...choice("keep", many ? said.keepAll : said.keep),
    ...(isOnly ? choice("new", said.asNew) : []),
    ...choice("replace", many ? said.replaceAll : said.replace, said.replaceWarning),
  );
}

const roles = Object.keys(said.roles);

/** The question which column of a table means what. @returns the elements, and what was chosen, as `columns` */
export function columnQuestion(names, proposal) {
  const proposed = new Map(proposal.map((text) => [text.split("=", 1)[0], text]));
  const selects = roles.map((role) => {
    const select = element(
      "select",
      { id: `column-${role}`, required: role === "title" },
      element("option", { value: "" }, said.noColumn),
      ...names.map((name) => element("option", { value: `${role}=${name}` }, name)),
    );
    select.value = proposed.get(role) ?? "";
    return select;
  });
  // A select inside of its label would be named by its value, too.
  const fields = selects.map((select, index) =>
    element("p", {}, element("label", { for: select.id }, said.roles[roles[index]]), select),
  );
  return {
    elements: [
      element("p", { className: "hint" }, said.columnsHint),
      element("div", { className: "columns" }, ...fields),
    ],
    columns: () => selects.map(({ value }) => value).filter(Boolean),
  };
}
