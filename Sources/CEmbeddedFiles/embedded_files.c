// #embed is part of C23, and clang supports it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "embedded_files.h"

static const uint8_t openapi_yaml[] = {
#embed "../../openapi.yaml"
};
static const uint8_t openapi_json[] = {
#embed "../../openapi.json"
};
static const uint8_t access_js[] = {
#embed "../WebPage/Files/access.js"
};
static const uint8_t actions_js[] = {
#embed "../WebPage/Files/actions.js"
};
static const uint8_t acts_js[] = {
#embed "../WebPage/Files/acts.js"
};
static const uint8_t app_js[] = {
#embed "../WebPage/Files/app.js"
};
static const uint8_t bin_js[] = {
#embed "../WebPage/Files/bin.js"
};
static const uint8_t clicks_js[] = {
#embed "../WebPage/Files/clicks.js"
};
static const uint8_t composer_js[] = {
#embed "../WebPage/Files/composer.js"
};
static const uint8_t confirm_js[] = {
#embed "../WebPage/Files/confirm.js"
};
static const uint8_t connection_js[] = {
#embed "../WebPage/Files/connection.js"
};
static const uint8_t cursor_js[] = {
#embed "../WebPage/Files/cursor.js"
};
static const uint8_t dialogs_css[] = {
#embed "../WebPage/Files/dialogs.css"
};
static const uint8_t dialogs_js[] = {
#embed "../WebPage/Files/dialogs.js"
};
static const uint8_t direction_js[] = {
#embed "../WebPage/Files/direction.js"
};
static const uint8_t double_click_js[] = {
#embed "../WebPage/Files/double-click.js"
};
static const uint8_t drafts_js[] = {
#embed "../WebPage/Files/drafts.js"
};
static const uint8_t drag_image_js[] = {
#embed "../WebPage/Files/drag-image.js"
};
static const uint8_t drag_js[] = {
#embed "../WebPage/Files/drag.js"
};
static const uint8_t edges_js[] = {
#embed "../WebPage/Files/edges.js"
};
static const uint8_t find_all_js[] = {
#embed "../WebPage/Files/find-all.js"
};
static const uint8_t fold_text_js[] = {
#embed "../WebPage/Files/fold-text.js"
};
static const uint8_t folders_js[] = {
#embed "../WebPage/Files/folders.js"
};
static const uint8_t folding_js[] = {
#embed "../WebPage/Files/folding.js"
};
static const uint8_t gaps_js[] = {
#embed "../WebPage/Files/gaps.js"
};
static const uint8_t ghosts_js[] = {
#embed "../WebPage/Files/ghosts.js"
};
static const uint8_t goal_js[] = {
#embed "../WebPage/Files/goal.js"
};
static const uint8_t history_dialog_js[] = {
#embed "../WebPage/Files/history-dialog.js"
};
static const uint8_t history_words_js[] = {
#embed "../WebPage/Files/history-words.js"
};
static const uint8_t icon_180_png[] = {
#embed "../WebPage/Files/icon-180.png"
};
static const uint8_t icon_192_png[] = {
#embed "../WebPage/Files/icon-192.png"
};
static const uint8_t icon_512_png[] = {
#embed "../WebPage/Files/icon-512.png"
};
static const uint8_t icon_maskable_512_png[] = {
#embed "../WebPage/Files/icon-maskable-512.png"
};
static const uint8_t icon_svg[] = {
#embed "../WebPage/Files/icon.svg"
};
static const uint8_t icons_js[] = {
#embed "../WebPage/Files/icons.js"
};
static const uint8_t index_html[] = {
#embed "../WebPage/Files/index.html"
};
static const uint8_t key_js[] = {
#embed "../WebPage/Files/key.js"
};
static const uint8_t keys_js[] = {
#embed "../WebPage/Files/keys.js"
};
static const uint8_t layout_js[] = {
#embed "../WebPage/Files/layout.js"
};
static const uint8_t lifting_js[] = {
#embed "../WebPage/Files/lifting.js"
};
static const uint8_t list_drag_js[] = {
#embed "../WebPage/Files/list-drag.js"
};
static const uint8_t list_order_js[] = {
#embed "../WebPage/Files/list-order.js"
};
static const uint8_t list_placing_js[] = {
#embed "../WebPage/Files/list-placing.js"
};
static const uint8_t list_rows_js[] = {
#embed "../WebPage/Files/list-rows.js"
};
static const uint8_t lists_js[] = {
#embed "../WebPage/Files/lists.js"
};
static const uint8_t lists_webmanifest[] = {
#embed "../WebPage/Files/lists.webmanifest"
};
static const uint8_t media_css[] = {
#embed "../WebPage/Files/media.css"
};
static const uint8_t menu_js[] = {
#embed "../WebPage/Files/menu.js"
};
static const uint8_t name_js[] = {
#embed "../WebPage/Files/name.js"
};
static const uint8_t notes_js[] = {
#embed "../WebPage/Files/notes.js"
};
static const uint8_t onto_js[] = {
#embed "../WebPage/Files/onto.js"
};
static const uint8_t page_css[] = {
#embed "../WebPage/Files/page.css"
};
static const uint8_t page_js[] = {
#embed "../WebPage/Files/page.js"
};
static const uint8_t pasted_js[] = {
#embed "../WebPage/Files/pasted.js"
};
static const uint8_t places_js[] = {
#embed "../WebPage/Files/places.js"
};
static const uint8_t popup_js[] = {
#embed "../WebPage/Files/popup.js"
};
static const uint8_t rename_js[] = {
#embed "../WebPage/Files/rename.js"
};
static const uint8_t rights_js[] = {
#embed "../WebPage/Files/rights.js"
};
static const uint8_t row_js[] = {
#embed "../WebPage/Files/row.js"
};
static const uint8_t rows_js[] = {
#embed "../WebPage/Files/rows.js"
};
static const uint8_t sample_js[] = {
#embed "../WebPage/Files/sample.js"
};
static const uint8_t search_js[] = {
#embed "../WebPage/Files/search.js"
};
static const uint8_t sections_js[] = {
#embed "../WebPage/Files/sections.js"
};
static const uint8_t selection_js[] = {
#embed "../WebPage/Files/selection.js"
};
static const uint8_t server_time_js[] = {
#embed "../WebPage/Files/server-time.js"
};
static const uint8_t settings_js[] = {
#embed "../WebPage/Files/settings.js"
};
static const uint8_t share_dialog_js[] = {
#embed "../WebPage/Files/share-dialog.js"
};
static const uint8_t shortcuts_js[] = {
#embed "../WebPage/Files/shortcuts.js"
};
static const uint8_t sidebar_css[] = {
#embed "../WebPage/Files/sidebar.css"
};
static const uint8_t sidebar_js[] = {
#embed "../WebPage/Files/sidebar.js"
};
static const uint8_t status_js[] = {
#embed "../WebPage/Files/status.js"
};
static const uint8_t stored_values_js[] = {
#embed "../WebPage/Files/stored-values.js"
};
static const uint8_t title_js[] = {
#embed "../WebPage/Files/title.js"
};
static const uint8_t token_js[] = {
#embed "../WebPage/Files/token.js"
};
static const uint8_t views_js[] = {
#embed "../WebPage/Files/views.js"
};
static const uint8_t words_js[] = {
#embed "../WebPage/Files/words.js"
};
static const uint8_t worker_js[] = {
#embed "../WebPage/Files/worker.js"
};
static const uint8_t client_all_lists_js[] = {
#embed "../../clients/javascript/all-lists.js"
};
static const uint8_t client_answers_js[] = {
#embed "../../clients/javascript/answers.js"
};
static const uint8_t client_app_list_js[] = {
#embed "../../clients/javascript/app-list.js"
};
static const uint8_t client_batches_js[] = {
#embed "../../clients/javascript/batches.js"
};
static const uint8_t client_changed_lists_js[] = {
#embed "../../clients/javascript/changed-lists.js"
};
static const uint8_t client_visible_rows_js[] = {
#embed "../../clients/javascript/visible-rows.js"
};
static const uint8_t client_client_js[] = {
#embed "../../clients/javascript/client.js"
};
static const uint8_t client_commands_js[] = {
#embed "../../clients/javascript/commands.js"
};
static const uint8_t client_drags_js[] = {
#embed "../../clients/javascript/drags.js"
};
static const uint8_t client_drops_js[] = {
#embed "../../clients/javascript/drops.js"
};
static const uint8_t client_emitter_js[] = {
#embed "../../clients/javascript/emitter.js"
};
static const uint8_t client_event_parser_js[] = {
#embed "../../clients/javascript/event-parser.js"
};
static const uint8_t client_folds_js[] = {
#embed "../../clients/javascript/folds.js"
};
static const uint8_t client_forms_js[] = {
#embed "../../clients/javascript/forms.js"
};
static const uint8_t client_grants_js[] = {
#embed "../../clients/javascript/grants.js"
};
static const uint8_t client_history_js[] = {
#embed "../../clients/javascript/history.js"
};
static const uint8_t client_ids_js[] = {
#embed "../../clients/javascript/ids.js"
};
static const uint8_t client_journal_js[] = {
#embed "../../clients/javascript/journal.js"
};
static const uint8_t client_limits_js[] = {
#embed "../../clients/javascript/limits.js"
};
static const uint8_t client_list_history_js[] = {
#embed "../../clients/javascript/list-history.js"
};
static const uint8_t client_list_js[] = {
#embed "../../clients/javascript/list.js"
};
static const uint8_t client_merge_patch_js[] = {
#embed "../../clients/javascript/merge-patch.js"
};
static const uint8_t client_outbox_js[] = {
#embed "../../clients/javascript/outbox.js"
};
static const uint8_t client_pauses_js[] = {
#embed "../../clients/javascript/pauses.js"
};
static const uint8_t client_quiet_streams_js[] = {
#embed "../../clients/javascript/quiet-streams.js"
};
static const uint8_t client_refusal_js[] = {
#embed "../../clients/javascript/refusal.js"
};
static const uint8_t client_refusals_js[] = {
#embed "../../clients/javascript/refusals.js"
};
static const uint8_t client_row_layout_js[] = {
#embed "../../clients/javascript/row-layout.js"
};
static const uint8_t client_rules_js[] = {
#embed "../../clients/javascript/rules.js"
};
static const uint8_t client_server_js[] = {
#embed "../../clients/javascript/server.js"
};
static const uint8_t client_shared_queues_js[] = {
#embed "../../clients/javascript/shared-queues.js"
};
static const uint8_t client_shared_streams_js[] = {
#embed "../../clients/javascript/shared-streams.js"
};
static const uint8_t client_shares_js[] = {
#embed "../../clients/javascript/shares.js"
};
static const uint8_t client_shown_rows_js[] = {
#embed "../../clients/javascript/shown-rows.js"
};
static const uint8_t client_steps_js[] = {
#embed "../../clients/javascript/steps.js"
};
static const uint8_t client_storage_js[] = {
#embed "../../clients/javascript/storage.js"
};
static const uint8_t client_stored_list_js[] = {
#embed "../../clients/javascript/stored-list.js"
};
static const uint8_t client_synced_list_js[] = {
#embed "../../clients/javascript/synced-list.js"
};
static const uint8_t client_transfer_js[] = {
#embed "../../clients/javascript/transfer.js"
};
static const uint8_t client_undoable_list_js[] = {
#embed "../../clients/javascript/undoable-list.js"
};
static const uint8_t client_whole_lists_js[] = {
#embed "../../clients/javascript/whole-lists.js"
};
static const uint8_t bundle_reorderd_js[] = {
#embed "../../clients/javascript/bundle/reorderd.js"
};
static const uint8_t bundle_reorderd_d_ts[] = {
#embed "../../clients/javascript/bundle/reorderd.d.ts"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}
static const struct embedded_file files[] = {
    FILE_OF("acts.js", acts_js),
    FILE_OF("confirm.js", confirm_js),
    FILE_OF("double-click.js", double_click_js),
    FILE_OF("drafts.js", drafts_js),
    FILE_OF("openapi.yaml", openapi_yaml),
    FILE_OF("openapi.json", openapi_json),
    FILE_OF("access.js", access_js),
    FILE_OF("actions.js", actions_js),
    FILE_OF("app.js", app_js),
    FILE_OF("bin.js", bin_js),
    FILE_OF("clicks.js", clicks_js),
    FILE_OF("composer.js", composer_js),
    FILE_OF("connection.js", connection_js),
    FILE_OF("cursor.js", cursor_js),
    FILE_OF("dialogs.css", dialogs_css),
    FILE_OF("dialogs.js", dialogs_js),
    FILE_OF("direction.js", direction_js),
    FILE_OF("drag-image.js", drag_image_js),
    FILE_OF("drag.js", drag_js),
    FILE_OF("edges.js", edges_js),
    FILE_OF("find-all.js", find_all_js),
    FILE_OF("fold-text.js", fold_text_js),
    FILE_OF("folders.js", folders_js),
    FILE_OF("folding.js", folding_js),
    FILE_OF("gaps.js", gaps_js),
    FILE_OF("ghosts.js", ghosts_js),
    FILE_OF("goal.js", goal_js),
    FILE_OF("history-dialog.js", history_dialog_js),
    FILE_OF("history-words.js", history_words_js),
    FILE_OF("icon-180.png", icon_180_png),
    FILE_OF("icon-192.png", icon_192_png),
    FILE_OF("icon-512.png", icon_512_png),
    FILE_OF("icon-maskable-512.png", icon_maskable_512_png),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("icons.js", icons_js),
    FILE_OF("index.html", index_html),
    FILE_OF("key.js", key_js),
    FILE_OF("keys.js", keys_js),
    FILE_OF("layout.js", layout_js),
    FILE_OF("lifting.js", lifting_js),
    FILE_OF("list-drag.js", list_drag_js),
    FILE_OF("list-order.js", list_order_js),
    FILE_OF("list-placing.js", list_placing_js),
    FILE_OF("list-rows.js", list_rows_js),
    FILE_OF("lists.js", lists_js),
    FILE_OF("lists.webmanifest", lists_webmanifest),
    FILE_OF("media.css", media_css),
    FILE_OF("menu.js", menu_js),
    FILE_OF("name.js", name_js),
    FILE_OF("notes.js", notes_js),
    FILE_OF("onto.js", onto_js),
    FILE_OF("page.css", page_css),
    FILE_OF("page.js", page_js),
    FILE_OF("pasted.js", pasted_js),
    FILE_OF("places.js", places_js),
    FILE_OF("popup.js", popup_js),
    FILE_OF("rename.js", rename_js),
    FILE_OF("rights.js", rights_js),
    FILE_OF("row.js", row_js),
    FILE_OF("rows.js", rows_js),
    FILE_OF("sample.js", sample_js),
    FILE_OF("search.js", search_js),
    FILE_OF("sections.js", sections_js),
    FILE_OF("selection.js", selection_js),
    FILE_OF("server-time.js", server_time_js),
    FILE_OF("settings.js", settings_js),
    FILE_OF("share-dialog.js", share_dialog_js),
    FILE_OF("shortcuts.js", shortcuts_js),
    FILE_OF("sidebar.css", sidebar_css),
    FILE_OF("sidebar.js", sidebar_js),
    FILE_OF("status.js", status_js),
    FILE_OF("stored-values.js", stored_values_js),
    FILE_OF("title.js", title_js),
    FILE_OF("token.js", token_js),
    FILE_OF("views.js", views_js),
    FILE_OF("words.js", words_js),
    FILE_OF("worker.js", worker_js),
    FILE_OF("client/all-lists.js", client_all_lists_js),
    FILE_OF("client/answers.js", client_answers_js),
    FILE_OF("client/app-list.js", client_app_list_js),
    FILE_OF("client/batches.js", client_batches_js),
    FILE_OF("client/changed-lists.js", client_changed_lists_js),
    FILE_OF("client/visible-rows.js", client_visible_rows_js),
    FILE_OF("client/client.js", client_client_js),
    FILE_OF("client/commands.js", client_commands_js),
    FILE_OF("client/drags.js", client_drags_js),
    FILE_OF("client/drops.js", client_drops_js),
    FILE_OF("client/emitter.js", client_emitter_js),
    FILE_OF("client/event-parser.js", client_event_parser_js),
    FILE_OF("client/folds.js", client_folds_js),
    FILE_OF("client/forms.js", client_forms_js),
    FILE_OF("client/grants.js", client_grants_js),
    FILE_OF("client/history.js", client_history_js),
    FILE_OF("client/ids.js", client_ids_js),
    FILE_OF("client/journal.js", client_journal_js),
    FILE_OF("client/limits.js", client_limits_js),
    FILE_OF("client/list-history.js", client_list_history_js),
    FILE_OF("client/list.js", client_list_js),
    FILE_OF("client/merge-patch.js", client_merge_patch_js),
    FILE_OF("client/outbox.js", client_outbox_js),
    FILE_OF("client/pauses.js", client_pauses_js),
    FILE_OF("client/quiet-streams.js", client_quiet_streams_js),
    FILE_OF("client/refusal.js", client_refusal_js),
    FILE_OF("client/refusals.js", client_refusals_js),
    FILE_OF("client/row-layout.js", client_row_layout_js),
    FILE_OF("client/rules.js", client_rules_js),
    FILE_OF("client/server.js", client_server_js),
    FILE_OF("client/shared-queues.js", client_shared_queues_js),
    FILE_OF("client/shared-streams.js", client_shared_streams_js),
    FILE_OF("client/shares.js", client_shares_js),
    FILE_OF("client/shown-rows.js", client_shown_rows_js),
    FILE_OF("client/steps.js", client_steps_js),
    FILE_OF("client/storage.js", client_storage_js),
    FILE_OF("client/stored-list.js", client_stored_list_js),
    FILE_OF("client/synced-list.js", client_synced_list_js),
    FILE_OF("client/transfer.js", client_transfer_js),
    FILE_OF("client/undoable-list.js", client_undoable_list_js),
    FILE_OF("client/whole-lists.js", client_whole_lists_js),
    FILE_OF("bundle/reorderd.js", bundle_reorderd_js),
    FILE_OF("bundle/reorderd.d.ts", bundle_reorderd_d_ts),
};

const struct embedded_file *embedded_files(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
