// The person's name, which others see during a drag. This browser stores it.

const key = "reorderd name";

export function storedName() {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
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
      try {
        localStorage.setItem(key, field.value.trim());
      } catch {
        return; // without storage, there is no name
      }
      location.reload(); // the name is a part of the connection
    });
  }
}
