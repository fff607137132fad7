// The menu of a row, and the dialog that asks for another list.
import { element } from "./icons.js";
import { quoted } from "./words.js";

const marginPixels = 8;

export class RowMenu {
  #page;
  #composer;
  #menu;
  /** The row of the menu. */
  #row = null;

  /**
   * @param menu an element that is a popover, which only this object opens and closes. The browser would close it after the
   *   events that can follow a long press.
   */
  constructor(page, composer, menu, main) {
    this.#page = page;
    this.#composer = composer;
    this.#menu = menu;
    menu.addEventListener("keydown", (event) => this.#key(event));
    menu.addEventListener("contextmenu", (event) => event.preventDefault());
    window.addEventListener(
      "pointerdown",
      ({ target }) => {
        if (!menu.contains(target)) this.#hide();
      },
      true,
    );
    window.addEventListener("blur", () => this.#hide());
    // The drag prevents the menu of a long press.
    main.addEventListener("contextmenu", (event) => {
      const row = event.target.closest(".canvas [data-key]");
      if (!row || event.defaultPrevented || event.target.matches("textarea")) return;
      event.preventDefault();
      this.open(row.dataset.key, event.clientX, event.clientY);
    });
  }

  /** Opens the menu of a row, at a point or (without one) at the row. */
  open(key, x, y) {
    const page = this.#page;
    const row = page.plain.find((one) => one.key === key);
    if (!row || page.isLifting) return;
    page.cursor.focus(key);
    const items = row.task ? this.#itemsOfTask(row) : this.#itemsOfSection(row);
    const name = quoted((row.task ?? row.section).title);
    this.#menu.setAttribute("aria-label", `Actions for ${name}`);
    this.#menu.replaceChildren(...items.map((item) => this.#make(item)));
    this.#hide();
    this.#row = key;
    this.#menu.showPopover();
    this.#place(page.rows.element(key).getBoundingClientRect(), x, y);
    this.#menu.firstElementChild.focus();
  }

  /** Closes the menu, and returns the focus to its row. */
  close() {
    this.#hide();
    this.#page.cursor.focus(this.#row);
  }

  #hide() {
    if (this.#menu.matches(":popover-open")) this.#menu.hidePopover();
  }

  #itemsOfTask({ key, task }) {
    const { actions, selected, list, search } = this.#page;
    const tasks = actions.tasks(key);
    const move = ["Move to another list…", () => actions.chooseList(tasks)];
    const remove = ["Delete", () => actions.delete(key), "danger"];
    const isAnyOpen = tasks.some((id) => !list.tasks.get(id)?.done);
    const complete = [
      isAnyOpen ? "Complete" : "Mark as not completed",
      () => actions.complete(tasks, isAnyOpen),
    ];
    if (selected.has(key) && tasks.length > 1) {
      return [complete, move, remove].map(([label, ...rest]) => [
        `${label.replace("…", "")}: ${tasks.length} tasks${label.endsWith("…") ? "…" : ""}`,
        ...rest,
      ]);
    }
    const items = [
      complete,
      ["Rename", () => actions.rename(key)],
      ["Add a subtask", () => this.#composer.addTo({ task })],
    ];
    if (task.children.length > 0 && !search.isOn)
      items.push([
        task.collapsed ? "Show subtasks" : "Hide subtasks",
        () => actions.fold(list.tasks.get(task.id)),
      ]);
    return [...items, move, remove];
  }

  #itemsOfSection({ key, section }) {
    const { actions } = this.#page;
    return [
      ["Rename", () => actions.rename(key)],
      ["Add a task", () => this.#composer.addTo({ section })],
      ["Delete the section; its tasks stay", () => actions.delete(key), "danger"],
    ];
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
  #place(row, x = row.right - marginPixels, y = row.bottom) {
    const { width, height } = this.#menu.getBoundingClientRect();
    const within = (wanted, size, most) =>
      Math.max(marginPixels, Math.min(wanted, most - size - marginPixels));
    this.#menu.style.left = `${within(x, width, innerWidth)}px`;
    this.#menu.style.top = `${within(y, height, innerHeight)}px`;
  }

  #key(event) {
    const items = [...this.#menu.children];
    const from = items.indexOf(document.activeElement);
    const targets = {
      ArrowDown: (from + 1) % items.length,
      ArrowUp: (from - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    if (event.key in targets) items[targets[event.key]].focus();
    else if (event.key === "Tab" || event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

export class MoveDialog {
  #dialog;
  #lists;
  #chosen = () => {};

  /** @param lists the index of all lists */
  constructor(dialog, lists) {
    this.#dialog = dialog;
    this.#lists = lists;
    dialog.addEventListener("close", () => this.#chosen(null));
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }

  /**
   * Lets the person choose a list other than the current one. Returns it, or null.
   * @throws {Problem | Unreachable} if the lists can't be fetched
   */
  async choose(current, title) {
    const lists = (await this.#lists.fetch()).filter(({ id }) => id !== current);
    const part = (name) => this.#dialog.querySelector(`[data-part=${name}]`);
    this.#dialog.querySelector("h2").textContent = title;
    part("none").hidden = lists.length > 0;
    part("choices").replaceChildren(
      ...lists.map((list) => {
        const name = element("span", { dir: "auto" }, list.title || "Untitled");
        const button = element("button", { type: "button", className: "second" }, name);
        button.addEventListener("click", () => {
          this.#chosen(list);
          this.#dialog.close();
        });
        return element("li", {}, button);
      }),
    );
    this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#chosen = resolve;
    });
  }

  close() {
    this.#dialog.close();
  }
}
