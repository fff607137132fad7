// What the page loads when it is first used. `scripts/page-bundle` makes a script of its own of it, which takes what it shares with the
// page from there.
export { BoardLayout } from "./board-layout.js";
export { BinDialog } from "./bin.js";
export { ConfirmDialog } from "./confirm.js";
export { DetailPane } from "./detail-pane.js";
export { DueDialog } from "./due-dialog.js";
export { askDue } from "./due-question.js";
export { DueOffer } from "./due-offer.js";
export { ExportDialog } from "./export-dialog.js";
export { FieldDialog } from "./field-dialog.js";
export { FindAll } from "./find-all.js";
export { Folders } from "./folders.js";
export { HistoryDialog } from "./history-dialog.js";
export { ImportDialog } from "./import-dialog.js";
export { ListCommands } from "./list-commands.js";
export { MoveDialog } from "./move-dialog.js";
export { NameDialog } from "./name-dialog.js";
export { Palette } from "./palette.js";
export { PlaceChoice } from "./place-choice.js";
export { RowMenu } from "./menu.js";
export { sampleList } from "./sample.js";
export { SettingsDialog } from "./settings.js";
export { ShareDialog } from "./share-dialog.js";
export { ShortcutsDialog } from "./shortcuts-dialog.js";
export { TokenDialog } from "./token.js";
