// The JavaScript client of reorderd: lists that show a change at once, keep it while there is no network, and follow the changes of
// others. See docs/clients/javascript.md.
import { hasArray } from "./answers.js";
import { Emitter } from "./emitter.js";
import { makeID, withName } from "./ids.js";
import { makeJournal } from "./journal.js";
import { AllLists } from "./all-lists.js";
import { AppList } from "./app-list.js";
import { ChangedLists } from "./changed-lists.js";
import { checkedList } from "./forms.js";
import { Folds } from "./folds.js";
import { QuietStreams } from "./quiet-streams.js";
import { Refusal } from "./refusal.js";
import { Problem, Server, Unreachable } from "./server.js";
import { readHistory, undoChange } from "./list-history.js";
import { makeShare, readShares, removeShare } from "./shares.js";
import { makeQueues } from "./shared-queues.js";
import { History } from "./history.js";
import { makeStreams } from "./shared-streams.js";
import { home, windowTexts } from "./storage.js";
import { changeToUndo } from "./undoable-list.js";
import * as wholeLists from "./whole-lists.js";

export { layoutOf } from "./drops.js";
export { mayWrite, writablePatterns } from "./grants.js";
export { makeID } from "./ids.js";
export {
  countDescendants,
  depthOf,
  isInside,
  List,
  placement,
  sectionKey,
  sectionOf,
  subtree,
} from "./list.js";
export { Refusal } from "./refusal.js";
export { RowLayout } from "./row-layout.js";
export { checkMove, isLocked, rootsOf } from "./rules.js";
export { Problem, Unauthorized, Unreachable } from "./server.js";
export { operationsOf, perform, takeBack } from "./steps.js";

/** Closed lists that keep what can be undone. */
const mostClosedLists = 100;

/**
 * Connects to a server.
 * @param options see `client.d.ts`
 */
export function connect(options) {
  return new Connection(options);
}

/**
 * Events: `unauthorized` (detail: the token that the server did not accept, and its reason), `refused` (as of a list, and `list`), `storage`
 * (`isKept` has changed), `undo` (`undoNumber` has perhaps changed).
 */
class Connection extends Emitter {
  #server;
  #journal;
  #streams;
  #queues;
  #changedLists;
  #allLists;
  #quietStreams;
  /** The ids of the lists that were opened without a stream of their own. */
  #quiet = new Set();
  #lists = new Map();
  /** The ids of the lists that follow the server also if they do not exist. */
  #followed = new Set();
  /** The idempotency keys of requests without a response, by the ids of the lists that they create. */
  #keys = new Map();
  /** The lists that were deleted here. */
  #deletions;
  #sendsPending = false;
  #foldList;
  #folds = null;

  constructor(options = {}) {
    super();
    const { url, token, storage = "indexeddb", account = "", name = "", clientID, folds } = options;
    const address = (url ?? home).replace(/\/$/, "");
    const tokenOf = typeof token === "function" ? token : () => token;
    this.#server = new Server(address, tokenOf, clientID ?? withName(windowID(), name));
    this.#server.on("unauthorized", (detail) => this.emit("unauthorized", detail));
    const shared = `reorderd ${address} ${account}`;
    this.#journal = makeJournal(storage, shared);
    this.#journal.on("storage", () => this.emit("storage"));
    this.#journal.on("lost", () => {
      for (const list of this.#lists.values()) list.storeSteps();
    });
    this.#journal.on("renewed", () => {
      for (const list of this.#lists.values()) list.storeAgain();
      this.#deletions.storeAgain();
      this.#loadDeletions();
      if (this.#sendsPending) this.sendPending();
    });
    this.#deletions = new History("", this.#server.clientID, this.#journal);
    this.#loadDeletions();
    const shareName = storage === "memory" ? null : shared;
    this.#streams = makeStreams(this.#server, shareName);
    this.#changedLists = new ChangedLists(this.#streams);
    this.#allLists = new AllLists(this.#server, this.#changedLists);
    this.#quietStreams = new QuietStreams(this.#server, this.#changedLists);
    this.#queues = makeQueues(shareName, (message) =>
      this.#lists.get(message.list)?.receive(message),
    );
    if (folds) {
      this.#foldList = this.#known(folds);
      this.#folds = new Folds(this.#foldList);
      this.#foldList.on("state", () => this.#foldList.state === "gone" && this.#makeFoldList());
    }
  }

  get clientID() {
    return this.#server.clientID;
  }

  /** Whether steps that wait are kept on this device. */
  get isKept() {
    return this.#journal.isKept;
  }

  /**
   * Opens a list, and waits until it is loaded.
   * @throws {Refusal | Problem | Unauthorized} if the list does not exist, is closed before it is loaded, or requires another token
   */
  async open(id, options) {
    const known = this.#lists.get(id);
    const [wasOpen, isMissing] = [known?.isOpen, known?.state === "gone"];
    if (!wasOpen) this.#followed.delete(id);
    const list = this.#start(id, options);
    if (!list.tree || isMissing) {
      await new Promise((resolve, reject) => {
        const stops = [list.on("change", () => end(resolve)), list.on("state", () => check())];
        const end = (act, value) => {
          for (const stop of stops) stop();
          act(value);
        };
        const check = () => {
          const refuse = (code, detail) => end(reject, new Refusal(code, detail));
          if (list.state === "gone") refuse("list_not_found", `List "${id}" does not exist.`);
          if (list.state === "locked") end(reject, list.problem);
          const isRefused = list.state === "gone" || list.state === "locked";
          if (isRefused && !wasOpen && !this.#followed.has(id)) list.close();
          if (list.state === "closed") refuse("list_closed", `List "${id}" was closed.`);
        };
      });
    }
    return list;
  }

  /** Opens a list without waiting: its `state` is `loading` until it is loaded. */
  list(id, options) {
    this.#followed.add(id);
    return this.#start(id, options);
  }

  #start(id, { ownStream = true } = {}) {
    this.#foldList?.start();
    const list = this.#known(id);
    if (!list.isOpen) {
      if (ownStream) this.#quiet.delete(id);
      else this.#quiet.add(id);
    }
    list.start();
    return list;
  }

  /** Sends the steps of all lists that earlier windows have not sent. */
  async sendPending() {
    this.#sendsPending = true; // also those that can't be read now
    for (const id of await this.#journal.lists()) this.#known(id).flush();
  }

  /** Sends a request with the connection's token, and returns the JSON response. */
  send(method, path, options) {
    return this.#server.send(method, path, options);
  }

  /** Finds tasks by their titles and their `data` in all lists that the token covers. */
  async search(text, { done, filter = [], order, limit = 50, signal } = {}) {
    const found = [];
    let cursor = null;
    do {
      const query = new URLSearchParams({ limit: Math.min(limit - found.length, 1000) });
      if (typeof text === "string") query.set("q", text);
      if (done !== undefined) query.set("done", done);
      for (const condition of [filter].flat()) query.append("filter", condition);
      if (order) query.set("order", order);
      if (cursor) query.set("cursor", cursor);
      const options = { signal, isDocumented: hasArray("tasks") };
      const page = await this.#server.send("GET", `/tasks?${query}`, options);
      found.push(...page.tasks);
      cursor = page.cursor;
    } while (cursor && found.length < limit);
    return found;
  }

  /** Calls a function with all lists that the token covers, now and after each change; with null if there must be another token. */
  watchLists(listener) {
    return this.#allLists.watch(listener);
  }

  /** All lists that the token covers. */
  lists({ signal } = {}) {
    return this.#allLists.fetch(signal);
  }

  /** What the client may do: the response to `GET /me`. */
  me({ signal } = {}) {
    return this.#server.send("GET", "/me", { signal, isDocumented: hasArray("grants") });
  }

  /** Creates a list. @returns its id */
  async createList({ id = makeID(), ...list } = {}) {
    const checked = checkedList({ id, ...list });
    return this.#create(id, (key) => wholeLists.createList(this.#server, checked, key));
  }

  /** Copies a list, with the steps that were made here. @returns the id of the copy */
  async copyList(list, { id = makeID(), title } = {}) {
    await this.#sendStepsOf(list);
    return this.#create(id, (key) => wholeLists.copyList(this.#server, list, { id, title }, key));
  }

  /** Sends a request that creates a list. If it gets no response, the next one with this id has the same key, and is not applied again. */
  async #create(id, send) {
    const key = this.#keys.get(id) ?? makeID();
    this.#keys.set(id, key);
    try {
      await send(key);
    } catch (error) {
      if (!(error instanceof Unreachable)) this.#keys.delete(id);
      throw error;
    }
    // The same request must create the list again after its deletion.
    this.#keys.delete(id);
    this.#changedLists.changed(id);
    return id;
  }

  /** Deletes a list. The server keeps it in the bin for some time, with the steps that were made here. */
  async deleteList(id, options = {}) {
    await this.#sendStepsOf(id);
    await wholeLists.deleteList(this.#server, id, options);
    await this.#journal.removeDocument(id);
    if (!options.permanent) this.#deletions.push("done", { id: makeID(), list: id });
    this.emit("undo");
    this.#changedLists.changed(id);
  }

  /** The lists in the bin. */
  deletedLists({ signal } = {}) {
    return wholeLists.deletedLists(this.#server, signal);
  }

  /** Restores a list from the bin. @returns `newIds` */
  async restoreList(id) {
    const result = await wholeLists.restoreList(this.#server, id);
    this.#deletions.forget(({ list }) => list === id);
    this.emit("undo");
    this.#changedLists.changed(id);
    return result;
  }

  async #loadDeletions() {
    await this.#deletions.load();
    this.emit("undo");
  }

  get canUndo() {
    return this.#deletions.has("done");
  }
  /** As of a list, and comparable with it. */
  get undoNumber() {
    return this.#deletions.newest("done");
  }

  /** Restores the list that was deleted last in this window. @returns its id; null if there is none */
  async undo() {
    const last = this.#deletions.pop("done");
    if (!last) return null;
    try {
      await this.restoreList(last.entry.list);
    } catch (error) {
      if (error instanceof Unreachable) this.#deletions.putBack("done", last);
      this.emit("undo");
      throw error;
    }
    return last.entry.list;
  }

  /** Sorts a list, after the steps on it that were made here are sent. @returns its version, and whether it changed */
  sort(id, order) {
    return this.#changeOrder(id, "sort", order);
  }

  /** Reverses the order of a list. */
  reverse(id, place = {}) {
    return this.#changeOrder(id, "reverse", place);
  }

  /** Deletes the completed tasks of a list. */
  removeDone(id, place = {}) {
    return this.#changeOrder(id, "remove-done", place);
  }

  /** Moves a section with its tasks to another list, after the steps on both that were made here are sent. */
  async moveSectionToList(id, section, toList, { position } = {}) {
    await this.#sendStepsOf(id);
    await this.#sendStepsOf(toList);
    const list = this.#known(id);
    const there = list.tree?.sections.findIndex((one) => one.id === section);
    await wholeLists.moveSectionToList(this.#server, id, section, toList, { position });
    list.didAtServer({
      section: { id: section, from: toList, to: id, position: there, there: position },
    });
    this.#changedLists.changed(id);
    this.#changedLists.changed(toList);
  }

  async #changeOrder(id, action, body) {
    await this.#sendStepsOf(id);
    const result = await wholeLists.changeOrder(this.#server, id, action, body);
    this.#known(id).didAtServer(changeToUndo(result));
    this.#changedLists.changed(id);
    return result;
  }

  /** A page of the list's history, newest first. */
  history(id, options = {}) {
    return readHistory(this.#server, id, options);
  }

  /** Undoes a change of the history. */
  async undoChange(id, change) {
    const result = await undoChange(this.#server, id, change);
    this.#known(id).didAtServer(changeToUndo(result));
    this.#changedLists.changed(id);
  }

  /** The links to a list. */
  shares(id, options = {}) {
    return readShares(this.#server, id, options);
  }

  /** Makes a link to a list. @returns it, with its token */
  share(id, wish) {
    return makeShare(this.#server, id, wish);
  }

  /** Takes back a link. */
  removeShare(id, share) {
    return removeShare(this.#server, id, share);
  }

  /** Deletes the stored lists and what can be undone. Steps that are not sent yet are kept. */
  forget() {
    for (const list of this.#lists.values()) list.forget();
    return this.#journal.forget();
  }

  /** Connects again at once, for example with a new token. */
  reconnect() {
    for (const list of this.#lists.values()) list.reconnect();
    this.#allLists.reconnect();
    this.#changedLists.reconnect();
  }

  /** @throws {Problem | Unreachable} if they can't be sent now */
  async #sendStepsOf(id) {
    const list = this.#known(id);
    if (!(await list.allSent())) throw list.failure ?? new Unreachable();
  }

  #known(id) {
    const list = this.#lists.get(id) ?? this.#make(id);
    this.#lists.delete(id);
    this.#lists.set(id, list);
    for (const [other, { isOpen, waiting, refusals }] of this.#lists) {
      if (this.#lists.size <= mostClosedLists) break;
      const isNeeded = isOpen || waiting > 0 || refusals.length > 0;
      if (!isNeeded && other !== id) this.#lists.delete(other);
    }
    return list;
  }

  /** Creates the list of folds, unless another window has created it meanwhile. */
  async #makeFoldList() {
    try {
      await this.#server.send("POST", "/lists", {
        body: { id: this.#foldList.id, title: "Folds" },
      });
    } catch (error) {
      if (!(error instanceof Problem && error.code === "id_taken")) return;
    }
    this.#foldList.start();
  }

  #make(id) {
    const parts = [this.#server, this.#journal, this.#streamsOf(id), this.#queues];
    const list = new AppList(this.#folds, id, ...parts);
    list.on("refused", (refused) => this.emit("refused", { list, ...refused }));
    return list;
  }

  async #isMissing(id, signal) {
    try {
      const path = `/lists?ids=${encodeURIComponent(id)}`;
      const options = { signal, isDocumented: hasArray("lists") };
      const { lists } = await this.#server.send("GET", path, options);
      return !lists.some((one) => one.id === id); // a comma separates ids
    } catch (error) {
      if (error instanceof Problem) return true; // it has no valid id, or the token covers no lists
      throw error;
    }
  }

  #streamsOf(id) {
    return {
      follow: async (list, version, signal, ...listeners) => {
        const parts = [list, version, signal, ...listeners];
        if (this.#quiet.has(id)) await this.#quietStreams.follow(...parts);
        if (!signal.aborted) await this.#streams.follow(...parts);
      },
      untilExists: (list, signal) =>
        this.#changedLists.follow(list, signal, () => this.#isMissing(list, signal)),
    };
  }
}

/** The Client-Id of this window. It stays the same when the page is reloaded. */
function windowID() {
  const key = "reorderd client";
  const known = windowTexts.get(key);
  if (known) return known;
  const made = `web-${makeID()}`;
  if (windowTexts.set(key, made)) return made;
  windowTexts.remove(key); // the next connection of this program is another client
  return `js-${makeID()}`;
}
