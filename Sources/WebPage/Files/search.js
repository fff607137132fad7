// Which rows of a list are shown: all, with completed tasks in their places or last, only those of tasks that are not completed, or
// only those that a search finds.
import { countDescendants, subtree } from "./client.js";
import { folded } from "./fold-text.js";
import { onKey } from "./key.js";
import { words } from "./language.js";
import { sharedTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";
import { quoted } from "./words.js";

const { search } = words;

/** The views of completed tasks that this browser stores for each list. Other lists show them in their places. */
const storageKeys = {
  hidden: "reorderd lists without completed tasks",
  last: "reorderd lists with completed tasks last",
};
const announcements = {
  shown: () => search.allShown,
  hidden: search.doneHidden,
  last: () => search.doneLast,
};
const mostStoredLists = 1000;
const announceMilliseconds = 500;
/** The titles of a long list are looked at in slices of time, so that the page still reacts. */
const sliceMilliseconds = 15;
const titlesBetweenLooks = 200;
const stayMilliseconds = 1500;

export class Search {
  /** Whether completed tasks are `shown` in their places, shown `last`, or `hidden`. */
  #view = "shown";
  /** The list's own rows, while they are current. */
  #all = null;
  #parts;
  #page;
  #id = null;
  #text = "";
  #folded = "";
  /** The text that is searched, before its rows are shown. */
  #wanted = "";
  #announcing;
  /** Tasks that were just completed here, and are not hidden yet. */
  #staying = new Set();
  #leaving;

  constructor(parts, page) {
    this.#parts = parts;
    this.#page = page;
    const { find, searchText, endSearch, hideDone, sinkDone, showDone } = parts;
    find.addEventListener("click", () => (parts.finder.hidden ? this.open() : this.close()));
    endSearch.addEventListener("click", () => this.close());
    hideDone.addEventListener("click", () => this.#toggle("hidden"));
    sinkDone.addEventListener("click", () => this.#toggle("last"));
    showDone.addEventListener("click", () => this.#toggle("hidden"));
    searchText.addEventListener("input", () => this.#set(searchText.value));
    onKey(searchText, (key) => this.#key(key));
  }

  /** Whether only found rows are shown. They cannot be dragged or folded, because the rows between them are missing. */
  get isOn() {
    return this.#text !== "";
  }

  /** What is searched; empty if all rows are shown. */
  get text() {
    return this.#text;
  }

  /** Called when another list is shown. */
  reset(id) {
    this.#id = id;
    this.#wanted = "";
    this.#text = "";
    this.#staying.clear();
    clearTimeout(this.#leaving);
    this.forgetRows();
    this.#view = storedView(id);
    this.#showParts();
    this.#parts.finder.hidden = true;
  }

  open() {
    this.#parts.finder.hidden = false;
    this.#showParts();
    this.#parts.searchText.focus();
    this.#parts.searchText.select();
  }

  /** Shows the other rows again. @returns whether the search was open */
  close() {
    const { finder, find } = this.#parts;
    if (finder.hidden) return false;
    const hadFocus = finder.contains(document.activeElement);
    finder.hidden = true;
    this.clear();
    const { cursor } = this.#page;
    if (hadFocus && cursor.key) cursor.focusAgain();
    else if (hadFocus) find.focus();
    this.#showParts();
    return true;
  }

  clear() {
    this.#parts.searchText.value = "";
    this.#set("");
  }

  #toggle(view) {
    this.#view = this.#view === view ? "shown" : view;
    store(this.#id, this.#view);
    this.#page.filterChanged();
    const count = this.#page.plain.filter((row) => row.task).length;
    this.#page.notify(announcements[this.#view](count), { isQuiet: true });
  }

  /** Lets tasks that the person completes be seen for a moment before they are hidden, also while others are completed. */
  stay(step) {
    if (this.#view !== "hidden") return;
    const done = (step.steps ?? [step]).filter(({ set }) => set?.done);
    if (done.length === 0) return;
    for (const { task } of done) this.#staying.add(task);
    this.#leaveLater();
  }

  #leaveLater() {
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => {
      if (this.#page.isLifting) {
        this.#leaveLater();
        return;
      }
      this.#staying.clear();
      if (this.#page.list) this.#page.acts.act(() => this.#page.changed());
    }, stayMilliseconds);
  }

  /** Called when the list has changed. */
  forgetRows() {
    this.#all = null;
  }

  /** The rows in the view of completed tasks. */
  #viewed(list, last) {
    const { folding } = this.#page;
    if (this.#view === "shown" && !folding.hasOwn) {
      this.#all ??= list.rows(last); // a search leaves them as they are
      return { plain: this.#all, hidden: 0 };
    }
    this.forgetRows();
    const { isKept, order } = views[this.#view](this.#staying);
    return shownRows(list, isKept, { isFolded: folding.isFolded, order, last });
  }

  /** The rows to show. @param last as in `List.rows`, for rows that are not a search's */
  rows(list, last) {
    const { plain, hidden } = this.isOn
      ? shownRows(list, this.#isFound, { isFolded: null })
      : this.#viewed(list, last);
    const { nothing, hiddenDone, hiddenCount } = this.#parts;
    nothing.hidden = !this.isOn || plain.length > 0;
    nothing.textContent = search.none(quoted(this.#text));
    hiddenDone.hidden = this.isOn || hidden === 0;
    hiddenCount.textContent = search.hiddenDone(hidden);
    this.#showParts();
    return plain;
  }

  /** The row keeps the answer, so that those of a long list can be found in slices of time. */
  #isFound = ({ row, title }) => {
    if (row.searched !== title) {
      row.folded = folded(title);
      row.searched = title;
      row.wanted = undefined;
    }
    if (row.wanted !== this.#folded) {
      row.wanted = this.#folded;
      row.isFound = row.wanted !== "" && row.folded.includes(row.wanted);
    }
    return row.isFound;
  };

  /** Looks at the titles of a list. Yields promises of the next slices of time: in the last one, nothing is left to look at. */
  *#look({ tasks }) {
    const begin = performance.now();
    let [start, count] = [begin, 0];
    for (const task of tasks.values()) {
      this.#isFound(task);
      count += 1;
      if (count % titlesBetweenLooks > 0 || performance.now() - start < sliceMilliseconds) continue;
      yield nextSlice();
      start = performance.now();
    }
    if (start > begin) yield nextSlice();
  }

  async #set(text) {
    const wanted = text.trim();
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#folded = folded(wanted);
    if (wanted !== "" && this.#page.list) {
      for (const slice of this.#look(this.#page.list)) {
        await slice;
        if (this.#wanted !== wanted) return;
      }
    }
    this.#text = wanted;
    this.#page.filterChanged();
    clearTimeout(this.#announcing);
    if (this.isOn) this.#announcing = setTimeout(() => this.#announce(), announceMilliseconds);
  }

  #announce() {
    if (!this.isOn) return;
    this.#page.notify(search.found(this.#found().length), { isQuiet: true });
  }

  #found() {
    return this.#page.plain.filter(({ task }) => task && this.#isFound(task));
  }

  #key(key) {
    if (key === "Escape") this.close();
    else if (key === "Enter" || key === "ArrowDown") {
      const [first] = this.#found();
      if (first && this.isOn) this.#page.cursor.focus(first.key);
    } else return false;
    return true;
  }

  #showParts() {
    const { find, finder, hideDone, sinkDone } = this.#parts;
    find.setAttribute("aria-expanded", String(!finder.hidden));
    find.setAttribute("aria-pressed", String(this.#view !== "shown" || this.isOn));
    hideDone.setAttribute("aria-pressed", String(this.#view === "hidden"));
    sinkDone.setAttribute("aria-pressed", String(this.#view === "last"));
  }
}

function nextSlice() {
  return new Promise((resolve) => setTimeout(resolve));
}

const views = {
  shown: () => ({ isKept: () => true }),
  hidden: (staying) => ({ isKept: ({ id, done }) => !done || staying.has(id) }),
  last: () => ({ isKept: () => true, order: doneLast }),
};

function doneLast(tasks) {
  return [...tasks.filter(({ done }) => !done), ...tasks.filter(({ done }) => done)];
}

/**
 * The rows of tasks that are kept, and of their ancestors.
 * @param isFolded whether a task's subtasks are not shown. Null: all subtasks are shown, but no sections without a kept task
 * @param order returns siblings in the order in which they are shown
 * @param last as in `List.rows`
 * @returns the rows (`plain`), and how many tasks are missing (`hidden`). O(tasks)
 */
function shownRows(list, isKept, { isFolded, order = (tasks) => tasks, last }) {
  const plain = [];
  let hidden = 0;
  const add = (children, section, depth) => {
    const tasks = order(children);
    for (let position = 0; position < tasks.length; position += 1) {
      const task = tasks[position];
      const start = plain.push(task.row.placed(section, depth, position));
      const isOpen = !isFolded?.(task);
      if (isOpen && task.children.length > 0) add(task.children, section, depth + 1);
      const keeps = isOpen ? plain.length > start || isKept(task) : [...subtree(task)].some(isKept);
      if (keeps) continue;
      plain.pop();
      hidden += 1 + (isOpen ? 0 : countDescendants(task));
    }
  };
  for (const section of list.containers) {
    const start = plain.length;
    if (section.row) plain.push(section.row);
    add(section.children, section, 0);
    if (isFolded === null && section.row && plain.length === start + 1) plain.pop();
    if (last && plain.length > start) plain.push(last(section));
  }
  return { plain, hidden };
}

function storedView(id) {
  return Object.keys(storageKeys).find((view) => storedLists(view).includes(id)) ?? "shown";
}

function storedLists(view) {
  return storedValue(sharedTexts, storageKeys[view], []);
}

function store(id, view) {
  for (const [one, key] of Object.entries(storageKeys)) {
    const others = storedLists(one).filter((other) => other !== id);
    const wanted = one === view ? [...others, id].slice(-mostStoredLists) : others;
    storeValue(sharedTexts, key, wanted.length === 0 ? null : wanted);
  }
}
