// A field with a list of options below it: the arrow keys go from option to option, Enter chooses one, and so does a click.
import { element, onKey } from "./app.js";

export class Options {
  #field;
  #list;
  #choose;
  #shown = [];
  #active = -1;

  /** @param choose is called with the chosen option */
  constructor(field, list, choose) {
    this.#field = field;
    this.#list = list;
    this.#choose = choose;
    onKey(field, (key) => this.#key(key));
    list.addEventListener("click", ({ target }) => {
      const option = target.closest("[role=option]");
      if (option) this.#take([...list.children].indexOf(option));
    });
  }

  /**
   * Shows options. Each has a `key`, a `name`, a `detail` and perhaps a `depth`. The active option stays active.
   * @param isFirstActive whether the first option is active if the former one has gone
   */
  show(options, isFirstActive = false) {
    const key = this.#shown[this.#active]?.key;
    this.#shown = options;
    this.#list.hidden = options.length === 0;
    this.#field.setAttribute("aria-expanded", String(options.length > 0));
    this.#list.replaceChildren(...options.map((option, number) => this.#make(option, number)));
    const same = options.findIndex((option) => option.key === key);
    this.#activate(same < 0 && isFirstActive && options.length > 0 ? 0 : same);
  }

  #make({ name, detail = "", depth = 0 }, number) {
    const text = { className: "name", dir: "auto" };
    const item = element(
      "li",
      { role: "option", id: `${this.#list.id}-${number}`, "aria-selected": "false" },
      element("span", text, name),
      element("span", { className: "count", dir: "auto" }, detail),
    );
    item.style.setProperty("--depth", depth);
    return item;
  }

  #activate(number) {
    this.#active = number;
    for (const [at, option] of [...this.#list.children].entries())
      option.setAttribute("aria-selected", String(at === number));
    const option = this.#list.children[number];
    option?.scrollIntoView({ block: "nearest" });
    if (option) this.#field.setAttribute("aria-activedescendant", option.id);
    else this.#field.removeAttribute("aria-activedescendant");
  }

  #key(key) {
    const last = this.#shown.length - 1;
    if (key === "ArrowDown") this.#activate(Math.min(last, this.#active + 1));
    else if (key === "ArrowUp") this.#activate(Math.max(Math.min(0, last), this.#active - 1));
    else if (key === "Enter") this.#take(Math.max(0, this.#active));
    else return false;
    return true;
  }

  #take(number) {
    const option = this.#shown[number];
    if (option) this.#choose(option);
  }
}
