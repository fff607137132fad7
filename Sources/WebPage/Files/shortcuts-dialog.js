// The dialog with the keyboard shortcuts.

export class ShortcutsDialog {
  #dialog;

  constructor(dialog) {
    this.#dialog = dialog;
  }

  open() {
    this.#dialog.showModal();
  }
}
