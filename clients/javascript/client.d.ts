// The types of the JavaScript client of reorderd. docs/clients/javascript.md explains its use.

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
  /** Opens a list, and waits until it is loaded. Throws an error if it does not exist. */
  open(id: string, options?: OpenOptions): Promise<List>;
  /** Opens a list without waiting. Its `state` is `loading` until it is loaded. */
  list(id: string, options?: OpenOptions): List;
  /** Sends the steps on other lists that earlier windows have not sent. Call it once when the app starts. */
  sendPending(): Promise<void>;
  /**
   * Finds tasks whose titles contain a text, in all lists that the token covers. Upper and lower case are equal. Needs the
   * network. Throws a `Problem` or `Unreachable`.
   */
  search(text: string, options?: SearchOptions): Promise<FoundTask[]>;
  /**
   * Calls the listener with all lists that the token covers (the first 10,000, by their ids), as soon as they are known and after each
   * change by anyone; with `null` if the server requires another token. Returns a function that ends this. If the windows of the
   * browser cannot share an event stream, changes arrive after up to 15 seconds.
   */
  watchLists(listener: (lists: readonly ListSummary[] | null) => void): () => void;
  /** Requests all lists that the token covers: the first 10,000, by their ids. Throws a `Problem` or `Unreachable`. */
  lists(options?: { signal?: AbortSignal }): Promise<ListSummary[]>;
  /** Deletes the stored lists and what can be undone, for example after a logout. Steps that are not sent yet are kept. */
  forget(): Promise<void>;
  /** Connects again at once. Call it when there is another token. */
  reconnect(): void;
  /** Sends a request, and returns the JSON response. Throws a `Problem` or `Unreachable`. */
  send(method: string, path: string, options?: RequestOptions): Promise<unknown>;
  /** The server did not accept the token. Steps are kept until `reconnect`. */
  on(event: "unauthorized", listener: (event: { token: string | null; detail?: string }) => void): () => void;
  /** A step of any list was refused. */
  on(event: "refused", listener: (event: RefusedEvent & { list: List }) => void): () => void;
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
  version: number;
}

export interface SearchOptions {
  /** Finds only tasks that are done (true) or not done (false). Default: both. */
  done?: boolean;
  /** The maximum number of tasks, at least 1. Default: 50. */
  limit?: number;
  signal?: AbortSignal;
}

/** A task as the server returns it. */
export interface FoundTask {
  /** The id of the list that contains the task. */
  list: string;
  id: string;
  title: string;
  section: string | null;
  parent: string | null;
  done: boolean;
  data?: unknown;
}

export interface RequestOptions {
  body?: unknown;
  /** The request's `Idempotency-Key`. */
  key?: string;
  signal?: AbortSignal;
}

/**
 * - `loading`: not connected yet
 * - `live`: changes of others arrive at once
 * - `offline`: the server is unreachable
 * - `locked`: the server requires another token
 * - `gone`: the list does not exist
 * - `closed`: `close` was called
 */
export type State = "loading" | "live" | "offline" | "locked" | "gone" | "closed";

export interface List {
  readonly id: string;
  readonly state: State;
  /** The version of the server's list that this list is based on. */
  readonly version: number;
  /** The number of steps without a response, of all windows of the browser that show the list. */
  readonly waiting: number;
  /** Whether the last attempt of this window to send steps got no response. */
  readonly isFailing: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** The visible tasks. The array and its rows never change; a row that did not change is the same object in the next array. */
  readonly rows: readonly Row[];
  readonly sections: Section[];
  /**
   * Where these tasks can be dropped, for a line that shows it. It is of the present rows. Throws a `Refusal` if a task does not
   * exist.
   */
  layout(tasks: string | readonly string[]): RowLayout;
  /** The drags of other people. */
  readonly drags: { readonly others: OtherDrag[] };

  /** Calls the listener now (if the list is loaded) and after each change. Returns a function that ends this. */
  subscribe(listener: (change: Change) => void): () => void;
  on(event: "change" | "state" | "drags", listener: () => void): () => void;
  /** A step broke a rule, or the server refused it. It was taken back. */
  on(event: "refused", listener: (event: RefusedEvent) => void): () => void;

  // Each of these methods shows its result at once, and sends it later. It returns whether the rules allow it (`create` and
  // `createSection`: the new id, or null). If not, nothing changes, and `refused` has the reason.

  /** The end of a drag: tasks were dropped between rows. */
  drop(drop: Drop): boolean;
  move(tasks: string | string[], to: Destination): boolean;
  /**
   * Moves tasks to the end of another list. The server does it, so this is not possible without a network. Returns whether the
   * tasks were moved; if not, `refused` has the reason.
   */
  moveToList(tasks: string | string[], list: string): Promise<boolean>;
  create(task: NewTask, to?: Destination): string | null;
  update(task: string, set: TaskUpdate): boolean;
  /** Hides or shows the subtasks of a task. */
  collapse(task: string, collapsed?: boolean): boolean;
  delete(tasks: string | string[]): boolean;
  createSection(title: string, position?: number, data?: unknown): string | null;
  renameSection(section: string, title: string): boolean;
  updateSection(section: string, set: { title?: string; data?: unknown }): boolean;
  moveSection(section: string, position: number): boolean;
  /** Deletes a section. Its tasks stay, without a section. */
  deleteSection(section: string): boolean;
  set(settings: Partial<Settings>): boolean;

  /**
   * Undoes the last step that was made in this window, also after a reload. Returns whether that is possible. A move to another
   * list is undone by the server; if it refuses, `refused` has the reason.
   */
  undo(): boolean;
  redo(): boolean;

  /** Sends the waiting steps now. */
  flush(): Promise<void>;
  /** Stops listening. Waiting steps are still sent. `Connection.open` opens the list again. */
  close(): void;
}

export interface Change {
  rows: readonly Row[];
  /** What leads from the previous rows to these; null at the first call. */
  delta: Delta | null;
  sections: Section[];
  settings: Settings;
  /** When the list was created and last changed, in RFC 3339 format. Absent if unknown. */
  times: { createdAt?: string; updatedAt?: string };
}

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly locked: boolean;
  /** Whether the setting `elementsOffset` locks the row. */
  readonly lockedByOffset: boolean;
  readonly collapsed: boolean;
  readonly data?: unknown;
  /** When the server created the task and last changed it, in RFC 3339 format. Absent if unknown. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** When the task was done. Absent if it is not done, or if the server has not confirmed it yet. */
  readonly completedAt?: string;
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

export interface Section {
  id: string;
  title: string;
  data?: unknown;
}

export interface Settings {
  title: string;
  /** The number of top-level tasks at the start that are locked. */
  elementsOffset: number;
  collapseSubElements: boolean;
  moves: "anywhere" | "siblings";
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
 * `level` is the depth of the tasks afterwards. Default: that of the first task, or the nearest that is possible there.
 */
export type RowPlace = (
  | { toRow: number; section?: string | null }
  | { to: { section: string | null; row: number } }
  | { toOffset: number; section?: string | null }
) & { level?: number };

export type Drop = DropSubject &
  RowPlace & {
    /** The rows that the person saw: the value of `rows` at that time. Rows are counted in them. Default: the present rows. */
    shown?: readonly Row[];
  };

/** A place between two rows of a section, or at one of its ends. */
export interface Gap {
  /** `null`: the tasks without a section. */
  section: string | null;
  /** The row that the first moved task has there, in the whole list. */
  row: number;
}

/** The visible rows without the moved ones, and the gaps between them. A `Gap` is a place for `drop`: `{ toRow: row, section }`. */
export class RowLayout {
  private constructor();
  /** The rows that stay, from top to bottom. */
  readonly rest: readonly Row[];
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

export interface NewTask {
  id?: string;
  title: string;
  done?: boolean;
  locked?: boolean;
  collapsed?: boolean;
  data?: unknown;
}

export type TaskUpdate = Partial<Pick<NewTask, "title" | "done" | "locked" | "data">>;

export interface RefusedEvent {
  /**
   * The reason: a `code` of openapi.yaml, `undo_conflict` if others have changed what `undo` would restore, or `unreachable` if
   * a move to another list needs the server.
   */
  code: string;
  /** The reason as a sentence. */
  detail?: string;
  /** The tasks that the step named. */
  tasks: string[];
  step: { id: string; kind: string };
}

export interface OtherDrag {
  drag: string;
  tasks: string[];
  /** The `Client-Id` of the other client. */
  client: string | null;
  /** The name in the `Client-Id`: of a client with the option `name`. */
  name: string | null;
  /** Where the first task would be after a drop; null if it cannot be dropped there. */
  over: { list?: string; section: string | null; parent: string | null; position: number; row: number | null } | null;
}

/** A refusal by the rules, which the client checks as the server does. */
export class Refusal extends Error {
  code: string;
  detail: string;
}
/** A refusal of the server. */
export class Problem extends Error {
  status: number;
  code?: string;
  detail?: string;
}
/** The server did not respond, or asks for a later retry. */
export class Unreachable extends Error {
  retryAfterSeconds?: number;
}
/** The server requires another token. */
export class Unauthorized extends Unreachable {}

/** A UUID of version 7. */
export function makeID(): string;
