#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// libmicrohttpd's functions with variable arguments are not visible to Swift.

struct alcedo_mhd_settings {
    /// A listening socket. The daemon closes it.
    int socket;
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
    /// Called on the connection's thread with the format of a message about a request.
    MHD_LogCallback log;
};

/// Leaves percent-encoding as it is.
static size_t alcedo_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/// Starts to serve `settings->socket` in calls of alcedo_mhd_turn; NULL if that fails.
static inline struct MHD_Daemon *alcedo_mhd_start(const struct alcedo_mhd_settings *settings) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, settings->handle, settings->context,
        MHD_OPTION_EXTERNAL_LOGGER, settings->log, settings->context, MHD_OPTION_LISTEN_SOCKET, settings->socket, MHD_OPTION_URI_LOG_CALLBACK, settings->begin, settings->context,
        MHD_OPTION_UNESCAPE_CALLBACK, alcedo_mhd_keep_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED, settings->end,
        settings->context, MHD_OPTION_NOTIFY_CONNECTION, settings->notify, settings->context,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections, MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->memory, MHD_OPTION_END);
}

/// A descriptor that alcedo_mhd_wake makes readable; -1 if there is none.
static inline int alcedo_mhd_waker(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Ends the wait of alcedo_mhd_turn.
static inline void alcedo_mhd_wake(int waker) { eventfd_write(waker, 1); }

/// The open connections of a daemon.
static inline unsigned int alcedo_mhd_connections(struct MHD_Daemon *daemon) {
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

/// Whether the process can open one more descriptor.
static inline bool alcedo_mhd_has_descriptor(void) {
    int descriptor = alcedo_mhd_waker();
    if (descriptor < 0) return false;
    close(descriptor);
    return true;
}

/// Waits for events or for alcedo_mhd_wake, and serves what there is to serve.
static inline void alcedo_mhd_turn(struct MHD_Daemon *daemon, int waker) {
    MHD_UNSIGNED_LONG_LONG left = 0;
    int timeout = -1;
    if (MHD_get_timeout(daemon, &left) == MHD_YES) timeout = left < 60000 ? (int)left : 60000;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd watched[] = {{info->epoll_fd, POLLIN, 0}, {waker, POLLIN, 0}};
    poll(watched, 2, timeout);
    eventfd_t count;
    if (watched[1].revents != 0) eventfd_read(waker, &count);
    unsigned int before = alcedo_mhd_connections(daemon);
    MHD_run(daemon);
    // A daemon with as many connections as it may have listens again at the start of a run.
    unsigned int after = alcedo_mhd_connections(daemon);
    if (after < before) MHD_run(daemon);
    // A daemon without connections tries at once again to accept one for which there is no descriptor.
    if (watched[0].revents != 0 && before == 0 && after == 0 && !alcedo_mhd_has_descriptor()) poll(watched + 1, 1, 100);
}

/// The daemon of a connection.
static inline struct MHD_Daemon *alcedo_mhd_daemon(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_DAEMON);
    return info == NULL ? NULL : info->daemon;
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

/// Writes the IP address of a connection's client; false on a Unix socket. That of an IPv4 client of a socket for both
/// is written as IPv4.
static inline bool alcedo_mhd_client(struct MHD_Connection *connection, char *text, socklen_t size) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (info == NULL || info->client_addr == NULL) return false;
    if (info->client_addr->sa_family == AF_INET)
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)info->client_addr)->sin_addr, text, size) != NULL;
    if (info->client_addr->sa_family != AF_INET6) return false;
    const struct in6_addr *address = &((const struct sockaddr_in6 *)info->client_addr)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(address)) return inet_ntop(AF_INET, address->s6_addr + 12, text, size) != NULL;
    return inet_ntop(AF_INET6, address, text, size) != NULL;
}
