#include <microhttpd.h>
#include <string.h>

// libmicrohttpd's functions with variable arguments are not visible to Swift.

struct alcedo_mhd_settings {
    /// A listening socket. The daemon closes it.
    int socket;
    unsigned int threads;
    unsigned int connections;
    /// Seconds without a byte after which a connection is closed.
    unsigned int idle_timeout;
    /// Bytes of each connection for its request line and headers.
    size_t memory;
    void *context;
    /// Called with the request target as the client sent it; its result is the request's context.
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback end;
    MHD_NotifyConnectionCallback notify;
};

/// Leaves percent-encoding as it is.
static size_t alcedo_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/// Starts threads that serve `settings->socket`; NULL if that fails.
static inline struct MHD_Daemon *alcedo_mhd_start(const struct alcedo_mhd_settings *settings) {
    struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)settings->threads, NULL}, {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, settings->handle,
        settings->context, MHD_OPTION_LISTEN_SOCKET, settings->socket, MHD_OPTION_URI_LOG_CALLBACK, settings->begin,
        settings->context, MHD_OPTION_UNESCAPE_CALLBACK, alcedo_mhd_keep_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        settings->end, settings->context, MHD_OPTION_NOTIFY_CONNECTION, settings->notify, settings->context,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections, MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory, MHD_OPTION_ARRAY, settings->threads > 1 ? pool : none,
        MHD_OPTION_END);
}

/// The socket of a connection; -1 if there is none.
static inline int alcedo_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// Sets the seconds without a byte after which a connection is closed.
static inline void alcedo_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}
