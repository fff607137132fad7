// The dialog that asks for a token.
import { access, hasToken, setToken } from "./app.js";
import { words } from "./later-words.js";

const form = /^[A-Za-z0-9._~+/-]+=*$/;

export class TokenDialog {
  #dialog;
  #field;
  #why;
  #isPutOff = false;

  constructor(dialog) {
    this.#dialog = dialog;
    this.#field = dialog.querySelector("input");
    this.#why = dialog.querySelector("[data-part=why]");
    dialog.querySelector("form").addEventListener("submit", (event) => this.#take(event));
    this.#field.addEventListener("input", () => this.#field.setCustomValidity(""));
    dialog.querySelector("[data-part=forget]").addEventListener("click", () => {
      this.#dialog.close();
      this.#put(null);
    });
    dialog.querySelector("[data-part=later]").addEventListener("click", () => {
      this.#isPutOff = true;
      dialog.close();
    });
    // The dialog was closed with Escape. `close` fires a frame later: by then, the next token may have been refused already.
    dialog.addEventListener("cancel", () => {
      this.#isPutOff = true;
    });
    // A token was entered, here or in another window.
    access.addEventListener("changed", () => {
      if (hasToken() && dialog.open) dialog.close();
    });
  }

  /** Called when the server requires another token. The person can put that off. */
  want(why) {
    if (!this.#isPutOff && !this.#dialog.open) this.open(hasToken() ? why : "");
  }

  /** @param why the server did not accept the token; empty: nothing was refused */
  open(why) {
    this.#why.textContent = why;
    this.#why.hidden = !why;
    this.#field.value = "";
    this.#dialog.querySelector("[data-part=forget]").hidden = !hasToken();
    this.#dialog.showModal();
  }

  #take(event) {
    const text = this.#field.value.trim();
    if (!form.test(text)) {
      event.preventDefault();
      this.#field.setCustomValidity(words.token.form);
      this.#field.reportValidity();
      return;
    }
    this.#put(text);
  }

  #put(text) {
    this.#field.value = "";
    this.#isPutOff = text === null;
    setToken(text);
  }
}
