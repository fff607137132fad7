// The pane with the details of a task: beside the list, or (in a narrow window) a sheet above it. A field is saved when the person leaves
// it.
import {
  element,
  fits,
  forgetDraft,
  iconButton,
  keepDraft,
  onKey,
  paint,
  quoted,
  whyDeleted,
} from "./app.js";
import { words } from "./later-words.js";
import { dayText, dueFrom, dueOf, hasMembers, isLink, isTooLarge, valueIn } from "./task-data.js";

const mostLabels = 20;
const mostLabelCharacters = 60;
/** The fields that keep what is typed over a reload. */
const drafted = ["title", "notes", "url", "label"];

export class DetailPane {
  #page;
  #dialog;
  #fields = {};
  #chips;
  #known;
  #foreign;
  #visit;
  /** The id of the task. */
  #id = null;
  #list = null;
  /** What the fields show of the task. Another value in a field was typed. */
  #shown = {};
  #wide = matchMedia("(min-width: 1100px)");

  constructor(page) {
    this.#page = page;
    this.#make();
    const dialog = this.#dialog;
    onKey(dialog, (key, { target }) => this.#key(key, target));
    dialog.addEventListener("input", ({ target }) => this.#typed(target));
    dialog.addEventListener("focusout", ({ target }) => this.#save(target.name));
    dialog.addEventListener("submit", (event) => event.preventDefault());
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
    dialog.addEventListener("click", ({ target }) => target === dialog && this.close());
    this.#fields.priority.addEventListener("change", () => this.#save("priority"));
    this.#wide.addEventListener("change", () => {
      if (!this.isOpen) return;
      dialog.close();
      this.#open();
    });
  }

  get isOpen() {
    return this.#dialog.open;
  }

  get #task() {
    return this.#page.list?.tasks.get(this.#id);
  }

  // MARK: Elements

  #make() {
    const text = words.pane;
    const field = (name, title, made) => {
      this.#fields[name] = made;
      made.name = name;
      return element("label", {}, title, made);
    };
    const input = (type, properties) =>
      element("input", { type, autocomplete: "off", ...properties });
    const area = (rows) => element("textarea", { rows, dir: "auto" });
    const options = words.data.priorities.map((name, value) =>
      element("option", { value: value || "" }, name),
    );
    const close = iconButton("plain", "close", { ariaLabel: words.common.close });
    close.addEventListener("click", () => this.close());
    this.#chips = element("ul", { className: "labels" });
    this.#known = element("datalist", { id: "known-labels" });
    this.#foreign = element("p", { className: "hint" }, text.foreign);
    this.#visit = element("a", { target: "_blank", rel: "noopener noreferrer" }, text.visit);
    const label = input("text", {
      maxLength: mostLabelCharacters,
      dir: "auto",
      enterKeyHint: "done",
    });
    label.placeholder = label.ariaLabel = text.newLabel;
    label.setAttribute("list", this.#known.id);
    this.#fields.label = label;
    label.name = "label";
    this.#dialog = element(
      "dialog",
      { className: "detail", "aria-labelledby": "detail-title" },
      element(
        "form",
        { method: "dialog" },
        element(
          "header",
          {},
          element("h2", { id: "detail-title", tabIndex: -1, autofocus: true }, text.title),
          close,
        ),
        field("title", words.common.title, area(1)),
        this.#foreign,
        field("notes", text.notes, area(3)),
        element(
          "div",
          { className: "due-fields" },
          field("date", text.date, input("date", { max: "9999-12-31" })),
          field("time", text.time, input("time")),
        ),
        field("priority", text.priority, element("select", {}, ...options)),
        element(
          "div",
          { className: "label-field" },
          element("span", {}, text.labels),
          this.#chips,
          label,
          this.#known,
        ),
        field("url", text.url, input("url", { dir: "ltr" })),
        this.#visit,
      ),
    );
    document.body.append(this.#dialog);
  }

  // MARK: Opening and closing

  /** @param draft what was typed before a reload */
  open(id, draft) {
    this.#fill(id);
    if (!this.isOpen) this.#open();
    else if (!draft) this.#dialog.querySelector("h2").focus();
    if (!draft) return;
    const field = this.#fields[draft.name];
    field.value = draft.text;
    field.focus();
  }

  #open() {
    if (this.#wide.matches) this.#dialog.show();
    else this.#dialog.showModal();
  }

  /** Shows a task, and forgets what was not saved of another one. */
  #fill(id) {
    this.#id = id;
    this.#list = this.#page.session.id;
    this.#shown = {};
    for (const field of Object.values(this.#fields)) field.removeAttribute("aria-invalid");
    this.#refresh(true);
    const labels = new Set();
    for (const { data } of this.#page.list.tasks.values())
      for (const label of valueIn(data, "labels") ?? []) labels.add(label);
    this.#known.replaceChildren(...[...labels].sort().map((value) => element("option", { value })));
  }

  /** Shows another task, unless the pane covers the rows. */
  follow(id) {
    if (!this.isOpen || this.#dialog.matches(":modal") || id === this.#id) return;
    if (!this.#page.list?.tasks.has(id)) return;
    this.#saveAll();
    this.#keepUnsaved();
    this.#fill(id);
  }

  /** Keeps what can't be saved, before the fields show something else. */
  #keepUnsaved() {
    const typed = drafted.filter((name) => this.#isTyped(name));
    if (typed.length === 0) return;
    keepDraft(this.#list, { detail: null });
    for (const name of typed) this.#page.notify(this.#page.acts.keepText(this.#fields[name].value));
  }

  /** Saves what was typed, and gives the focus back to the row. @returns whether the pane was open */
  close() {
    if (!this.isOpen) return false;
    const { cursor, rows } = this.#page;
    this.end();
    if (rows.element(this.#id)) cursor.focus(this.#id);
    else cursor.focusAgain();
    return true;
  }

  /** Saves what was typed, and closes the pane. */
  end() {
    if (!this.isOpen) return;
    this.#saveAll();
    this.#keepUnsaved();
    this.#dialog.close();
  }

  /** Called when the list has changed. */
  keepThoseIn(list) {
    const { cursor, acts } = this.#page;
    if (list.tasks.has(this.#id)) {
      this.#refresh(false);
      return;
    }
    const isModal = this.#dialog.matches(":modal");
    if (acts.isActing && !isModal && list.tasks.has(cursor.key)) {
      this.#fill(cursor.key);
      return;
    }
    const hadFocus = this.#dialog.contains(document.activeElement);
    const typed = drafted.find((name) => this.#isTyped(name));
    this.#dialog.close();
    if (hadFocus) cursor.lose("choosing");
    if (acts.isActing) return; // a note says what the person did
    const kept = typed ? ` ${acts.keepText(this.#fields[typed].value)}` : "";
    if (typed) keepDraft(this.#list, { detail: null });
    this.#page.notify(`${whyDeleted(this.#shown.title)}${kept}`);
  }

  // MARK: Showing

  /** Shows the current values, except where the person has typed. */
  #refresh(isOther) {
    const task = this.#task;
    const { title, data } = task;
    const due = dueOf(valueIn(data, "due"));
    const url = valueIn(data, "url") ?? "";
    const values = {
      title,
      notes: valueIn(data, "notes") ?? "",
      date: due ? dayText(due.date) : "",
      time: due?.hasTime ? due.date.toTimeString().slice(0, 5) : "",
      priority: String(valueIn(data, "priority") ?? ""),
      url,
      label: "",
    };
    const mayEdit = this.#page.mayEdit && hasMembers(data);
    for (const [name, field] of Object.entries(this.#fields)) {
      const may = name === "title" ? this.#page.mayEdit : mayEdit;
      if (name === "priority") field.disabled = !may;
      else field.readOnly = !may;
      if (isOther || !this.#isTyped(name)) {
        if (field.value !== values[name] || field.validity.badInput) field.value = values[name];
        this.#shown[name] = field.value;
      }
      const place = name === "label" ? field : field.parentElement;
      place.hidden = !may && field.value === "";
    }
    this.#foreign.hidden = hasMembers(data) || !this.#page.mayEdit;
    this.#visit.hidden = url === "";
    this.#visit.href = url;
    this.#showLabels(valueIn(data, "labels") ?? [], mayEdit);
  }

  #showLabels(labels, mayEdit) {
    const chips = this.#chips;
    const text = JSON.stringify([labels, mayEdit]);
    chips.parentElement.hidden = !mayEdit && labels.length === 0;
    if (chips.dataset.shown === text) return;
    const hadFocus = chips.contains(document.activeElement);
    chips.dataset.shown = text;
    chips.replaceChildren(
      ...labels.map((label) => {
        const chip = element("li", {}, element("span", { dir: "auto" }, label));
        paint(chip, label);
        if (mayEdit) {
          const name = { ariaLabel: words.pane.removeLabel(quoted(label)) };
          const remove = iconButton("plain small", "close", name);
          remove.addEventListener("click", () =>
            this.#setLabels(labels.filter((one) => one !== label)),
          );
          chip.append(remove);
        }
        return chip;
      }),
    );
    if (hadFocus) (chips.querySelector("button") ?? this.#fields.label).focus();
  }

  // MARK: Saving

  #isTyped(name) {
    const { value, validity } = this.#fields[name];
    return value !== this.#shown[name] || validity.badInput;
  }

  #typed({ name, value }) {
    if (!drafted.includes(name)) return;
    const detail = this.#isTyped(name) ? { task: this.#id, name, text: value } : null;
    keepDraft(this.#list, { detail });
    if (name === "label" && /[,،]$/.test(value)) this.#save(name);
  }

  #saveAll() {
    for (const name of Object.keys(this.#fields)) this.#save(name);
  }

  /** Saves a field, if something was typed in it. What can't be saved stays there. */
  #save(name) {
    if (!name || !this.isOpen || !this.#task || !this.#isTyped(name)) return;
    const field = this.#fields[name];
    const set = field.validity.badInput ? null : this.#changeOf(name, field.value);
    field.ariaInvalid = set === null ? "true" : null;
    if (set === null) return;
    const names = ["date", "time"].includes(name) ? ["date", "time"] : [name];
    const before = { ...this.#shown };
    for (const one of names) this.#shown[one] = this.#fields[one].value;
    if (Object.keys(set).length > 0 && !this.#page.do({ kind: "update", task: this.#id, set })) {
      this.#shown = before; // it stays typed
      return;
    }
    if (drafted.includes(name)) forgetDraft(this.#list, "detail");
    if (this.isOpen && this.#task) this.#refresh(false);
  }

  /** The change of the task by a field; null if it can't be made: a note says why. */
  #changeOf(name, typed) {
    const { data, title } = this.#task;
    const complain = (why) => this.#page.notify(why);
    const text = typed.trim();
    switch (name) {
      case "title":
        if (text === title || text === "") return {};
        return fits(text, complain) ? { title: text } : null;
      case "notes":
        return this.#patch("notes", text === "" ? null : typed);
      case "priority":
        return this.#patch(name, Number(text) || null);
      case "url":
        if (text === "" || isLink(text)) return this.#patch(name, text || null);
        if (/^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(text)) return this.#patch(name, `https://${text}`);
        complain(words.pane.notLink);
        return null;
      case "label": {
        const label = text.replace(/[,،]$/, "").trim();
        const labels = [...new Set(valueIn(data, "labels"))];
        if (label === "" || labels.includes(label)) return {};
        if (labels.length < mostLabels) return this.#patch("labels", [...labels, label]);
        complain(words.pane.manyLabels(mostLabels));
        return null;
      }
      default: {
        const { date, time } = this.#fields;
        if (date.validity.badInput || time.validity.badInput) return null;
        return this.#patch(
          "due",
          dueFrom(date.value, time.value, valueIn(data, "due"), new Date()),
        );
      }
    }
  }

  #patch(name, value) {
    const patch = { [name]: value };
    if (!isTooLarge(this.#task.data, patch)) return { data: patch };
    this.#page.notify(words.pane.tooLarge);
    return null;
  }

  #setLabels(labels) {
    const data = { labels: labels.length > 0 ? labels : null };
    this.#page.do({ kind: "update", task: this.#id, set: { data } });
  }

  #key(key, target) {
    if (key === "Escape") this.close();
    else if (key === "Control+Enter" || (key === "Enter" && target.matches("input, [name=title]")))
      this.#save(target.name);
    else return false;
    return true;
  }
}
