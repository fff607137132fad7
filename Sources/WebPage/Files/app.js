// The page: the index of lists, and the list that the address names after its #.
import "./fill.js";
import { access, currentToken, hasToken } from "./access.js";
import { connection } from "./connection.js";
import "./double-click.js";
import { importDroppedFiles } from "./file-drop.js";
import { Guest, isGuest } from "./guest.js";
import { icon } from "./icons.js";
import { onKey } from "./key.js";
import { words } from "./language.js";
import { Lists } from "./lists.js";
import { Later, later } from "./loading.js";
import { Notes } from "./notes.js";
import { ListPage } from "./page.js";
import { rights } from "./rights.js";

// The tests in a browser use these.
export { connection };
export { EdgeScroll } from "./edges.js";
// `later.js` uses these.
export { access, currentToken, hasToken, setToken, wantToken } from "./access.js";
export { answerOf } from "./answers.js";
export { Problem, Unauthorized, Unreachable, makeID, rootsOf, sectionKey } from "./client.js";
export { closeBeside, dialogRow } from "./dialogs.js";
export { draftOf, forgetDraft, keepDraft, prose, typedIn } from "./drafts.js";
export { fill } from "./fill.js";
export { contains } from "./fold-text.js";
export { hasOtherPlaces, isGuest } from "./guest.js";
export { element, icon, iconButton } from "./icons.js";
export { onKey } from "./key.js";
export { dateOf, locale, tags, words } from "./language.js";
export { Layout, endOfSection } from "./layout.js";
export { isIndex } from "./list-order.js";
export { storeName, storedName } from "./name.js";
export { fits } from "./rename.js";
export { rights } from "./rights.js";
export { home } from "./storage.js";
export { capital, paint } from "./task-line.js";
export { names, quoted, reason, titles, whyDeleted, whyMissing } from "./words.js";

const main = document.querySelector("main");
const parts = { main };
for (const part of main.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
for (const place of document.querySelectorAll("[data-icon]"))
  place.prepend(icon(place.dataset.icon));

const index = document.querySelector(".index");
const notes = new Notes(document.querySelector(".note"), document.querySelector(".live"), main);
const nav = document.querySelector("nav");
const lists = new Lists(nav, notes);
const dialog = (kind) => document.querySelector(`dialog.${kind}`);
const onClick = (part, run) =>
  nav.querySelector(`[data-part=${part}]`).addEventListener("click", run);
const field = laterDialog("FieldDialog", dialog("field"));
const dialogs = {
  field,
  name: laterDialog("NameDialog", field),
  settings: laterDialog("SettingsDialog", dialog("settings"), notes),
  past: laterDialog("HistoryDialog", dialog("history"), notes),
  exporting: laterDialog("ExportDialog", dialog("choose"), notes),
  sharing: laterDialog("ShareDialog", dialog("share"), notes),
  confirming: laterDialog("ConfirmDialog", dialog("confirm")),
  move: laterDialog("MoveDialog", dialog("choose"), lists),
  shortcuts: laterDialog("ShortcutsDialog", dialog("shortcuts")),
};
const page = new ListPage(parts, notes, dialogs, lists);
onClick("name", () => dialogs.name.open());
const listCommands = fromLater("ListCommands", page, lists, notes, dialogs, parts);
dialogs.palette = laterDialog(
  "Palette",
  dialog("choose"),
  lists,
  nav,
  page,
  listCommands,
  dialogs.shortcuts,
);
parts.listMenu.addEventListener("click", () => listCommands.call("open"));

const findAll = fromLater("FindAll", nav, notes, lists, (found) => {
  if (found.id !== undefined) page.goal.open(found);
  else location.hash = found.list;
});
nav.querySelector("[data-part=findAll]").addEventListener("focus", () => findAll.load());
const due = laterDialog("DueDialog", notes, lists, (found) => page.goal.open(found));
onClick("due", () => due.open());
const bin = laterDialog("BinDialog", dialog("bin"), notes);
onClick("bin", () => bin.open());

const importing = fromLater("ImportDialog", lists, notes);
onClick("import", () => importing.call("open"));
importDroppedFiles(importing);

const folders = fromLater("Folders", nav, field, lists, notes);
onClick("newFolder", () => folders.call("create"));
onClick("items", ({ target }) => {
  const button = target.closest(".more");
  if (button) folders.call("open", button);
});
nav.querySelector("[data-part=items]").addEventListener("contextmenu", (event) => {
  const button = event.target.closest("li")?.querySelector(".more");
  if (!button || event.defaultPrevented || !lists.mayOrder) return;
  event.preventDefault();
  folders.call("open", button);
});

const token = fromLater("TokenDialog", dialog("token"));
const tokenButton = nav.querySelector("[data-part=token]");
tokenButton.hidden = !hasToken();
onClick("token", () => token.call("open", ""));
access.addEventListener("wanted", async ({ detail }) => {
  tokenButton.hidden = false;
  const refused = currentToken();
  const made = await token.load();
  if (refused === currentToken()) made?.want(detail);
});

function fromLater(name, ...parameters) {
  return new Later(() => notes.notify(words.detail.notLoaded), name, ...parameters);
}

function laterDialog(name, ...parameters) {
  const dialog = fromLater(name, ...parameters);
  const call =
    (method) =>
    (...about) =>
      dialog.call(method, ...about);
  return { open: call("open"), ask: call("ask") };
}

function route() {
  if (document.body.dataset.view === "ended") return;
  const id = location.hash.slice(1); // ids need no escaping
  const { guestList } = rights;
  if (guestList !== null && id !== guestList) {
    location.replace(`#${guestList}`);
    return;
  }
  document.body.dataset.view = id ? "list" : "index";
  // While no list is open, the index is the page's main content.
  if (id) index.removeAttribute("role");
  else index.setAttribute("role", "main");
  lists.show(id);
  if (id) {
    page.show(id);
    if (index.offsetParent === null && !page.goal.isPending) parts.title.focus();
  } else {
    page.hide();
    document.title = words.lists.title;
  }
}

/** Buttons that show only an icon have a tooltip: their label, and their key if they have one. */
function showTooltip({ target }) {
  const button = target.closest?.("[aria-label]:is(button, .back)");
  if (!button) return;
  const key = button.getAttribute("aria-keyshortcuts")?.replace("Control", words.keys.control);
  const text = key ? `${button.ariaLabel} (${key})` : button.ariaLabel;
  if (button.title !== text) button.title = text;
}

/** With the service worker, the page opens without a network. Browsers have none at insecure addresses. */
function startWorker() {
  const path = new URL("worker.js", import.meta.url).pathname;
  const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => path });
  const url = policy ? policy.createScriptURL("") : path;
  try {
    navigator.serviceWorker
      ?.register(url, { scope: new URL("../../", import.meta.url).pathname })
      .catch(() => {});
  } catch {
    // The browser forbids workers. The page works without one.
  }
}

connection.sendPending();
document.addEventListener("pointerover", showTooltip);
// The second script is there when the person needs it, also if the network ends meanwhile.
const prepare = () => {
  later().catch(() => {});
};
const prepareIfLive = () => main.dataset.state === "live" && prepare();
new MutationObserver(prepareIfLive).observe(main, { attributeFilter: ["data-state"] });
for (const event of ["pointermove", "pointerdown"])
  document.addEventListener(event, prepare, { once: true, capture: true });
onKey(document, prepare, { once: true, capture: true });
window.addEventListener("hashchange", route);
new Guest(page, parts.asking, document.querySelector(".ended"));
if (isGuest) rights.addEventListener("changed", () => location.hash.slice(1) || route());
route();
// The page has perhaps waited for its words.
if (document.readyState === "complete") startWorker();
else window.addEventListener("load", startWorker);
