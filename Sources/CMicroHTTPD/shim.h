// Functions for the parts of libmicrohttpd that Swift can't import (variadic calls, macros).
// They contain no logic.
#pragma once

#include <microhttpd.h>
// These headers are not in Swift's Glibc module. The event loops use both.
#include <sys/epoll.h>
#include <sys/eventfd.h>

// MHD_start_daemon is variadic. Starts a daemon without a thread: its owner waits on its epoll
// descriptor and calls MHD_run. Returns NULL on failure.
//
// It does not listen: connections are added with MHD_add_connection.
//
// MHD_USE_TURBO: closing a connection only closes its descriptor, without shutting down the socket,
// so a duplicated socket stays open.
static inline struct MHD_Daemon *micro_mhd_start(
    unsigned int connection_limit, unsigned int idle_timeout_seconds,
    size_t connection_memory_bytes, void *context,
    void *(*begin)(void *, const char *, struct MHD_Connection *),
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback end,
    MHD_NotifyConnectionCallback notify,
    size_t (*unescape)(void *, struct MHD_Connection *, char *)) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_NO_LISTEN_SOCKET,
        0, NULL, NULL, handle, context,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory_bytes,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_END);
}

// MHD_get_daemon_info is variadic. The descriptor that is readable when MHD_run has work, or -1.
static inline int micro_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

// MHD_get_daemon_info is variadic. The number of open connections.
static inline unsigned int micro_mhd_connection_count(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info == NULL ? 0 : info->num_connections;
}

// MHD_get_connection_info is variadic. The size of the request line, the header fields and the
// empty line in bytes, counted from the method; 0 if they are incomplete.
static inline size_t micro_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

// MHD_get_connection_info is variadic. The connection's socket, or -1.
static inline int micro_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

// MHD_get_connection_info is variadic. The client's address, or NULL if unknown.
static inline const struct sockaddr *micro_mhd_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

// MHD_get_connection_info is variadic. The owner's context of the connection.
static inline void *micro_mhd_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

// MHD_SIZE_UNKNOWN and the reader's results are macros with casts. Creates a response of unknown
// length: the head is sent, then `reader` is called for the body.
static inline struct MHD_Response *micro_mhd_endless_response(
    ssize_t (*reader)(void *, uint64_t, char *, size_t), void *context) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, reader, context, NULL);
}

// MHD_set_response_options is variadic. Omits the final chunk that libmicrohttpd would send after a
// response without a body. The connection is closed after the response.
static inline void micro_mhd_without_chunks(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// MHD_SIZE_UNKNOWN is a macro with a cast. Creates a response to HEAD, or with status 304. It has a
// Content-Length, unless `size` is -1, but no body. `reader` is never called.
static inline struct MHD_Response *micro_mhd_bodiless_response(
    int64_t size, ssize_t (*reader)(void *, uint64_t, char *, size_t)) {
    return MHD_create_response_from_callback(
        size < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)size, 1, reader, NULL, NULL);
}

static inline ssize_t micro_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }

// Swift does not import the epoll constants as numbers. Watches a socket, edge-triggered, for
// becoming writable, for the end of the peer's data, and for errors.
static inline int micro_epoll_watch(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data = {.fd = descriptor}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

// Also watches for becoming readable.
static inline int micro_epoll_watch_both(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data = {.fd = descriptor}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

// Watches a socket, edge-triggered, for the end of the peer's data and for errors.
static inline int micro_epoll_watch_end(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data = {.fd = descriptor}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int micro_epoll_forget(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

static inline int micro_epoll_descriptor(const struct epoll_event *event) { return event->data.fd; }

static inline int micro_epoll_is_over(const struct epoll_event *event) {
    return (event->events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0;
}
