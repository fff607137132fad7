// Saves a list as a file, in a format that the person chooses.
import { element, quoted } from "./app.js";
import { chooserOf, filtered } from "./chooser.js";
import { formats } from "./format-names.js";
import { words } from "./later-words.js";
import { readExport } from "./transfers.js";

const { exporting: said } = words;

/** The formats that the server writes, the most common ones first. */
const written = ["markdown", "csv", "todotxt", "opml", "ics", "todoist", "json"];

export class ExportDialog {
  #chooser;
  #notes;

  constructor(dialog, notes) {
    this.#chooser = chooserOf(dialog);
    this.#notes = notes;
  }

  async open({ session, list }) {
    const options = written.map((key) => ({ key, name: formats[key] }));
    const title = said.title(quoted(list.settings.title || words.common.untitled));
    const about = { title, label: said.field, hint: words.chooser.none };
    const option = await this.#chooser.choose(about, (text) => filtered(options, text));
    if (option) await this.#save(session, option.key);
  }

  async #save(session, format) {
    try {
      const { name, blob } = await readExport(session.id, format);
      download(name, blob);
      this.#notes.notify(said.saved(quoted(name), session.waiting));
    } catch (error) {
      this.#notes.complain(error);
    }
  }
}

function download(name, blob) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  // The browser has begun to read it. Some do so a little later.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
