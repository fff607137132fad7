// The dialog that asks for a token.
import { access, hasToken, setToken } from "./access.js";
import { words } from "./language.js";

const form = /^[A-Za-z0-9._~+/-]+=*$/;

export class TokenDialog {
  #dialog;
  #field;
  #why;
  #button;
  #isPutOff = false;

  /** @param button opens the dialog; it is shown after the server has required a token */
  constructor(dialog, button) {
    this.#dialog = dialog;
    this.#field = dialog.querySelector("input");
    this.#why = dialog.querySelector("[data-part=why]");
    this.#button = button;
    button.hidden = !hasToken();
    button.addEventListener("click", () => this.#open(""));
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
    access.addEventListener("wanted", ({ detail }) => {
      this.#button.hidden = false;
      if (!this.#isPutOff && !dialog.open) this.#open(hasToken() ? detail : "");
    });
    // A token was entered, here or in another window.
    access.addEventListener("changed", () => {
      if (hasToken() && dialog.open) dialog.close();
    });
  }

  #open(why) {
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
