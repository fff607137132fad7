// #embed is part of C23, and clang supports it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "embedded_files.h"

static const uint8_t openapi_yaml[] = {
#embed "../../openapi.yaml"
};
static const uint8_t openapi_json[] = {
#embed "../../openapi.json"
};
static const uint8_t app_js[] = {
#embed "../WebPage/Bundle/app.js"
};
static const uint8_t de_js[] = {
#embed "../WebPage/Bundle/de.js"
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
static const uint8_t index_html[] = {
#embed "../WebPage/Files/index.html"
};
static const uint8_t later_js[] = {
#embed "../WebPage/Bundle/later.js"
};
static const uint8_t lists_webmanifest[] = {
#embed "../WebPage/Files/lists.webmanifest"
};
static const uint8_t styles_css[] = {
#embed "../WebPage/Bundle/styles.css"
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
    FILE_OF("openapi.yaml", openapi_yaml),
    FILE_OF("openapi.json", openapi_json),
    FILE_OF("app.js", app_js),
    FILE_OF("de.js", de_js),
    FILE_OF("icon-180.png", icon_180_png),
    FILE_OF("icon-192.png", icon_192_png),
    FILE_OF("icon-512.png", icon_512_png),
    FILE_OF("icon-maskable-512.png", icon_maskable_512_png),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("index.html", index_html),
    FILE_OF("later.js", later_js),
    FILE_OF("lists.webmanifest", lists_webmanifest),
    FILE_OF("styles.css", styles_css),
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
