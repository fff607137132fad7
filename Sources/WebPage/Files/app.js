// The page: the index of lists, and the list that the address names after its #.
import "./fill.js";
import { ConfirmDialog } from "./confirm.js";
import { connection } from "./connection.js";
import "./double-click.js";
import { FieldDialog } from "./field-dialog.js";
import { FindAll } from "./find-all.js";
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
export { Problem, makeID, sectionKey } from "./client.js";
export { draftOf, forgetDraft, keepDraft } from "./drafts.js";
export { closeBeside, dialogRow } from "./dialogs.js";
export { element, icon, iconButton } from "./icons.js";
export { limitIn } from "./field-dialog.js";
export { fill } from "./fill.js";
export { contains } from "./fold-text.js";
export { isGuest } from "./guest.js";
export { onKey } from "./key.js";
export { dateOf, locale, words } from "./language.js";
export { Layout } from "./layout.js";
export { isIndex } from "./list-order.js";
export { Options } from "./options.js";
export { fits } from "./rename.js";
export { restore } from "./restore.js";
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
dialogs.palette = laterDialog("Palette", dialog("choose"), lists, nav, page);

new FindAll(nav, notes, lists, (found) => {
  if (found.id !== undefined) page.goal.open(found);
  else location.hash = found.list;
});
const ofButtons = {
  due: laterDialog("DueDialog", notes, lists, (found) => page.goal.open(found)),
  bin: laterDialog("BinDialog", dialog("bin"), notes),
  sample: laterDialog("Sample", lists),
};
for (const [name, one] of Object.entries(ofButtons))
  nav.querySelector(`[data-part=${name}]`).addEventListener("click", () => one.open());

/** A dialog of the second script: it is made when it is first opened. */
function laterDialog(name, ...parameters) {
  let made;
  return {
    async open(...about) {
      const classes = await later().catch(() => notes.notify(words.detail.notLoaded));
      if (classes) made ??= new classes[name](...parameters);
      return made?.open(...about);
    },
    close() {
      made?.close();
    },
  };
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
