// The person's name, which others see during a drag. This browser stores it.
import { sharedTexts } from "./storage.js";

const key = "reorderd name";

export function storedName() {
  return sharedTexts.get(key) ?? "";
}

export class NameDialog {
  /** @param button opens the dialog */
  constructor(dialog, button) {
    const field = dialog.querySelector("input");
    button.addEventListener("click", () => {
      field.value = storedName();
      dialog.showModal();
    });
    dialog.querySelector("[data-part=cancel]").addEventListener("click", () => dialog.close());
    dialog.querySelector("form").addEventListener("submit", () => {
      if (field.value.trim() === storedName()) return;
      // The name is a part of the connection. Without storage, there is no name.
      if (sharedTexts.set(key, field.value.trim())) location.reload();
    });
  }
}
