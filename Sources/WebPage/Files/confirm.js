// The dialog that asks before something is done that cannot be taken back, or that is for everybody.
import { closeBeside } from "./dialogs.js";

export class ConfirmDialog {
  #dialog;
  #answer = () => {};

  constructor(dialog) {
    this.#dialog = dialog;
    dialog.addEventListener("close", () => this.#answer(dialog.returnValue === "yes"));
    closeBeside(dialog);
  }

  /**
   * Asks a question.
   * @param title the question
   * @param text what happens then
   * @param label the text of the button that does it
   * @returns the answer
   */
  ask(title, text, label) {
    const part = (name) => this.#dialog.querySelector(`[data-part=${name}]`);
    part("question").textContent = title;
    part("text").textContent = text;
    part("yes").textContent = label;
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }
}
