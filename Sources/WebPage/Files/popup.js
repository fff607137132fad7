// A popover with the items of a menu.
import { element, onKey } from "./app.js";

const marginPixels = 8;

export class PopupMenu {
  #menu;
  /** Returns the focus after the menu was closed. */
  #closed = () => {};

  /**
   * @param menu an element that is a popover, which only this object opens and closes. The browser would close it after the
   *   events that can follow a long press.
   */
  constructor(menu) {
    this.#menu = menu;
    onKey(menu, (key) => this.#key(key));
    menu.addEventListener("contextmenu", (event) => event.preventDefault());
    window.addEventListener(
      "pointerdown",
      ({ target }) => {
        if (!menu.contains(target)) this.hide();
      },
      true,
    );
    window.addEventListener("blur", () => this.hide());
  }

  /**
   * Opens the menu at a point, or (without one) at a box.
   * @param items each item has a label, a function and, optionally, a class
   * @param closed is called when the menu is closed with the keyboard or by an action, before the action
   */
  open(label, items, closed, box, x = box.right - marginPixels, y = box.bottom) {
    this.#menu.setAttribute("aria-label", label);
    this.#menu.replaceChildren(...items.map((item) => this.#make(item)));
    this.hide();
    this.#closed = closed;
    this.#menu.showPopover();
    this.#place(x, y);
    this.#menu.firstElementChild.focus();
  }

  get isOpen() {
    return this.#menu.matches(":popover-open");
  }

  /** Closes the menu, and returns the focus. */
  close() {
    if (!this.isOpen) return;
    this.hide();
    this.#closed();
  }

  /** Closes the menu. */
  hide() {
    if (this.isOpen) this.#menu.hidePopover();
  }

  #make([label, run, className = ""]) {
    const item = element("button", { type: "button", role: "menuitem", className }, label);
    item.tabIndex = -1;
    item.addEventListener("click", () => {
      this.close();
      run();
    });
    return item;
  }

  /** Puts the menu where it fits into the window. */
  #place(x, y) {
    const { width, height } = this.#menu.getBoundingClientRect();
    const within = (wanted, size, most) =>
      Math.max(marginPixels, Math.min(wanted, most - size - marginPixels));
    this.#menu.style.left = `${within(x, width, innerWidth)}px`;
    this.#menu.style.top = `${within(y, height, innerHeight)}px`;
  }

  #key(key) {
    const items = [...this.#menu.children];
    const from = items.indexOf(document.activeElement);
    const targets = {
      ArrowDown: (from + 1) % items.length,
      ArrowUp: (from - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    if (key in targets) items[targets[key]].focus();
    else if (["Tab", "Shift+Tab", "Escape"].includes(key)) this.close();
    else return false;
    return true;
  }
}
