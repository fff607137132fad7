// The elements of the dialog that imports files, and the states that it has.
import { element } from "./app.js";
import { closeBeside } from "./dialogs.js";
import { formatNames } from "./format-names.js";
import { words } from "./later-words.js";

const { common, importing: said } = words;

export class ImportForm {
  dialog;
  #input = element("input", { type: "file", multiple: true, hidden: true });
  #choose = element("button", { type: "button", className: "second" }, said.choose);
  #name = element("p", { className: "file", dir: "auto" });
  #hint = element("p", { className: "hint" }, `${said.hint} ${said.formatsAre(formatNames)}`);
  #state = element("p", { role: "status", tabIndex: -1 });
  #fault = element("p", { className: "fault", role: "alert" });
  #content = element("div", { className: "content" });
  #skip = element("button", { type: "button", className: "text" }, said.skip);
  #next = element("button", { type: "submit" });
  /** What the button `#next` does. */
  #act = () => {};

  /**
   * @param take gets the files that were chosen
   * @param skip is called when the person leaves out the file that is shown
   * @param closed is called after the dialog was closed
   */
  constructor(take, skip, closed) {
    const cancel = { type: "button", className: "second", "data-part": "cancel" };
    const form = element(
      "form",
      { method: "dialog" },
      element("h2", { id: "import-title" }, said.title),
      this.#name,
      element("p", {}, this.#choose, this.#input),
      this.#hint,
      this.#state,
      this.#content,
      this.#fault,
      element(
        "p",
        { className: "buttons" },
        this.#skip,
        element("button", cancel, common.cancel),
        this.#next,
      ),
    );
    const labelled = { className: "import", "aria-labelledby": "import-title" };
    this.dialog = element("dialog", labelled, form);
    const target = element("div", { className: "drop-here", "aria-hidden": "true" }, said.drop);
    document.body.append(this.dialog, target);
    closeBeside(this.dialog);
    this.dialog.addEventListener("close", closed);
    this.#choose.addEventListener("click", () => this.#input.click());
    this.#input.addEventListener("change", () => {
      take([...this.#input.files]);
      this.#input.value = ""; // the same file can be chosen again
    });
    this.#skip.addEventListener("click", skip);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#act();
    });
  }

  open() {
    this.dialog.showModal();
    this.#choose.focus();
  }

  /** Shows the first of the files that wait. @param count the number of all that were chosen */
  showFile(files, count) {
    const [file] = files;
    const name = file?.name ?? "";
    this.#name.textContent = count > 1 ? said.fileOf(name, count - files.length + 1, count) : name;
    this.#skip.hidden = files.length < 2;
    this.#name.hidden = !file;
    this.#hint.hidden = Boolean(file);
    this.#choose.parentElement.hidden = Boolean(file);
  }

  /**
   * Shows a state of the import.
   * @param state a sentence, and `fault` another one
   * @param content the elements below it
   * @param next the parameters of `showNext`
   */
  show({ state = "", fault = "", content = [], next = [said.import(0), null] }) {
    const { activeElement } = document;
    this.#state.textContent = state;
    this.#fault.textContent = fault;
    this.#fault.hidden = fault === "";
    this.#content.replaceChildren(...content);
    this.showNext(...next);
    const isLost = !activeElement?.checkVisibility() || activeElement.disabled;
    if (isLost && this.dialog.open) this.#state.focus();
  }

  /**
   * Shows the button that goes on.
   * @param act what it does; null disables it
   * @param isDangerous whether it replaces lists
   */
  showNext(label, act, isDangerous = false) {
    this.#next.textContent = label;
    this.#next.disabled = act === null;
    this.#next.classList.toggle("danger", isDangerous);
    this.#act = act ?? (() => {});
  }

  focusFirstSelect() {
    this.#content.querySelector("select").focus();
  }
}
