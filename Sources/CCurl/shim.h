// Functions for the parts of libcurl that Swift can't import (functions with variable arguments, and macros).
// They contain no logic.
#pragma once

#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "reorderd needs libcurl 7.87 or later"
#endif

static inline CURLcode micro_curl_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode micro_curl_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode micro_curl_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the body.
static inline CURLcode micro_curl_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, (const char *)bytes) : code;
}

static inline CURLcode micro_curl_on_open(CURL *handle, curl_opensocket_callback open, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context) : code;
}

static inline CURLcode micro_curl_on_body(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode micro_curl_on_field(CURL *handle, curl_write_callback read, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, read);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

static inline long micro_curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// The seconds of the field Retry-After; 0 without it.
static inline long long micro_curl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return seconds;
}

static inline CURLcode micro_curl_result(const CURLMsg *message) { return message->data.result; }

static inline void micro_curl_limit_idle(CURLM *multi, long count) {
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

// Whether libcurl looks up names without blocking the thread that calls it.
static inline int micro_curl_looks_up_names_aside(void) {
    return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS) != 0;
}

static inline void micro_curl_begin(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }
