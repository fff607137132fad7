// #embed is part of C23, and clang supports it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "embedded_files.h"

static const uint8_t openapi_yaml[] = {
#embed "../../openapi.yaml"
};
static const uint8_t access_js[] = {
#embed "../ReorderAPI/Web/Files/access.js"
};
static const uint8_t api_js[] = {
#embed "../ReorderAPI/Web/Files/api.js"
};
static const uint8_t app_js[] = {
#embed "../ReorderAPI/Web/Files/app.js"
};
static const uint8_t clicks_js[] = {
#embed "../ReorderAPI/Web/Files/clicks.js"
};
static const uint8_t composer_js[] = {
#embed "../ReorderAPI/Web/Files/composer.js"
};
static const uint8_t cursor_js[] = {
#embed "../ReorderAPI/Web/Files/cursor.js"
};
static const uint8_t drag_js[] = {
#embed "../ReorderAPI/Web/Files/drag.js"
};
static const uint8_t drags_js[] = {
#embed "../ReorderAPI/Web/Files/drags.js"
};
static const uint8_t edges_js[] = {
#embed "../ReorderAPI/Web/Files/edges.js"
};
static const uint8_t icon_svg[] = {
#embed "../ReorderAPI/Web/Files/icon.svg"
};
static const uint8_t icons_js[] = {
#embed "../ReorderAPI/Web/Files/icons.js"
};
static const uint8_t index_html[] = {
#embed "../ReorderAPI/Web/Files/index.html"
};
static const uint8_t keys_js[] = {
#embed "../ReorderAPI/Web/Files/keys.js"
};
static const uint8_t layout_js[] = {
#embed "../ReorderAPI/Web/Files/layout.js"
};
static const uint8_t lifting_js[] = {
#embed "../ReorderAPI/Web/Files/lifting.js"
};
static const uint8_t list_js[] = {
#embed "../ReorderAPI/Web/Files/list.js"
};
static const uint8_t lists_js[] = {
#embed "../ReorderAPI/Web/Files/lists.js"
};
static const uint8_t notes_js[] = {
#embed "../ReorderAPI/Web/Files/notes.js"
};
static const uint8_t page_css[] = {
#embed "../ReorderAPI/Web/Files/page.css"
};
static const uint8_t page_js[] = {
#embed "../ReorderAPI/Web/Files/page.js"
};
static const uint8_t places_js[] = {
#embed "../ReorderAPI/Web/Files/places.js"
};
static const uint8_t queue_js[] = {
#embed "../ReorderAPI/Web/Files/queue.js"
};
static const uint8_t rename_js[] = {
#embed "../ReorderAPI/Web/Files/rename.js"
};
static const uint8_t row_js[] = {
#embed "../ReorderAPI/Web/Files/row.js"
};
static const uint8_t rows_js[] = {
#embed "../ReorderAPI/Web/Files/rows.js"
};
static const uint8_t rules_js[] = {
#embed "../ReorderAPI/Web/Files/rules.js"
};
static const uint8_t sections_js[] = {
#embed "../ReorderAPI/Web/Files/sections.js"
};
static const uint8_t selection_js[] = {
#embed "../ReorderAPI/Web/Files/selection.js"
};
static const uint8_t session_js[] = {
#embed "../ReorderAPI/Web/Files/session.js"
};
static const uint8_t settings_js[] = {
#embed "../ReorderAPI/Web/Files/settings.js"
};
static const uint8_t drag_image_js[] = {
#embed "../ReorderAPI/Web/Files/drag-image.js"
};
static const uint8_t status_js[] = {
#embed "../ReorderAPI/Web/Files/status.js"
};
static const uint8_t steps_js[] = {
#embed "../ReorderAPI/Web/Files/steps.js"
};
static const uint8_t token_js[] = {
#embed "../ReorderAPI/Web/Files/token.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}
static const struct embedded_file files[] = {
    FILE_OF("openapi.yaml", openapi_yaml),
    FILE_OF("access.js", access_js),
    FILE_OF("api.js", api_js),
    FILE_OF("app.js", app_js),
    FILE_OF("clicks.js", clicks_js),
    FILE_OF("composer.js", composer_js),
    FILE_OF("cursor.js", cursor_js),
    FILE_OF("drag.js", drag_js),
    FILE_OF("drags.js", drags_js),
    FILE_OF("edges.js", edges_js),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("icons.js", icons_js),
    FILE_OF("index.html", index_html),
    FILE_OF("keys.js", keys_js),
    FILE_OF("layout.js", layout_js),
    FILE_OF("lifting.js", lifting_js),
    FILE_OF("list.js", list_js),
    FILE_OF("lists.js", lists_js),
    FILE_OF("notes.js", notes_js),
    FILE_OF("page.css", page_css),
    FILE_OF("page.js", page_js),
    FILE_OF("places.js", places_js),
    FILE_OF("queue.js", queue_js),
    FILE_OF("rename.js", rename_js),
    FILE_OF("row.js", row_js),
    FILE_OF("rows.js", rows_js),
    FILE_OF("rules.js", rules_js),
    FILE_OF("sections.js", sections_js),
    FILE_OF("selection.js", selection_js),
    FILE_OF("session.js", session_js),
    FILE_OF("settings.js", settings_js),
    FILE_OF("drag-image.js", drag_image_js),
    FILE_OF("status.js", status_js),
    FILE_OF("steps.js", steps_js),
    FILE_OF("token.js", token_js),
};

const struct embedded_file *embedded_files(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
