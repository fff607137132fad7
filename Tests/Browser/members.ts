// Compiled by the test, so it checks client.d.ts; run by the test, so it checks that the client has what client.d.ts says.
import {
  type Connection,
  type DeletedList,
  type ChangeStep,
  type Grant,
  type HistoryPage,
  type List,
  type OrderResult,
  type Me,
  type PastChange,
  type Row,
  Problem,
  Unauthorized,
  Unreachable,
  connect,
  makeID,
  mayWrite,
  writablePatterns,
} from "../../clients/javascript/client.js";

/** The compiler requires every member of the type here, and no other; the value is the member's type when the program runs. */
type Members<Type> = { [Name in keyof Required<Type>]: string };

const connectionMembers: Members<Connection> = {
  clientID: "string",
  isKept: "boolean",
  canUndo: "boolean",
  undoNumber: "number",
  undo: "function",
  open: "function",
  list: "function",
  sendPending: "function",
  search: "function",
  watchLists: "function",
  lists: "function",
  me: "function",
  createList: "function",
  copyList: "function",
  deleteList: "function",
  deletedLists: "function",
  restoreList: "function",
  moveSectionToList: "function",
  sort: "function",
  reverse: "function",
  removeDone: "function",
  history: "function",
  undoChange: "function",
  shares: "function",
  share: "function",
  removeShare: "function",
  forget: "function",
  reconnect: "function",
  send: "function",
  on: "function",
};

const listMembers: Members<List> = {
  id: "string",
  state: "string",
  version: "number",
  waiting: "number",
  isFailing: "boolean",
  canUndo: "boolean",
  canRedo: "boolean",
  undoNumber: "number",
  rows: "object",
  sections: "object",
  title: "string",
  settings: "object",
  layout: "function",
  drags: "object",
  subscribe: "function",
  on: "function",
  drop: "function",
  move: "function",
  moveToList: "function",
  lift: "function",
  hover: "function",
  cancelDrag: "function",
  create: "function",
  update: "function",
  collapse: "function",
  delete: "function",
  createSection: "function",
  renameSection: "function",
  updateSection: "function",
  moveSection: "function",
  deleteSection: "function",
  set: "function",
  undo: "function",
  redo: "function",
  flush: "function",
  discardWaiting: "function",
  waitingSteps: "object",
  refusals: "object",
  acknowledge: "function",
  close: "function",
};

const rowMembers: Members<Row> = {
  id: "string",
  title: "string",
  done: "boolean",
  locked: "boolean",
  lockedByOffset: "boolean",
  collapsed: "boolean",
  data: "undefined",
  createdAt: "string",
  updatedAt: "string",
  completedAt: "undefined",
  createdBy: "undefined",
  updatedBy: "undefined",
  completedBy: "undefined",
  section: "object",
  parent: "object",
  position: "number",
  depth: "number",
  subtasks: "number",
};

const deletedListMembers: Members<DeletedList> = {
  id: "string",
  title: "string",
  count: "number",
  version: "number",
  deletedAt: "string",
  expiresAt: "string",
};

const pageMembers: Members<HistoryPage> = { version: "number", changes: "object", before: "object" };
const changeMembers: Members<PastChange> = {
  version: "number",
  epoch: "string",
  at: "string",
  by: "undefined",
  client: "string",
  name: "string",
  kind: "undefined",
  toList: "undefined",
  fromList: "undefined",
  steps: "object",
  stepCount: "number",
  mayUndo: "boolean",
};
const stepMembers: Members<ChangeStep> = {
  op: "string",
  task: "string",
  section: "undefined",
  title: "string",
  oldTitle: "undefined",
  done: "undefined",
  locked: "undefined",
  collapsed: "undefined",
  data: "undefined",
  settings: "undefined",
  from: "undefined",
  to: "object",
};

const meMembers: Members<Me> = { name: "object", author: "object", grants: "object", link: "object", createdBy: "object", expiresAt: "object" };
const grantMembers: Members<Grant> = { scope: "string", lists: "object" };

function check(value: object, members: Record<string, string>): string[] {
  return Object.entries(members)
    .filter(([name, type]) => typeof value[name as keyof typeof value] !== type)
    .map(([name]) => name);
}

interface Dish {
  price: number;
}

async function run(): Promise<string[]> {
  const lists = connect({ storage: "memory", name: "Types" });
  const list = await lists.open<Dish, { color: string }>("typed");
  const faults = [...check(lists, connectionMembers), ...check(list, listMembers), ...check(list.rows[0], rowMembers)];

  // The results have the types that client.d.ts states.
  const id: string | null = list.create({ title: "made", done: true }, { after: list.rows[0].id });
  const isUpdated: boolean = list.update(id ?? "", { title: "renamed" });
  const section: string | null = list.createSection("Section", 0);
  const isMoved: boolean = list.move([id ?? ""], { section, position: 0 }) && list.collapse(list.rows[0].id);
  const { gaps, rest } = list.layout(id ?? "");
  if (gaps.length !== rest.length + 2) faults.push("layout");
  const isDropped: boolean = list.drop({ task: id ?? "", toRow: gaps[0].row, section: null }) && list.drop({ rows: [0], to: { section: null, row: 0 }, level: 0 });
  const isDone: boolean = list.undo() && list.redo();
  const isElsewhere: Promise<boolean> = list.moveToList("no such task", "no such list", { after: null, position: 0 });
  const price: number | undefined = list.rows[0].data?.price;
  const color: string | undefined = list.sections[0].data?.color;
  if (price !== undefined || color !== undefined || !list.update(list.rows[0].id, { data: { price: 2 } })) faults.push("data");
  if (!list.update(list.rows[0].id, { data: {} }) || !list.update(list.rows[1].id, { data: { price: null } })) faults.push("patch");
  if (list.rows[0].data?.price !== 2 || list.settings?.moves !== "anywhere" || list.title !== "typed") faults.push("values");
  list.lift(list.rows[0].id);
  list.hover({ toRow: 1 });
  list.hover({ after: null, before: list.rows[1].id });
  list.hover({ section: null }, "no such list");
  list.cancelDrag();
  const copy: string = await lists.createList({ title: "Copy", tasks: [{ title: "a" }] });
  const second: List = await lists.open(await lists.copyList(copy, { title: "Second" }));
  if (second.rows.length !== 1 || second.title !== "Second") faults.push("copyList");
  const isThere: boolean = await list.moveToList(list.rows[0].id, second, { toRow: 0, shown: second.rows });
  if (!isThere) faults.push("moveToList to a row");
  await lists.send("POST", `/lists/${second.id}/tasks`, { body: { title: "last" } });
  const past: HistoryPage = await lists.history(second.id);
  const [change]: PastChange[] = past.changes;
  faults.push(...check(past, pageMembers), ...check(change, changeMembers), ...check(change.steps[0], stepMembers));
  await lists.undoChange(second.id, change);
  if ((await lists.history(second.id, { before: past.before ?? undefined, limit: 1 })).version !== past.version + 1) faults.push("undoChange");
  const sorted: OrderResult = await lists.sort(second.id, { by: "title", descending: true, locale: "sv-SE" });
  const reversed: OrderResult = await lists.reverse(second.id, { section: null, recursive: true });
  const removed: OrderResult = await lists.removeDone(second.id);
  if (!(sorted.version > 1) || reversed.version < sorted.version) faults.push("sort");
  if (removed.changed) await lists.undoChange(second.id, { version: removed.version });
  if (reversed.changed) await lists.undoChange(second.id, { version: reversed.version });
  await lists.deleteList(copy);
  const [deleted]: DeletedList[] = await lists.deletedLists();
  faults.push(...check(deleted, deletedListMembers));
  if (deleted.id !== copy || !(deleted.expiresAt > deleted.deletedAt)) faults.push("deletedLists");
  if (Object.keys(deleted).length !== Object.keys(deletedListMembers).length) faults.push("other members");
  const { newIds } = await lists.restoreList(copy);
  if (Object.keys(newIds).length > 0) faults.push("restoreList");
  const untitled: List = await lists.open(await lists.createList());
  if (untitled.title !== "" || untitled.rows.length > 0) faults.push("createList without a title");
  const me: Me = await lists.me();
  faults.push(...check(me, meMembers), ...check(me.grants[0], grantMembers));
  const { scope, lists: patterns }: Grant = me.grants[0];
  if (me.name !== null || scope !== "admin" || patterns.join() !== "*") faults.push("me");
  const some = { grants: [{ scope: "read", lists: ["*"] }, { scope: "write", lists: ["a-*", "b"] }, { scope: "purge", lists: ["c"] }] };
  const allowed: string[] = ["a-", "a-1", "a", "b", "bb", "c"].filter((id) => mayWrite(some, id));
  const writable: string[] = writablePatterns(some);
  if (allowed.join() !== "a-,a-1,b,c" || writable.join() !== "a-*,b,c") faults.push("mayWrite");
  if (![isUpdated, isMoved, isDropped, isDone].every((one) => one === true)) faults.push("a step");
  if ((await isElsewhere) !== false) faults.push("moveToList");
  const stop: () => void = list.subscribe(({ rows, delta, sections, settings }) => {
    if (delta !== null || rows.length !== 2 || sections[0]?.title !== "Section") faults.push("subscribe");
    if (settings.moves !== "anywhere" || settings.elementsOffset !== 0) faults.push("settings");
  });
  stop();
  const [other] = list.drags.others;
  const whose: (string | null | undefined)[] = [other?.by, other?.name];
  if (whose.some((one) => one !== undefined)) faults.push("drags");
  try {
    await lists.send("GET", "/lists/no%20such%20list");
    faults.push("no problem");
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404 || error.code === undefined) faults.push("Problem");
  }
  if (!(Unauthorized.prototype instanceof Unreachable) || makeID().length !== 36) faults.push("classes");

  // Each of these lines must be an error.
  // @ts-expect-error: other data
  const otherData = () => list.create({ title: "b", data: { cost: 1 } });
  // @ts-expect-error: a patch of other data
  const otherPatch = () => list.update("a", { data: { cost: null } });
  // @ts-expect-error: a place between the rows of a list that is not open
  const closed = () => list.moveToList("a", "other", { toRow: 0 });
  // @ts-expect-error: the same
  const closed2 = () => list.hover({ toRow: 0 }, "other");
  // @ts-expect-error: data of another type
  const text: string | undefined = list.rows[0].data?.price;
  // @ts-expect-error: no place
  const nowhere = () => list.drop({ task: "a" });
  // @ts-expect-error: no task
  const nothing = () => list.drop({ toRow: 0 });
  // @ts-expect-error: rows never change
  const forbidden = () => list.rows.push(list.rows[0]);
  // @ts-expect-error: an unknown member
  const unknown = () => list.update("a", { name: "b" });
  // @ts-expect-error: a state that does not exist
  const wrong = () => list.state === "online";
  // @ts-expect-error: an event that does not exist
  const event = () => list.on("moved", () => {});
  void [otherData, otherPatch, closed, closed2, text, nowhere, nothing, forbidden, unknown, wrong, event];
  return faults;
}

run().then(
  (faults) => {
    document.title = `faults: ${faults.join(", ") || "none"}`;
  },
  (error) => {
    document.title = `error: ${error.stack}`;
  },
);
