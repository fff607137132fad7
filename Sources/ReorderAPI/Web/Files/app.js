// The page: the index of lists, and the one that the address names after its #.
import { icon } from "./icons.js";
import { Lists } from "./lists.js";
import { ListPage } from "./page.js";
import { SettingsDialog } from "./settings.js";
import { Notes } from "./tell.js";

const main = document.querySelector("main");
const parts = { main };
for (const part of main.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
for (const place of document.querySelectorAll("[data-icon]")) place.prepend(icon(place.dataset.icon));

const notes = new Notes(document.querySelector(".note"), document.querySelector(".live"));
const dialog = new SettingsDialog(document.querySelector("dialog"), notes);
const lists = new Lists(document.querySelector("nav"), notes);
const page = new ListPage(parts, notes, dialog);

function route() {
  const id = decodeURIComponent(location.hash.slice(1));
  document.body.dataset.view = id ? "list" : "index";
  lists.show(id);
  if (id) {
    page.show(id);
  } else {
    page.hide();
    document.title = "Lists";
  }
}

window.addEventListener("hashchange", route);
route();
