// The only C of the project: what Swift can't import of libmicrohttpd (variadic calls, macros),
// each as a function with a name. Nothing here decides anything.
#pragma once

#include <microhttpd.h>
// Not in Swift's Glibc module: the descriptor that wakes an event loop.
#include <sys/eventfd.h>

// MHD_start_daemon is variadic. A daemon without a thread of its own: its owner waits on its epoll
// descriptor and calls MHD_run. Returns NULL on failure.
static inline struct MHD_Daemon *micro_mhd_start(
    int listen_socket, unsigned int connection_limit, unsigned int idle_timeout_seconds,
    size_t connection_memory_bytes, void *context,
    void *(*begin)(void *, const char *, struct MHD_Connection *),
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback end,
    size_t (*unescape)(void *, struct MHD_Connection *, char *)) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, context,
        MHD_OPTION_LISTEN_SOCKET, listen_socket,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory_bytes,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_END);
}

// MHD_get_daemon_info is variadic. The descriptor that is readable when MHD_run has work; -1 if none.
static inline int micro_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

// MHD_get_daemon_info is variadic. Connections that are open now.
static inline unsigned int micro_mhd_connection_count(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info == NULL ? 0 : info->num_connections;
}

// MHD_get_connection_info is variadic. Bytes of the request line, the header fields and the empty
// line, counted from the method; 0 where they are not complete.
static inline size_t micro_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}
