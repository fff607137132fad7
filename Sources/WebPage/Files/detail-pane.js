// The pane with the details of a task: beside the list, or (in a narrow window) a sheet above it. A field is saved when the person leaves
// it.
import {
  element,
  forgetDraft,
  iconButton,
  keepDraft,
  onKey,
  paint,
  prose,
  quoted,
  typedIn,
  whyDeleted,
} from "./app.js";
import { words } from "./later-words.js";
import { changeOf } from "./detail-changes.js";
import { paneElements } from "./detail-fields.js";
import { dayText, dueOf, hasMembers, valueIn } from "./task-data.js";

const dueFields = ["date", "time"];

export class DetailPane {
  #page;
  #dialog;
  #fields;
  #chips;
  #known;
  #foreign;
  #visit;
  /** The id of the task. */
  #id = null;
  #list = null;
  /** What the fields show of the task. Another value in a field was typed. */
  #shown = {};
  /** Whether the person knows that a date or a time is not complete. */
  #isWarned = false;
  #wide = matchMedia("(min-width: 1100px)");

  constructor(page) {
    this.#page = page;
    const { dialog, fields, chips, known, foreign, visit, close } = paneElements();
    this.#dialog = dialog;
    this.#fields = fields;
    this.#chips = chips;
    this.#known = known;
    this.#foreign = foreign;
    this.#visit = visit;
    document.body.append(dialog);
    close.addEventListener("click", () => this.close());
    onKey(dialog, (key, { target }) => this.#key(key, target));
    // A label that is saved when its field is left would replace the button before the click.
    chips.addEventListener("mousedown", (event) => event.preventDefault());
    dialog.addEventListener("input", ({ target }) => this.#typed(target));
    dialog.addEventListener("focusout", ({ target, relatedTarget }) => {
      this.#save(target.name);
      // A note that appears replaces the button of another one, to which the focus was on its way.
      if (relatedTarget?.isConnected === false) document.querySelector(".note button")?.focus();
    });
    dialog.addEventListener("submit", (event) => event.preventDefault());
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
    dialog.addEventListener("click", ({ target }) => target === dialog && this.close());
    this.#fields.priority.addEventListener("change", () => this.#save("priority"));
    // The browser does not say what a part of a date is, so no draft can keep it.
    addEventListener("beforeunload", (event) => {
      if (this.isOpen && this.#incomplete) event.preventDefault();
    });
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

  // MARK: Opening and closing

  /** @param draft what was typed before a reload. If all of it is saved, the pane stays closed */
  open(id, draft) {
    if (this.isOpen) {
      this.follow(id);
      this.#dialog.querySelector("h2").focus();
      return;
    }
    this.#fill(id);
    const labels = valueIn(this.#task.data, "labels") ?? [];
    const isUnsaved = ([name, text]) =>
      name === "label" ? !labels.includes(text) : text !== this.#shown[name];
    const typed = Object.entries(draft?.texts ?? {}).filter(isUnsaved);
    if (draft && typed.length === 0) {
      keepDraft(this.#list, { fields: null });
      return;
    }
    this.#open();
    for (const [name, text] of typed) this.#fields[name].value = text;
    if (draft) this.#fields[draft.name].focus();
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
    this.#isWarned = false;
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
    if (this.#finish()) this.#fill(id);
  }

  /**
   * Saves what was typed, before the fields show something else.
   * @returns whether they may; not while a date or a time is not complete, because nothing can keep it: a note says so
   */
  #finish() {
    for (const name of Object.keys(this.#fields)) this.#save(name);
    if (this.#incomplete) return false;
    const kept = this.#keepUnsaved();
    if (kept) this.#page.notify(kept);
    return true;
  }

  /** The name of a date or a time that was typed and is not complete. */
  get #incomplete() {
    return dueFields.find((name) => this.#isTyped(name) && !this.#fields[name].validity.valid);
  }

  /** Keeps what can't be saved. @returns sentences about it */
  #keepUnsaved() {
    const typed = prose.filter((name) => this.#isTyped(name) && this.#fields[name].value !== "");
    forgetDraft(this.#list, { fields: null });
    const keep = (name) => {
      const text = this.#fields[name].value;
      this.#fields[name].value = this.#shown[name];
      return this.#page.acts.keepText(text);
    };
    return typed.map(keep).join(" ");
  }

  /**
   * Saves what was typed, and gives the focus back to the row. A date that is not complete is dropped at the second time only.
   * @returns whether the pane was open
   */
  close() {
    if (!this.isOpen) return false;
    const { cursor, rows } = this.#page;
    const isFinished = this.#finish();
    if (!isFinished && !this.#isWarned) {
      this.#isWarned = true;
      this.#fields[this.#incomplete].focus();
      return true;
    }
    this.end();
    if (rows.element(this.#id)) cursor.focus(this.#id);
    else cursor.focusAgain();
    return true;
  }

  /** Saves what was typed, and closes the pane. */
  end() {
    if (!this.isOpen) return;
    this.#finish();
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
    const kept = this.#keepUnsaved();
    const isModal = this.#dialog.matches(":modal");
    if (acts.isActing && !isModal && list.tasks.has(cursor.key)) {
      this.#fill(cursor.key);
      return;
    }
    const hadFocus = this.#dialog.contains(document.activeElement);
    this.#dialog.close();
    if (hadFocus) cursor.lose("choosing");
    if (acts.isActing) return; // a note says what the person did
    this.#page.notify(`${whyDeleted(this.#shown.title)} ${kept}`.trim());
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
    this.#isWarned = false;
    keepDraft(this.#list, { fields: this.#draft(name) });
    if (name === "label" && /[,،]$/.test(value)) this.#save(name);
  }

  /** What is typed and not saved; null if nothing is. */
  #draft(name) {
    const fields = Object.entries(this.#fields);
    const typed = fields.filter(([one, { validity }]) => this.#isTyped(one) && !validity.badInput);
    if (typed.length === 0) return null;
    const texts = Object.fromEntries(typed.map(([one, { value }]) => [one, value]));
    return { task: this.#id, texts, name };
  }

  /** Saves a field, if something was typed in it. What can't be saved stays there. */
  #save(name) {
    if (!name || !this.isOpen || !this.#task || !this.#isTyped(name)) return;
    const field = this.#fields[name];
    const complain = (why) => this.#page.notify(why);
    const set = changeOf(name, this.#fields, this.#shown, this.#task, complain);
    field.ariaInvalid = set === null ? "true" : null;
    if (set === null) return;
    const before = { ...this.#shown };
    const saved = dueFields.includes(name) ? dueFields : [name];
    for (const one of saved.filter((part) => this.#fields[part].validity.valid))
      this.#shown[one] = this.#fields[one].value;
    const step = { kind: "update", task: this.#id, set };
    if (Object.keys(set).length > 0 && !this.#page.do(step)) {
      this.#shown = before; // it stays typed, unless the field for new tasks has it now
      if (typedIn(step) !== undefined) field.value = before[name];
      return;
    }
    forgetDraft(this.#list, { fields: this.#draft(name) });
    if (this.isOpen && this.#task) this.#refresh(false);
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
