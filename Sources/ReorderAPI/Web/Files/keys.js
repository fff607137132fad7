// The list by keyboard: arrows go from row to row, Space lifts and drops.
import { reason } from "./steps.js";

export class Keys {
  #page;
  #lift = null;
  #place = null;

  constructor(page, canvas) {
    this.#page = page;
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("focusout", (event) => {
      if (this.#lift && !canvas.contains(event.relatedTarget)) this.cancel();
    });
  }

  get lift() { return this.#lift; }

  /** The rows with the lifted ones where they would land. */
  arrange() {
    const { rest, visibleBlock, start } = this.#lift;
    const { index, depth } = this.#place;
    const head = visibleBlock.find((row) => row.key === this.#lift.head) ?? visibleBlock[0];
    const isPile = this.#lift.roots.length > 1;
    const shift = depth - head.depth;
    const block = visibleBlock.map((row) => ({ ...row, depth: isPile ? depth : row.depth + shift }));
    return [...rest.slice(0, index), ...block, ...rest.slice(index)];
  }

  relift(make) {
    if (!this.#lift) return;
    const lift = make(this.#lift);
    if (!lift) {
      this.cancel("The row was deleted elsewhere.");
      return;
    }
    lift.wantedDepth = this.#lift.wantedDepth;
    this.#lift = lift;
    this.#place = lift.place(Math.min(this.#place.index, lift.rest.length), this.#place.depth);
  }

  cancel(why) {
    if (!this.#lift) return;
    const lift = this.#lift;
    this.#lift = null;
    this.#page.liftEnded(lift);
    this.#page.tell(why ?? "Move cancelled.", { isQuiet: !why });
    this.#page.arrange();
    this.#page.focus(lift.head);
  }

  #key(event) {
    const row = event.target.closest("[data-key]");
    if (!row || event.isComposing || event.target.matches("textarea, input")) return;
    const isOnRow = event.target === row || event.target.matches("[data-handle]");
    const handled = this.#lift ? this.#keyLifted(event) : isOnRow && this.#keyOnRow(event, row.dataset.key);
    if (handled) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #keyLifted(event) {
    switch (event.key) {
      case "ArrowDown": return this.#step(1);
      case "ArrowUp": return this.#step(-1);
      case "ArrowRight": return this.#nest(1);
      case "ArrowLeft": return this.#nest(-1);
      case " ":
      case "Enter": return this.#drop();
      case "Escape": this.cancel(); return true;
      case "Tab": this.cancel(); return false;
      default: return true;
    }
  }

  #keyOnRow(event, key) {
    const page = this.#page;
    if (event.altKey) return false;
    const isCommand = event.ctrlKey || event.metaKey;
    switch (event.key) {
      case "ArrowDown": return page.go(key, 1, event.shiftKey);
      case "ArrowUp": return page.go(key, -1, event.shiftKey);
      case "PageDown": return page.go(key, 10);
      case "PageUp": return page.go(key, -10);
      case "Home": return page.go(key, -Infinity);
      case "End": return page.go(key, Infinity);
      case "ArrowRight": return page.open(key);
      case "ArrowLeft": return page.close(key);
      case " ":
        if (!isCommand) return this.#begin(key);
        page.toggleSelected(key);
        return true;
      case "Enter":
      case "F2": page.rename(key); return true;
      case "Delete":
      case "Backspace": page.delete(key); return true;
      case "Escape": return page.clearSelection();
      default: return false;
    }
  }

  #begin(key) {
    const lift = this.#page.makeLift(key);
    if (!lift) return false;
    if (lift.refusal) {
      this.#page.tell(reason(lift.refusal));
      return true;
    }
    this.#lift = lift;
    this.#place = lift.place(lift.start.index, lift.start.depth);
    this.#page.liftStarted(lift);
    this.#page.focus(key);
    this.#show("Lifted. Arrow keys move it, Space drops it, Escape cancels. ");
    return true;
  }

  /** To the next place where it may stand. */
  #step(direction) {
    const { rest } = this.#lift;
    const end = direction > 0 ? rest.length : 0;
    for (let index = this.#place.index; index !== end;) {
      index += direction;
      const place = this.#lift.place(index, this.#lift.wantedDepth ?? this.#lift.start.depth);
      if (!place.code) return this.#go(place);
    }
    this.#page.tell(direction > 0 ? "Can’t go further down." : "Can’t go further up.", { isQuiet: true });
    return true;
  }

  #nest(direction) {
    const depth = this.#place.depth + direction;
    const place = this.#lift.placeAtDepth(this.#place.index, depth);
    if (place) {
      this.#lift.wantedDepth = depth;
      return this.#go(place);
    }
    this.#page.tell(direction > 0 ? "Can’t go deeper here." : "Can’t go further out here.", { isQuiet: true });
    return true;
  }

  #go(place) {
    this.#place = place;
    this.#page.hovered(place);
    this.#show("");
    return true;
  }

  #show(prefix) {
    this.#page.arrange();
    this.#page.rows.reveal(this.#lift.head);
    this.#page.tell(`${prefix}${this.#lift.describe(this.#place)}.`, { isQuiet: true });
  }

  #drop() {
    const [lift, place] = [this.#lift, this.#place];
    if (place.code) {
      this.cancel(reason(place.code));
      return true;
    }
    this.#lift = null;
    this.#page.dropped(lift, place);
    this.#page.arrange();
    this.#page.focus(lift.head);
    return true;
  }
}
