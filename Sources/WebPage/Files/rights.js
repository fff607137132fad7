// What the token of this browser allows. All parts of the page that change something ask here, and hide what is not allowed.
import { access, currentLink, currentToken } from "./access.js";
import { Problem, Unreachable, makeID, mayWrite, writablePatterns } from "./client.js";
import { connection } from "./connection.js";
import { sharedTexts, windowTexts } from "./storage.js";
import { storeValue, storedValue } from "./stored-values.js";

/** This browser stores the last response, so that the page also knows it without a network. */
const key = "reorderd me";
const none = { grants: [] };
/** The end of an author who used a link. No other author's name has it. */
const linkMark = " (link)";
const storage = () => (currentLink() === null ? sharedTexts : windowTexts);

/** Event: `changed`. */
class Rights extends EventTarget {
  /** The response of the server. Before it, nothing may be changed. */
  #me = storedValue(storage(), key, none);

  constructor() {
    super();
    access.addEventListener("changed", () => {
      this.#set(none);
      this.refresh();
    });
    connection.on("refused", ({ code }) => code === "forbidden" && this.refresh());
    this.refresh();
  }

  mayWrite(list) {
    return mayWrite(this.#me, list);
  }

  /** The list of the link that this window uses; null without one. */
  get guestList() {
    return this.#me.link ?? null;
  }

  /** Who made the link; null if that is unknown. */
  get linkMaker() {
    return this.#me.createdBy ?? null;
  }

  /** Whether the server knows who its clients are. */
  get isNamed() {
    return (this.#me.name ?? null) !== null;
  }

  /**
   * The name of the person who made a change or drags; null if it is unknown. The name that a client gives itself counts only if the
   * server does not know who its clients are, or knows only the link.
   */
  nameOf({ by, name }) {
    if (name && by?.endsWith(linkMark)) return name + linkMark;
    return by ?? (this.isNamed ? null : name);
  }

  /** Whether the list itself may be deleted, and links to it be made. */
  mayOwn(list) {
    return !this.#me.link && this.mayWrite(list);
  }

  /** Whether other people can get a link to a list. A server without tokens has none. */
  mayShare(list) {
    return this.isNamed && this.mayOwn(list);
  }

  /** Whether lists may be deleted and restored. */
  get mayOwnAny() {
    return !this.#me.link && this.mayWriteAny;
  }

  /** Whether any list may be changed. */
  get mayWriteAny() {
    return this.#patterns.length > 0;
  }

  /** The id of a list that may be created; null if none may. */
  newListID() {
    const prefixes = this.#patterns
      .filter((one) => one.endsWith("*"))
      .map((one) => one.slice(0, -1));
    const [prefix] = prefixes.sort((one, other) => one.length - other.length);
    const room = 64 - (prefix?.length ?? 64);
    // The end of an id is random.
    return room < 12 ? null : prefix + makeID().slice(-room);
  }

  /** Asks the server again. */
  async refresh() {
    const token = currentToken();
    let now;
    try {
      now = await connection.me();
    } catch (error) {
      if (error instanceof Unreachable) return; // the last response still counts, also without a valid token
      if (!(error instanceof Problem)) throw error;
      now = none;
    }
    if (token === currentToken()) this.#set(now);
  }

  /** The patterns of the lists that may be changed. */
  get #patterns() {
    return writablePatterns(this.#me);
  }

  #set(now) {
    if (JSON.stringify(now) === JSON.stringify(this.#me)) return;
    this.#me = now;
    storeValue(storage(), key, now === none ? null : now);
    this.dispatchEvent(new Event("changed"));
  }
}

export const rights = new Rights();
