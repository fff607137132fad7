// The page: the index of lists, and the list that the address names after its #.
import "./fill.js";
import { ConfirmDialog } from "./confirm.js";
import { connection } from "./connection.js";
import "./double-click.js";
import { FieldDialog } from "./field-dialog.js";
import { Folders } from "./folders.js";
import { Guest, isGuest } from "./guest.js";
import { icon } from "./icons.js";
import { words } from "./language.js";
import { Lists } from "./lists.js";
import { later } from "./loading.js";
import { askForName } from "./name.js";
import { Notes } from "./notes.js";
import { ListPage } from "./page.js";
import { rights } from "./rights.js";
import { TokenDialog } from "./token.js";

// The tests in a browser use these.
export { connection };
export { EdgeScroll } from "./edges.js";
// `later.js` uses these.
export { setToken } from "./access.js";
export { Problem, makeID, sectionKey } from "./client.js";
export { closeBeside, dialogRow } from "./dialogs.js";
export { draftOf, forgetDraft, keepDraft, prose, typedIn } from "./drafts.js";
export { limitIn } from "./field-dialog.js";
export { fill } from "./fill.js";
export { contains } from "./fold-text.js";
export { isGuest } from "./guest.js";
export { element, icon, iconButton } from "./icons.js";
export { onKey } from "./key.js";
export { dateOf, locale, tags, words } from "./language.js";
export { Layout } from "./layout.js";
export { isIndex } from "./list-order.js";
export { askForName } from "./name.js";
export { fits } from "./rename.js";
export { rights } from "./rights.js";
export { home } from "./storage.js";
export { capital, paint } from "./task-line.js";
export { quoted, titles, whyDeleted } from "./words.js";

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
const field = new FieldDialog(dialog("field"));
new Folders(nav, field, lists, notes);
new TokenDialog(dialog("token"), document.querySelector("[data-part=token]"));
nav.querySelector("[data-part=name]").addEventListener("click", () => askForName(field));
const dialogs = {
  field,
  settings: laterDialog("SettingsDialog", dialog("settings"), notes),
  past: laterDialog("HistoryDialog", dialog("history"), notes),
  sharing: laterDialog("ShareDialog", dialog("share"), notes),
  confirming: new ConfirmDialog(dialog("confirm")),
  move: laterDialog("MoveDialog", dialog("choose"), lists),
  shortcuts: laterDialog("ShortcutsDialog", dialog("shortcuts")),
};
const page = new ListPage(parts, notes, dialogs, lists);
const listCommands = fromLater("ListCommands", page, lists, notes, dialogs);
dialogs.palette = laterDialog("Palette", dialog("choose"), lists, nav, page, listCommands);
parts.listMenu.addEventListener("click", async () => {
  const items = (await listCommands())?.items() ?? [];
  const box = parts.listMenu.getBoundingClientRect();
  const back = () => parts.listMenu.focus();
  if (items.length > 0) page.listMenu.open(parts.listMenu.ariaLabel, items, back, box, box.left);
});

const findAll = fromLater("FindAll", nav, notes, lists, (found) => {
  if (found.id !== undefined) page.goal.open(found);
  else location.hash = found.list;
});
nav.querySelector("[data-part=findAll]").addEventListener("focus", findAll);
const due = laterDialog("DueDialog", notes, lists, (found) => page.goal.open(found));
nav.querySelector("[data-part=due]").addEventListener("click", () => due.open());
const bin = laterDialog("BinDialog", dialog("bin"), notes);
nav.querySelector("[data-part=bin]").addEventListener("click", () => bin.open());

/** An object of the second script: it is made when it is first needed. Null if the script can't be loaded: a note says so. */
function fromLater(name, ...parameters) {
  let made;
  return async () => {
    const classes = await later().catch(() => null);
    if (classes === null) notes.notify(words.detail.notLoaded);
    else made ??= new classes[name](...parameters);
    return made ?? null;
  };
}

function laterDialog(name, ...parameters) {
  const load = fromLater(name, ...parameters);
  return { open: async (...about) => (await load())?.open(...about) };
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
window.addEventListener("hashchange", route);
new Guest(page, parts.asking, document.querySelector(".ended"));
if (isGuest) rights.addEventListener("changed", () => location.hash.slice(1) || route());
route();
// The page has perhaps waited for its words.
if (document.readyState === "complete") startWorker();
else window.addEventListener("load", startWorker);
