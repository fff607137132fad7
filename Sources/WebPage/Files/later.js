// What the page loads when it is first used. `scripts/page-bundle` makes a script of its own of it, which takes what it shares with the
// page from there.
export { DetailPane } from "./detail-pane.js";
export { DueDialog } from "./due-dialog.js";
export { DueOffer } from "./due-offer.js";
export { HistoryDialog } from "./history-dialog.js";
export { ShareDialog } from "./share-dialog.js";
