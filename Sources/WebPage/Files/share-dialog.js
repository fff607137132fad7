// The dialog with the links to a list.
import { connection, dateOf, home } from "./app.js";
import { closeBeside, dialogRow } from "./dialogs.js";
import { words } from "./later-words.js";
import { serverTime } from "./server-time.js";

const { share } = words;
const day = 24 * 60 * 60 * 1000;

export class ShareDialog {
  #dialog;
  #form;
  #notes;
  #list = null;

  constructor(dialog, notes) {
    this.#dialog = dialog;
    this.#form = dialog.querySelector("form");
    this.#notes = notes;
    this.#form.addEventListener("submit", (event) => {
      if (event.submitter?.value !== "make") return;
      event.preventDefault();
      this.#make();
    });
    this.#part("copy").addEventListener("click", () => this.#copy());
    closeBeside(dialog);
  }

  #part(name) {
    return this.#dialog.querySelector(`[data-part=${name}]`);
  }

  async open(list) {
    this.#list = list;
    this.#form.reset();
    this.#part("made").hidden = true;
    if (await this.#load()) this.#dialog.showModal();
  }

  /** @returns whether the links were loaded */
  async #load() {
    const list = this.#list;
    let shares;
    try {
      shares = await connection.shares(list);
    } catch (error) {
      this.#notes.complain(error);
      return false;
    }
    if (this.#list !== list) return false;
    this.#part("shares").replaceChildren(...shares.map((one) => this.#item(list, one)));
    return true;
  }

  #item(list, { id, name, scope, history, expiresAt }) {
    const end = dateOf(new Date(expiresAt));
    return dialogRow(name, share.rights(scope === "write", history === "all", end), {
      label: share.takeBack,
      name: share.takeBackFrom(name),
      run: () => this.#takeBack(list, id),
    });
  }

  async #make() {
    const list = this.#list;
    const { name, scope, days, history } = this.#form.elements;
    const wish = { scope: scope.value };
    if (history.checked) wish.history = "all";
    if (name.value.trim()) wish.name = name.value.trim();
    const lifetime = days.value * day;
    wish.expiresAt = new Date((await serverTime()) + lifetime);
    let made;
    try {
      made = await connection.share(list, wish);
    } catch (error) {
      this.#notes.complain(error);
      return;
    }
    if (this.#list !== list) return;
    this.#part("made").hidden = false;
    this.#part("link").value = `${home}${made.path}`;
    name.value = "";
    await this.#copy();
    await this.#load();
  }

  async #copy() {
    const field = this.#part("link");
    field.focus();
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      this.#notes.notify(share.copied);
    } catch {
      // Without the permission, the selected text can be copied by hand.
      this.#notes.notify(share.copyYourself);
    }
  }

  async #takeBack(list, id) {
    try {
      await connection.removeShare(list, id);
    } catch (error) {
      // Somebody else may have taken it back already.
      if (error.code !== "share_not_found") {
        this.#notes.complain(error);
        return;
      }
    }
    if (this.#list !== list || !(await this.#load())) return;
    this.#notes.notify(share.ended, { isQuiet: true });
    this.#part("shares").focus(); // not the next button: a second press would take back another link
  }
}
