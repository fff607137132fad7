// The page: the index of lists, and the list that the address names after its #.
import "./fill.js";
import { BinDialog } from "./bin.js";
import { ConfirmDialog } from "./confirm.js";
import { connection } from "./connection.js";
import "./double-click.js";
import { FindAll } from "./find-all.js";
import { Folders } from "./folders.js";
import { icon } from "./icons.js";
import { words } from "./language.js";
import { Lists } from "./lists.js";
import { later } from "./loading.js";
import { MoveDialog } from "./menu.js";
import { NameDialog } from "./name.js";
import { Notes } from "./notes.js";
import { ListPage } from "./page.js";
import { HistoryDialog } from "./history-dialog.js";
import { LimitDialog, SettingsDialog } from "./settings.js";
import { ShareDialog } from "./share-dialog.js";
import { TokenDialog } from "./token.js";

// The tests in a browser use these.
export { connection };
export { EdgeScroll } from "./edges.js";
// `later.js` uses these.
export { Problem } from "./client.js";
export { draftOf, forgetDraft, keepDraft } from "./drafts.js";
export { element, icon, iconButton } from "./icons.js";
export { onKey } from "./key.js";
export { locale, words } from "./language.js";
export { isIndex } from "./list-order.js";
export { fits } from "./rename.js";
export { capital, paint } from "./task-line.js";
export { quoted, whyDeleted } from "./words.js";

const main = document.querySelector("main");
const parts = { main };
for (const part of main.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
for (const place of document.querySelectorAll("[data-icon]"))
  place.prepend(icon(place.dataset.icon));

const index = document.querySelector(".index");
const notes = new Notes(document.querySelector(".note"), document.querySelector(".live"), main);
const nav = document.querySelector("nav");
const lists = new Lists(nav, notes);
new Folders(nav, document.querySelector("dialog.folder"), lists, notes);
const past = new HistoryDialog(document.querySelector("dialog.history"), notes);
const sharing = new ShareDialog(document.querySelector("dialog.share"), notes);
const confirming = new ConfirmDialog(document.querySelector("dialog.confirm"));
const settings = new SettingsDialog(
  document.querySelector("dialog.settings"),
  notes,
  lists,
  past,
  sharing,
  confirming,
);
new TokenDialog(
  document.querySelector("dialog.token"),
  document.querySelector("[data-part=token]"),
);
new NameDialog(document.querySelector("dialog.name"), nav.querySelector("[data-part=name]"));
const dialogs = {
  settings,
  confirming,
  move: new MoveDialog(document.querySelector("dialog.move"), lists),
  limit: new LimitDialog(document.querySelector("dialog.section")),
  shortcuts: document.querySelector("dialog.shortcuts"),
};
parts.history.addEventListener("click", () => past.open(page.list.id));
const page = new ListPage(parts, notes, dialogs, lists);

new FindAll(nav, notes, lists, (found) => {
  if (found.id !== undefined) page.goal.open(found);
  else location.hash = found.list;
});
let dueDialog;
const due = nav.querySelector("[data-part=due]");
due.addEventListener("click", async () => {
  const { DueDialog } = await later().catch(() => ({}));
  if (!DueDialog) notes.notify(words.detail.notLoaded);
  else (dueDialog ??= new DueDialog(notes, lists, (found) => page.goal.open(found))).open();
});
new BinDialog(document.querySelector("dialog.bin"), nav.querySelector("[data-part=bin]"), notes);

function route() {
  const id = location.hash.slice(1); // ids need no escaping
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
route();
// The page has perhaps waited for its words.
if (document.readyState === "complete") startWorker();
else window.addEventListener("load", startWorker);
