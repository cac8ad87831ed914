#define _GNU_SOURCE
#include "isolation.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/// What a message and what comes with it may take; the system's default is too little for a small picture.
enum { buffer_size = 1 << 19 };

/// Seconds that the program waits for a worker to read, which it does at once unless something is wrong.
enum { send_timeout = 1 };

int alcedo_channel(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    int size = buffer_size;
    for (int i = 0; i < 2; i++) setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    struct timeval limit = {.tv_sec = send_timeout};
    return setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

int alcedo_send(int socket, const void *head, size_t head_count, const void *tail, size_t tail_count, int descriptor) {
    struct iovec parts[2] = {
        {.iov_base = (void *)head, .iov_len = head_count},
        {.iov_base = (void *)tail, .iov_len = tail_count},
    };
    // A union, because the header has to be aligned.
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = tail_count > 0 ? 2 : 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int alcedo_send_bytes(int socket, const void *head, size_t head_count, const void *tail, size_t tail_count) {
    struct iovec parts[2] = {
        {.iov_base = (void *)head, .iov_len = head_count},
        {.iov_base = (void *)tail, .iov_len = tail_count},
    };
    ssize_t sent;
    do sent = writev(socket, parts, tail_count > 0 ? 2 : 1);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

/// The first descriptor that came, or -1; closes all others.
static int take_descriptor(struct msghdr *message, int *count) {
    int first = -1;
    *count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < found; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if ((*count)++ == 0) {
                first = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    return first;
}

ssize_t alcedo_receive(int socket, void *buffer, size_t capacity, int *descriptor) {
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor != NULL) {
        *descriptor = -1;
        message.msg_control = &control;
        message.msg_controllen = sizeof control.bytes;
    }
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    // The padding of the buffer has room for a second descriptor.
    int count = 0;
    int first = descriptor != NULL ? take_descriptor(&message, &count) : -1;
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || count > 1) {
        if (first >= 0) close(first);
        errno = EBADMSG;
        return -1;
    }
    if (descriptor != NULL) *descriptor = first;
    return received;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int alcedo_wait_readable(int descriptor, int milliseconds) {
    struct pollfd watched = {.fd = descriptor, .events = POLLIN};
    int64_t deadline = now() + milliseconds;
    int left = milliseconds;
    while (1) {
        int count = poll(&watched, 1, left);
        if (count >= 0 || errno != EINTR) return count;
        // A signal is no reason to wait less.
        int64_t rest = deadline - now();
        if (milliseconds >= 0) left = rest > 0 ? (int)rest : 0;
    }
}
