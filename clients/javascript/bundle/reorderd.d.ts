// The JavaScript client of reorderd 1.0.0-rc.1. MIT license.
// The types of an open list: its rows, and the steps that change it.

/**
 * - `loading`: not connected yet
 * - `live`: changes of others arrive at once
 * - `offline`: the server is unreachable
 * - `locked`: the server requires another token. What waits is kept
 * - `gone`: the list does not exist. If it is created or restored, it loads by itself, and what waits is sent
 * - `closed`: `close` was called
 */
export type State = "loading" | "live" | "offline" | "locked" | "gone" | "closed";

export interface List<TaskData = unknown, SectionData = unknown> {
  readonly id: string;
  readonly state: State;
  /** The version of the server's list that this list is based on. */
  readonly version: number;
  /** The number of steps without a response, of all windows of the browser that show the list. */
  readonly waiting: number;
  /** These steps, in the order in which they were made. */
  readonly waitingSteps: readonly { id: string; kind: string }[];
  /**
   * The steps that the server refused, the oldest first, until `acknowledge`: also those of other windows, and from before a reload. The newest
   * 100 are stored. The event `state` says that they have changed.
   */
  readonly refusals: readonly RefusedEvent[];
  /** Whether the last attempt of this window to send steps got no response. */
  readonly isFailing: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** The number of what `undo` takes back next, as `Connection.undoNumber`. */
  readonly undoNumber: number;
  /** The visible tasks. The array and its rows never change; a row that did not change is the same object in the next array. */
  readonly rows: readonly Row<TaskData>[];
  readonly sections: Section<SectionData>[];
  /** Empty until the list is loaded. */
  readonly title: string;
  /** `null` until the list is loaded. `set` changes them. */
  readonly settings: Settings | null;
  /**
   * Where these tasks can be dropped, for a line that shows it. `shown` as in a drop. Throws a `Refusal` if a task does not exist, or if these
   * are not rows of the list in their order.
   */
  layout(tasks: string | readonly string[], shown?: readonly Row[]): RowLayout<TaskData>;
  /** The drags of other people. */
  readonly drags: { readonly others: OtherDrag[] };

  /** Calls the listener now (if the list is loaded) and after each change. Returns a function that ends this. */
  subscribe(listener: (change: Change<TaskData, SectionData>) => void): () => void;
  on(event: "change" | "state" | "drags", listener: () => void): () => void;
  /** A step broke a rule, or the server refused it: it was taken back. A step on a list that does not exist has the code `list_not_found`. */
  on(event: "refused", listener: (event: RefusedEvent) => void): () => void;

  // Each of these methods shows its result at once, and sends it later. It returns whether the rules allow it (`create` and
  // `createSection`: the new id, or null). If not, nothing changes, and `refused` has the reason.

  /** The end of a drag: tasks were dropped between rows. */
  drop(drop: Drop): boolean;
  move(tasks: string | readonly string[], to: Destination): boolean;
  /**
   * Moves tasks to another list: to a place in it, or after its tasks without a section. Pass the list itself to name a place between its
   * rows. The server does it, so this is not possible without a network. Returns whether the tasks were moved; if not, `refused` has the
   * reason.
   */
  moveToList(tasks: string | readonly string[], list: string, to?: Destination): Promise<boolean>;
  moveToList(tasks: string | readonly string[], list: List, to?: Destination | ShownPlace): Promise<boolean>;

  // A drag that others see, while it lasts. It changes nothing. It ends with a `drop`, with a `move` or `moveToList` of the same tasks,
  // and when the list is not `live` any more.

  /** A drag begins. Without a connection, and if a task does not exist, others do not see it. */
  lift(tasks: string | readonly string[]): void;
  /**
   * The dragged tasks would be dropped here. Call it as often as you like: the last place is sent, at most 20 times in a second. A
   * place that is not possible changes nothing.
   */
  hover(place: Destination | ShownPlace): void;
  /** The same with a place in another list. Pass the list itself to name a place between its rows. */
  hover(place: Destination, list: string): void;
  hover(place: Destination | ShownPlace, list: List): void;
  /** The drag has ended without a drop. After a drop, this does nothing. */
  cancelDrag(): void;

  create(task: NewTask<TaskData>, to?: Destination): string | null;
  update(task: string, set: TaskUpdate<TaskData>): boolean;
  /** Hides or shows the subtasks of a task. */
  collapse(task: string, collapsed?: boolean): boolean;
  delete(tasks: string | readonly string[]): boolean;
  createSection(title: string, position?: number, data?: SectionData): string | null;
  renameSection(section: string, title: string): boolean;
  /** `maxTasks`: null removes the section's own limit. */
  updateSection(
    section: string,
    set: { title?: string; data?: DataPatch<SectionData>; maxTasks?: number | null },
  ): boolean;
  moveSection(section: string, position: number): boolean;
  /** Deletes a section. Its tasks stay, without a section. */
  deleteSection(section: string): boolean;
  /** `data` is a patch, see `DataPatch`. */
  set(settings: Partial<Settings>): boolean;

  /**
   * Undoes what was done last in this window, also after a reload. Returns whether there is something. A move to another list, `sort`, `reverse`,
   * `removeDone`, `moveSectionToList` and `undoChange` are undone by the server. If it refuses, `refused` has the reason; if it can't be
   * reached, they can be undone later.
   */
  undo(): boolean;
  redo(): boolean;

  /** Sends the waiting steps now, and waits until they have their responses or the attempt has failed. */
  flush(): Promise<void>;
  /** Discards steps that wait, for example on a list that is `gone`. Nothing else discards them. Default: all of `waitingSteps`. */
  discardWaiting(steps?: readonly { id: string }[]): Promise<void>;
  /** Forgets refusals that the person has seen, in all windows. Default: all. */
  acknowledge(refusals?: readonly RefusedEvent[]): void;
  /** Stops listening. Waiting steps are still sent. `Connection.open` opens the list again. */
  close(): void;
}

export interface Change<TaskData = unknown, SectionData = unknown> {
  rows: readonly Row<TaskData>[];
  /** What leads from the previous rows to these; null at the first call. */
  delta: Delta | null;
  sections: Section<SectionData>[];
  settings: Settings;
  /** When the list was created and last changed, in RFC 3339 format. Absent if unknown. */
  times: { createdAt?: string; updatedAt?: string };
}

export interface Row<TaskData = unknown> {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly locked: boolean;
  /** Whether the setting `elementsOffset` locks the row. */
  readonly lockedByOffset: boolean;
  readonly collapsed: boolean;
  readonly data?: TaskData;
  /** When the server created the task and last changed it, in RFC 3339 format. Absent if unknown. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** When the task was done. Absent if it is not done, or if the server has not confirmed it yet. */
  readonly completedAt?: string;
  /** Who created the task, last changed it and completed it (`author` of `me`). Absent if unknown or not confirmed yet. */
  readonly createdBy?: string;
  readonly updatedBy?: string;
  readonly completedBy?: string;
  readonly section: string | null;
  readonly parent: string | null;
  /** The index among the siblings. */
  readonly position: number;
  readonly depth: number;
  /** The number of subtasks, without their subtasks. */
  readonly subtasks: number;
}

export interface Delta {
  /** Indices in the previous rows, in descending order. */
  removed: number[];
  /** Indices in the new rows, in ascending order. */
  inserted: number[];
  /** `from` is an index in the previous rows, `to` one in the new rows. */
  moved: { from: number; to: number }[];
  /** Indices in the new rows of rows whose values changed. */
  changed: number[];
}

export interface Section<SectionData = unknown> {
  id: string;
  title: string;
  data?: SectionData;
  /** The most top-level tasks; undefined: `maxTasksPerSection` of the list counts. */
  maxTasks?: number;
}

export interface Settings {
  title: string;
  /** The number of top-level tasks at the start that are locked. */
  elementsOffset: number;
  collapseSubElements: boolean;
  moves: "anywhere" | "siblings";
  /** The most levels of tasks, from 1 to 16; null: 16. */
  maxDepth: number | null;
  /** The most top-level tasks of a section; null: no limit. Tasks without a section are not limited. */
  maxTasksPerSection: number | null;
  /** The most direct subtasks of a task; null: no limit. */
  tasksPerParent: number | null;
  /** Any JSON of the app; null if there is none. A change is merged with it (RFC 7396). */
  data: unknown;
}

/** The tasks that are dropped: by their ids, or by their rows. Named by rows, they have the order of the rows. */
export type DropSubject =
  | { task: string }
  | { tasks: readonly string[] }
  | { row: number }
  | { rows: readonly number[] };

/**
 * A place between the rows. The moved rows and their visible subtasks are taken out; the rest has gaps. Numbers that are too large mean
 * the end.
 *
 * - `toRow`: the row that the first task has afterwards. At the border of two sections it stays with the row that it passes: the one
 *   above if it moves down, the one below if it moves up. `section` chooses another one.
 * - `to`: the same as an index path: the section, and the row in it.
 * - `toOffset`: the number of rows above the gap, counted with the moved rows. With `section`, only the rows of the section count.
 *
 * `level` is the depth of the tasks afterwards. Default: the lowest of their depths, or the nearest that is possible there.
 */
export type RowPlace = (
  | { toRow: number; section?: string | null }
  | { to: { section: string | null; row: number } }
  | { toOffset: number; section?: string | null }
) & { level?: number };

export type ShownPlace = RowPlace & {
  /** The rows that the person saw: the value of `rows` at that time, or some of these rows. Rows are counted in them. Default: the present rows. */
  shown?: readonly Row[];
};

export type Drop = DropSubject & ShownPlace;

/** A place between two rows of a section, or at one of its ends. */
export interface Gap {
  /** `null`: the tasks without a section. */
  section: string | null;
  /** The row that the first moved task has there, in the whole list. */
  row: number;
}

/** The visible rows without the moved ones, and the gaps between them. A `Gap` is a place for `drop`: `{ toRow: row, section }`. */
export class RowLayout<TaskData = unknown> {
  private constructor();
  /** The rows that stay, from top to bottom. */
  readonly rest: readonly Row<TaskData>[];
  /** All gaps, from top to bottom. */
  readonly gaps: Gap[];
  /** The gap of a place. Throws a `Refusal` if there is none. */
  gap(place: RowPlace): Gap;
  /** The levels at which the tasks can be dropped in a gap; null if there are none. Locked rows do not count. */
  levels(gap: Gap): { lowest: number; highest: number } | null;
  /** The place for `move`. Throws a `Refusal` if the rows beside the gap do not allow the level. */
  destination(gap: Gap, level?: number): Destination;
}

/** The first member that names something that exists decides, in this order. */
export interface Destination {
  /** `null`: there is no neighbor on this side. */
  after?: string | null;
  before?: string | null;
  parent?: string | null;
  section?: string | null;
  /** The index among the siblings, not counting the moved tasks. Default: the end. */
  position?: number;
}

export interface NewTask<TaskData = unknown> {
  id?: string;
  title: string;
  done?: boolean;
  locked?: boolean;
  collapsed?: boolean;
  data?: TaskData;
}

export interface TaskUpdate<TaskData = unknown> {
  title?: string;
  done?: boolean;
  locked?: boolean;
  data?: DataPatch<TaskData>;
}

/**
 * A change of data: members are added, changed and, if they are null, removed. `null` removes all data. Anything that is not an
 * object, such as an array, replaces the former value.
 */
export type DataPatch<Data> =
  | null
  | (Data extends readonly unknown[]
      ? Data
      : Data extends object
        ? { [Name in keyof Data]?: DataPatch<Data[Name]> }
        : Data);

export interface RefusedEvent {
  /**
   * The reason: a `code` of openapi.yaml, such as `invalid_body` for a value of a wrong type or size, `undo_conflict` if others have changed what
   * `undo` would restore, or `unreachable` if the step needs the server.
   */
  code: string;
  /** The reason as a sentence. */
  detail: string;
  /** The tasks that the step named. */
  tasks: string[];
  step: { id: string; kind: string };
}

export interface OtherDrag {
  drag: string;
  tasks: string[];
  /** The author, as in changes: the name of the token, or the subject of a signed token. Null if the server does not know it. */
  by: string | null;
  /** The `Client-Id` of the other client, which it chooses. */
  client: string | null;
  /** The name in the `Client-Id`: of a client with the option `name`. It proves nothing: prefer `by`. */
  name: string | null;
  /** Where the first task would be after a drop; null if it cannot be dropped there. */
  over: { list?: string; section: string | null; parent: string | null; position: number; row: number | null } | null;
}

export interface ConnectOptions {
  /** The server's address, such as "https://lists.example". Default: the server that this module was loaded from. */
  url?: string;
  /** The token, or a function that returns it or a promise of it. The function is called for each request. */
  token?: string | null | (() => string | null | undefined | Promise<string | null | undefined>);
  /** Where steps are kept until the server has confirmed them. `memory` loses them when the window is closed. Default: `indexeddb`. */
  storage?: "indexeddb" | "memory";
  /** Separates the stored steps of the persons who use one browser. */
  account?: string;
  /** The person's name, which others see during a drag. It becomes a part of the `Client-Id`; a long name is cut. */
  name?: string;
  /** The `Client-Id` of this window. Default: a random one, which a reload keeps. */
  clientID?: string;
  /**
   * The id of a list of folds, such as "folds-alice": `collapse` folds tasks only for the person to whom it belongs. The client
   * creates the list if it does not exist. Default: tasks are folded for everyone.
   */
  folds?: string;
}

export function connect(options?: ConnectOptions): Connection;

export interface Connection {
  readonly clientID: string;
  /** Whether steps that wait are kept on this device. False with `storage: "memory"`, and while the browser stores nothing. */
  readonly isKept: boolean;
  /**
   * Opens a list, and waits until it is loaded. Throws a `Refusal` if it does not exist (`list_not_found`), or is closed meanwhile
   * (`list_closed`); `Unauthorized` or a `Problem` if the server requires another token for it. `TaskData` and `SectionData` are the types of `data`: the client does not check them.
   */
  open<TaskData = unknown, SectionData = unknown>(
    id: string,
    options?: OpenOptions,
  ): Promise<List<TaskData, SectionData>>;
  /** Opens a list without waiting. Its `state` is `loading` until it is loaded. */
  list<TaskData = unknown, SectionData = unknown>(id: string, options?: OpenOptions): List<TaskData, SectionData>;
  /** Sends the steps on other lists that earlier windows have not sent. Call it once when the app starts. */
  sendPending(): Promise<void>;
  /**
   * Finds tasks whose titles contain a text, in all lists that the token covers. Upper and lower case are equal. Needs the
   * network. Throws a `Problem` or `Unreachable`.
   */
  search<TaskData = unknown>(text: string | null, options?: SearchOptions): Promise<FoundTask<TaskData>[]>;
  /**
   * Calls the listener with all lists that the token covers (the first 10,000, by their ids), as soon as they are known and after each
   * change by anyone; with `null` if the server requires another token. Returns a function that ends this. If the windows of the
   * browser cannot share an event stream, changes arrive after up to 15 seconds.
   */
  watchLists(listener: (lists: readonly ListSummary[] | null) => void): () => void;
  /** Requests all lists that the token covers: the first 10,000, by their ids. Throws a `Problem` or `Unreachable`. */
  lists(options?: { signal?: AbortSignal }): Promise<ListSummary[]>;
  /** What the token allows, and until when. An app can hide what the server would refuse. Throws a `Problem` or `Unreachable`. */
  me(options?: { signal?: AbortSignal }): Promise<Me>;

  // The server does what these methods say, so they need the network: without it, nothing changes, and they throw `Unreachable`. They
  // throw a `Problem` if the server refuses it.

  /**
   * Creates a list, and returns its id. The code `id_taken` means that the id is in use. To repeat a creation after `Unreachable`, pass
   * the same list with the same `id` again: it is created once. `copyList` does the same.
   */
  createList<TaskData = unknown, SectionData = unknown>(list?: NewList<TaskData, SectionData>): Promise<string>;
  /**
   * Copies a list, after the steps on it that were made here are sent. The tasks get new ids. Returns the id of the copy. Default: a
   * new id, and the same title.
   */
  copyList(id: string, options?: { id?: string; title?: string }): Promise<string>;
  /**
   * Deletes a list, after the steps on it that were made here are sent. The server keeps it for some time (by default 30 days), unless
   * it is deleted permanently, which needs a token with the scope `purge`.
   */
  deleteList(id: string, options?: { permanent?: boolean }): Promise<void>;
  /** The deleted lists that can be restored. The token needs the scope `write`. */
  deletedLists(options?: { signal?: AbortSignal }): Promise<DeletedList[]>;
  /**
   * Restores a deleted list with its tasks. If it is still open, it loads again. The tasks have their ids, except those whose ids other lists use
   * now: `newIds` has the new ids of these tasks, by the former ones.
   */
  restoreList(id: string): Promise<{ newIds: Record<string, string> }>;
  /** Restores the list that was deleted last in this window, also after a reload. Returns its id; null if there is none. */
  undo(): Promise<string | null>;
  readonly canUndo: boolean;
  /**
   * The number of what `undo` takes back next; 0 if there is nothing. All such numbers grow, also those of lists (`List.undoNumber`): what has
   * the largest one was done last in this window.
   */
  readonly undoNumber: number;

  /**
   * Moves a section with its tasks to another list: by default as its last section. The server does it, after the steps on both lists that were
   * made here are sent. `undo` of the first list moves it back.
   */
  moveSectionToList(id: string, section: string, toList: string, options?: { position?: number }): Promise<void>;

  /**
   * Sorts a list, as one change that `undo` of the list takes back. Locked rows keep their places. Like the next two, it is done by the server, after
   * the steps on the list that were made here are sent.
   */
  sort(id: string, order: Sorting): Promise<OrderResult>;
  /** Reverses the order of the tasks. */
  reverse(id: string, place?: OrderedPlace): Promise<OrderResult>;
  /** Deletes the tasks that are done and whose subtasks are all done. */
  removeDone(id: string, place?: Omit<OrderedPlace, "recursive">): Promise<OrderResult>;

  /**
   * The changes of a list, newest first, with the titles that the tasks had then: by default 50, at most 100. Pass the `before` of a
   * page to get the next one.
   */
  history(id: string, options?: { before?: string; limit?: number; signal?: AbortSignal }): Promise<HistoryPage>;
  /** Undoes a change of the history, also of another client. `undo` of the list takes that back. Throws a `Problem` with the code `undo_conflict` if later changes prevent it. */
  undoChange(id: string, change: { version: number; epoch?: string }): Promise<void>;

  /** The links to a list that have not expired. The token needs the scope `write` for it, and must not be a link itself; so for the next two. */
  shares(id: string, options?: { signal?: AbortSignal }): Promise<Share[]>;
  /** Makes a link with which other people read the list, or change what is in it. Only this response has the link's token. */
  share(id: string, wish: ShareWish): Promise<NewShare>;
  /** Takes back a link. Throws a `Problem` with the code `share_not_found` if it does not exist any more. */
  removeShare(id: string, share: string): Promise<void>;

  /** Deletes the stored lists and what can be undone, for example after a logout. Steps that are not sent yet are kept. */
  forget(): Promise<void>;
  /** Connects again at once. Call it when there is another token. */
  reconnect(): void;
  /** Sends a request, and returns the JSON response. Throws a `Problem` or `Unreachable`. */
  send(method: string, path: string, options?: RequestOptions): Promise<unknown>;
  /** The server did not accept the token, or it does not cover a list. Steps are kept until `reconnect`. */
  on(event: "unauthorized", listener: (event: { token: string | null; detail?: string }) => void): () => void;
  /** A step of any list was refused, also of a list that is not open. */
  on(event: "refused", listener: (event: RefusedEvent & { list: List }) => void): () => void;
  /** `isKept` has changed; `canUndo` or `undoNumber` has perhaps changed. */
  on(event: "storage" | "undo", listener: () => void): () => void;
}

export interface OpenOptions {
  /**
   * `false`: the list has no event stream of its own. All such lists of all windows follow one stream, without the drags of others, so
   * many of them can be open. It is ignored while the list is open, and where windows cannot share a stream. Default: `true`.
   */
  ownStream?: boolean;
}

/** A list as the server returns it in the index of lists. */
export interface ListSummary {
  id: string;
  title: string;
  /** The number of tasks. */
  count: number;
  /** The number of top-level tasks that are not done; null until the next change of a list that an older server has stored. */
  open: number | null;
  version: number;
}

/** What the client may do. */
export interface Me {
  /** The token's name; null if the server has no tokens. */
  name: string | null;
  /** The author of the client's changes, as in `createdBy` and `updatedBy` of rows; null if it has no name. */
  author: string | null;
  /** The client may do what at least one of them allows. */
  grants: Grant[];
  /** The list, if the token is a link to it; null otherwise. */
  link: string | null;
  /** Who made the token over HTTP: whom to ask for another one; null if that is unknown. */
  createdBy: string | null;
  /** Until when the server accepts the token, in RFC 3339 format; null if it does not expire. */
  expiresAt: string | null;
}

/** Which tasks are ordered: by default, the top level of each section. */
export interface OrderedPlace {
  /** Only the tasks of this section; null: those without a section. */
  section?: string | null;
  /** Only the subtasks of this task. */
  parent?: string;
  /** Also the levels below. */
  recursive?: boolean;
}

export interface Sorting extends OrderedPlace {
  /** `title`, `done` (open tasks come first), `createdAt`, `completedAt`, or a member of the data such as `data.due`. */
  by: string;
  descending?: boolean;
  /** The language whose rules order titles, such as `de`. Default: `en`. */
  locale?: string;
}

export interface OrderResult {
  /** The list's version. */
  version: number;
  /** The epoch of the version; absent if the browser hides it from pages of other origins. */
  epoch?: string;
  /** Whether it has changed. */
  changed: boolean;
}

/** A link to a list. */
export interface Share {
  id: string;
  /** The author of the changes that are made with the link. It ends in ` (link)`. */
  name: string;
  scope: "read" | "write";
  /** Whether the link shows all changes of the list, or only those after it was made. */
  history: "new" | "all";
  /** In RFC 3339 format. */
  createdAt: string;
  /** Who made the link; null if that client has no name. */
  createdBy: string | null;
  expiresAt: string;
}

export interface NewShare extends Share {
  /** The token, for apps. */
  token: string;
  /** The path and the fragment of the server's web page that open the list. */
  path: string;
}

export interface ShareWish {
  scope: "read" | "write";
  /** For whom the link is, at most 50 bytes. Default: `Guest`. */
  name?: string;
  /** Until when, at most 366 days from now. Default: 30 days. */
  expiresAt?: Date | string;
  /** `all`: the link also shows the changes from before it was made. Default: `new`. */
  history?: "new" | "all";
}

/** Whether a list may be changed. */
export function mayWrite(me: Pick<Me, "grants">, list: string): boolean;
/** The lists that may be changed: ids, or the beginning of ids followed by `*`. */
export function writablePatterns(me: Pick<Me, "grants">): string[];

/** A scope, and the lists that it covers. */
export interface Grant {
  /** `read`, `write`, `purge` or `admin`: each includes those before it. `metrics` allows nothing with lists. There can be further scopes. */
  scope: string;
  /** Ids of lists; or the beginning of ids, followed by `*`. */
  lists: string[];
}

/** A part of a list's history, newest first. */
export interface HistoryPage {
  /** The list's version. */
  version: number;
  changes: PastChange[];
  /** Pass it to `history` for the next page; null if no earlier change is stored. */
  before: string | null;
}

/** A change of a list in a form for people. */
export interface PastChange {
  version: number;
  epoch: string;
  /** In RFC 3339 format. */
  at: string;
  /** The author of the change, as in the rows. */
  by?: string;
  /** The `clientID` of the client, and the name in it; null without a name. */
  client?: string;
  name: string | null;
  /** Present if the change created or deleted the list. */
  kind?: "created" | "deleted";
  /** The other list, if tasks moved between lists and the client may read it. */
  toList?: string;
  fromList?: string;
  /** The effects of the first ten operations. */
  steps: ChangeStep[];
  /** The number of all operations. */
  stepCount: number;
  /** Whether `undoChange` is possible, unless later changes prevent it. */
  mayUndo: boolean;
}

/** The effect of an operation, with the titles of that time. Members are absent if they are not known, or do not belong to the operation. */
export interface ChangeStep {
  op: string;
  task?: string;
  section?: string;
  /** The title of the task, section or list after the change; before it, if it was deleted. */
  title?: string;
  /** The title before the change, if it changed. */
  oldTitle?: string;
  /** New values. */
  done?: boolean;
  locked?: boolean;
  collapsed?: boolean;
  /** Whether the data, or settings of the list, changed. */
  data?: boolean;
  settings?: boolean;
  /** The task's place before and after the change. */
  from?: TitledPlace;
  to?: TitledPlace;
}

export interface TitledPlace {
  section?: string;
  parent?: string;
  /** The sibling directly above. */
  below?: string;
}

/** A list in the bin. */
export interface DeletedList extends Omit<ListSummary, "open"> {
  /** When the list was deleted, and until when it can be restored, in RFC 3339 format. */
  deletedAt: string;
  expiresAt: string;
}

/** A new list: its settings, and what it contains. */
export interface NewList<TaskData = unknown, SectionData = unknown> extends Partial<Settings> {
  /** Default: a new id. Name it to repeat a request without a response. */
  id?: string;
  sections?: Section<SectionData>[];
  /** The tasks in order, each parent before its subtasks. */
  tasks?: (NewTask<TaskData> & { section?: string | null; parent?: string | null })[];
}

export interface SearchOptions {
  /** Finds only tasks that are done (true) or not done (false). Default: both. */
  done?: boolean;
  /** Finds only tasks for whose `data` these conditions are true, such as `data.due<2026-12-01` or `data.label=red`. */
  filter?: string | readonly string[];
  /** Returns the tasks in the order of a value of their `data`, such as `data.due`, or `-data.due` for descending values. */
  order?: string;
  /** The maximum number of tasks, at least 1. Default: 50. */
  limit?: number;
  signal?: AbortSignal;
}

/** A task as the server returns it. */
export interface FoundTask<TaskData = unknown> {
  /** The id of the list that contains the task. */
  list: string;
  id: string;
  title: string;
  section: string | null;
  parent: string | null;
  done: boolean;
  data?: TaskData;
}

export interface RequestOptions {
  body?: unknown;
  /** The request's `Idempotency-Key`. */
  key?: string;
  signal?: AbortSignal;
}

// Each error has a `code`, and `detail`: the reason as a sentence.

/** A refusal by the rules, which the client checks as the server does. */
export class Refusal extends Error {
  code: string;
  detail: string;
}
/** A refusal of the server. */
export class Problem extends Error {
  status: number;
  code: string;
  detail: string;
}
/** The server did not respond, something else responded in its place, or it asks for a later retry. The code is `unreachable`. */
export class Unreachable extends Error {
  code: string;
  detail: string;
  retryAfterSeconds?: number;
}
/** The server requires another token. The code is `unauthorized`. */
export class Unauthorized extends Unreachable {}

/** A UUID of version 7. */
export function makeID(): string;
