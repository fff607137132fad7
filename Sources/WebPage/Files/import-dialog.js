// Imports files: shows what will come before anything is written.
import {
  Problem,
  Unauthorized,
  Unreachable,
  connection,
  element,
  isGuest,
  quoted,
  reason,
  rights,
} from "./app.js";
import { formatNames } from "./format-names.js";
import { ImportForm } from "./import-form.js";
import {
  columnQuestion,
  conflictChoice,
  isConflict,
  previewOf,
  summaryOf,
} from "./import-preview.js";
import { fileOf } from "./import-report.js";
import { words } from "./later-words.js";
import { Unreadable, sendFile } from "./transfers.js";

const { common, importing: said } = words;

export class ImportDialog {
  #lists;
  #notes;
  #form;
  /** The files that were not imported yet. The first one is shown. */
  #files = [];
  /** The number of files that were chosen since the dialog was opened. */
  #count = 0;
  /** How the first file is read: `list` and `columns`. */
  #options = {};
  /** The columns of the first file, if the server does not know what they mean: `header` and the proposed `columns`. */
  #table = null;
  /** What happens to lists that are there with other content: `keep` or `replace` them. */
  #existing = "keep";
  /** The request that is not answered yet (`AbortController`). */
  #running = null;
  /** Whether that request writes. It goes on if the dialog is closed meanwhile. */
  #isWriting = false;
  /** The lists that were imported since the dialog was opened, and whether each `isNew`. */
  #came = [];

  /** @param lists the index of all lists */
  constructor(lists, notes) {
    this.#lists = lists;
    this.#notes = notes;
    this.#form = new ImportForm(
      (files) => this.take(files),
      () => this.#isWriting || this.#finishFile(),
      () => this.#closed(),
    );
  }

  get #dialog() {
    return this.#form.dialog;
  }

  /** Whether lists may be imported now. Another dialog has its own question. */
  get #mayTake() {
    const modal = document.querySelector("dialog:modal");
    return !isGuest && rights.newListID() !== null && (!modal || modal === this.#dialog);
  }

  open() {
    if (!this.#mayTake || this.#dialog.open) return;
    if (!this.#isWriting) {
      this.#count = 0;
      this.#files = [];
      this.#showFile();
      this.#form.show({});
    }
    this.#form.open();
  }

  /** Called while files are dragged over the page. */
  hover({ type, dataTransfer, relatedTarget }) {
    const may = this.#mayTake;
    dataTransfer.dropEffect = may ? "copy" : "none";
    document.body.toggleAttribute("data-files", may && (type !== "dragleave" || !!relatedTarget));
  }

  /** Imports files that were chosen or dropped, one after the other. */
  take(files) {
    document.body.removeAttribute("data-files");
    if (files.length === 0) return;
    if (!this.#mayTake) {
      if (!document.querySelector("dialog:modal")) this.#notes.notify(said.forbidden);
      return;
    }
    this.open();
    this.#files.push(...files);
    this.#count += files.length;
    if (this.#files.length === files.length) this.#begin();
    else this.#showFile();
  }

  #showFile() {
    this.#form.showFile(this.#files, this.#count);
  }

  /** Begins with the first file. */
  #begin() {
    this.#options = {};
    this.#showFile();
    this.#read();
  }

  /** Shows what the first file would bring. */
  #read() {
    this.#existing = "keep";
    const options = { ...this.#options, replace: true, dryRun: true };
    const again = () => this.#read();
    this.#run(said.reading, this.#files[0], options, (answer) => this.#preview(answer), again);
  }

  /**
   * Sends a file.
   * @param state the sentence meanwhile
   * @param done is called with the response, if the person still waits for it
   * @param again repeats it after a failure
   */
  async #run(state, file, options, done, again) {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#isWriting = !options.dryRun;
    this.#form.show({ state });
    let end;
    try {
      const answer = await sendFile(file, options, running.signal);
      end = () => done(answer);
    } catch (error) {
      end = () => this.#failed(error, options.dryRun, again);
    }
    if (this.#running !== running) return;
    this.#isWriting = false;
    end();
  }

  #preview(answer) {
    const { lists } = answer;
    const conflicts = lists.filter(isConflict);
    const content = previewOf(answer);
    if (this.#options.columns) content.unshift(this.#columnButton());
    const next = () => this.#nextFor(answer, conflicts);
    if (conflicts.length > 0) {
      const isOnly = lists.length === 1;
      content.unshift(
        conflictChoice(conflicts, isOnly, (choice) => {
          if (choice === "new") {
            this.#options.list = rights.newListID();
            this.#read();
            return;
          }
          this.#existing = choice;
          this.#form.showNext(...next());
        }),
      );
    }
    const state = lists.every(({ outcome }) => outcome === "unchanged") ? said.already : "";
    this.#form.show({ state: `${summaryOf(answer)} ${state}`.trim(), content, next: next() });
  }

  /** The button that goes on from a preview. */
  #nextFor(answer, conflicts) {
    const count = answer.lists.filter(({ outcome }) => outcome === "created").length;
    const replaced = this.#existing === "replace" ? conflicts.length : 0;
    const act = count + replaced > 0 ? () => this.#import(answer, conflicts) : null;
    if (replaced > 0) return [said.importAndReplace(count, replaced), act, true];
    return [said.import(count), act];
  }

  #import({ lists }, conflicts) {
    const replace = this.#existing === "replace";
    const created = lists.filter(({ outcome }) => outcome === "created");
    // The server imports all lists of a file or none. So those that stay as they are must not be in it.
    const isWhole = replace || conflicts.length === 0;
    const file = isWhole ? this.#files[0] : fileOf(created);
    const options = isWhole ? { ...this.#options, replace } : {};
    const done = () => {
      for (const { id, title, outcome } of lists) {
        const isNew = outcome === "created";
        if (isNew) this.#lists.order.add({ id, title });
        if (isNew || (replace && outcome !== "unchanged")) this.#came.push({ id, title, isNew });
      }
      this.#finishFile();
    };
    // After a failure, the same request imports what is missing.
    const write = () => this.#run(said.running, file, options, done, write);
    write();
  }

  #finishFile() {
    this.#files.shift();
    if (this.#files.length > 0) this.#begin();
    else this.#dialog.close();
    if (!this.#dialog.open) this.#closed();
  }

  // MARK: Faults

  /** @param isPreview whether nothing was to be written */
  #failed(error, isPreview, again) {
    const { header, columns } = error.document ?? {};
    if (header ?? columns) {
      this.#table = { header, columns };
      this.#askForColumns();
      return;
    }
    if (isPreview && error.code === "forbidden" && !this.#options.list) {
      // The id that follows from the file's name is perhaps the reason.
      this.#options.list = rights.newListID();
      this.#read();
      return;
    }
    const fault = this.#faultOf(error, isPreview);
    // If a list was changed meanwhile, the preview is an old one.
    const act = error instanceof Problem ? () => this.#read() : again;
    const content = this.#options.columns ? [this.#columnButton()] : [];
    this.#form.show({ fault, content, next: [said.again, act] });
    if (this.#dialog.open) return;
    this.#notes.notify(fault);
    this.#closed();
  }

  #faultOf(error, isPreview) {
    if (error instanceof Unreadable) return said.unreadable;
    if (error instanceof Unauthorized) return said.token;
    if (error instanceof Unreachable) return isPreview ? said.unreachable : said.broken;
    if (!(error instanceof Problem)) throw error;
    if (error.status === 413) return said.tooLarge;
    if (error.code === "forbidden" || (error.status === 422 && this.#options.list))
      return said.forbidden; // a file with several lists has no single id
    const { line, pointer } = error.document;
    const isWhole = error.code === "invalid_body" && (line ?? pointer) === undefined;
    if (isWhole) return `${said.unknown} ${said.formatsAre(formatNames)}`;
    // The server also names the place in the JSON, which people do not see.
    return said.refused(reason(error.code, error.detail?.replace(/(^|: )\/\S*: /, "$1")));
  }

  #columnButton() {
    const button = element("button", { type: "button", className: "text" }, said.changeColumns);
    button.addEventListener("click", () => this.#askForColumns());
    return button;
  }

  /** Asks which column of the table means what. */
  #askForColumns() {
    const { header, columns = [] } = this.#table;
    const names = header ?? columns.map((text) => text.slice(text.indexOf("=") + 1));
    const question = columnQuestion(names, this.#options.columns ?? columns);
    const show = () => {
      this.#options.columns = question.columns();
      this.#read();
    };
    this.#form.show({
      state: said.columns,
      content: question.elements,
      next: [said.preview, show],
    });
    this.#form.focusFirstSelect();
  }

  // MARK: Afterwards

  /** The dialog was closed: opens the first list that came. */
  #closed() {
    if (this.#dialog.open) return;
    if (this.#isWriting) {
      this.#files.splice(1);
      return;
    }
    this.#files = [];
    this.#running?.abort();
    this.#running = null;
    const came = this.#came;
    this.#came = [];
    if (came.length === 0) return;
    const text = said.imported(quoted(came[0].title || common.untitled), came.length);
    const undo = { label: common.undo, run: () => this.#undo(came) };
    // What was replaced does not come back by a deletion.
    const action = came.every(({ isNew }) => isNew) ? undo : undefined;
    this.#goTo(came[0].id, () => this.#notes.notify(text, { action }));
  }

  /** Opens a list, or the index. @param announce is called then, because earlier notes are hidden */
  #goTo(id, announce) {
    if (location.hash.slice(1) === id) {
      announce();
      return;
    }
    addEventListener("hashchange", announce, { once: true });
    location.hash = id;
  }

  /** Deletes new lists; the bin has them for some time. */
  async #undo(came) {
    try {
      for (const { id } of came) {
        await connection.deleteList(id).catch((error) => {
          if (error.status !== 404) throw error;
        });
        this.#lists.deleted(id);
      }
    } catch (error) {
      this.#notes.complain(error);
      return;
    }
    const open = location.hash.slice(1);
    const isOpen = came.some(({ id }) => id === open);
    this.#goTo(isOpen ? "" : open, () => this.#notes.notify(said.undone(came.length)));
  }
}
