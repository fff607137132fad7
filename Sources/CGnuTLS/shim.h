// Functions for the parts of GnuTLS that Swift can't import (combined flags, macros). They contain
// no logic.
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// Starts a server's session on a nonblocking socket. The session refers to `credentials` and
// `priority` without owning them. Returns a negative value on failure.
static inline int micro_tls_begin(
    gnutls_session_t *session, gnutls_certificate_credentials_t credentials,
    gnutls_priority_t priority, int socket) {
    unsigned char name[] = "http/1.1";
    gnutls_datum_t protocol = {name, sizeof name - 1};
    int code = gnutls_init(session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
    if (code < 0) return code;
    if ((code = gnutls_priority_set(*session, priority)) < 0 ||
        (code = gnutls_credentials_set(*session, GNUTLS_CRD_CERTIFICATE, credentials)) < 0 ||
        (code = gnutls_alpn_set_protocols(*session, &protocol, 1, 0)) < 0) {
        gnutls_deinit(*session);
        return code;
    }
    gnutls_transport_set_int(*session, socket);
    return 0;
}

// Starts a client's session on a blocking socket. The session refers to `credentials` without
// owning them. Returns a negative value on failure.
static inline int micro_tls_begin_client(
    gnutls_session_t *session, gnutls_certificate_credentials_t credentials, int socket) {
    int code = gnutls_init(session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL);
    if (code < 0) return code;
    if ((code = gnutls_set_default_priority(*session)) < 0 ||
        (code = gnutls_credentials_set(*session, GNUTLS_CRD_CERTIFICATE, credentials)) < 0) {
        gnutls_deinit(*session);
        return code;
    }
    gnutls_transport_set_int(*session, socket);
    return 0;
}

// Reads a certificate chain and its private key, both in PEM. Returns a negative value on failure.
static inline int micro_tls_read(
    gnutls_certificate_credentials_t credentials, const char *certificates, const char *key) {
    return gnutls_certificate_set_x509_key_file2(
        credentials, certificates, key, GNUTLS_X509_FMT_PEM, NULL, 0);
}

// Sends the closing alert, and does not wait for the peer's alert.
static inline int micro_tls_end(gnutls_session_t session) {
    return gnutls_bye(session, GNUTLS_SHUT_WR);
}

// Frees memory that GnuTLS allocated. `gnutls_free` is a mutable global variable, and Swift 6 does
// not allow functions to read it.
static inline void micro_free(void *memory) {
    gnutls_free(memory);
}
