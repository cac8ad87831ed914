#define _GNU_SOURCE
#include "isolation.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { channel = 3 };

/// A copy beyond the descriptors that a program starts with, which dup2 overwrites; -1 where that fails.
static int out_of_the_way(int descriptor) {
    return descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, channel + 1);
}

/// What reads nothing and swallows what is written, even without /dev.
static int open_null(void) {
    int descriptor = open("/dev/null", O_RDWR | O_CLOEXEC);
    return descriptor >= 0 ? descriptor : memfd_create("null", MFD_CLOEXEC);
}

static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int null, int socket) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failure = 0;
    for (int i = 0; i < channel; i++) failure |= posix_spawn_file_actions_adddup2(actions, null, i);
    failure |= posix_spawn_file_actions_adddup2(actions, socket, channel);
#if __GLIBC_PREREQ(2, 34)
    failure |= posix_spawn_file_actions_addclosefrom_np(actions, channel + 1);
#endif
    // A process starts with the mask and the ignored signals of the one that starts it.
    failure |= posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    failure |= posix_spawnattr_setpgroup(attributes, 0);
    failure |= posix_spawnattr_setsigmask(attributes, &none);
    failure |= posix_spawnattr_setsigdefault(attributes, &all);
    return failure;
}

pid_t alcedo_spawn(const char *path, char *const arguments[], char *const environment[], int socket) {
    int opened = open_null();
    int null = out_of_the_way(opened);
    if (opened >= 0) close(opened);
    int end = out_of_the_way(socket);
    pid_t process = -1;
    int failure = EMFILE;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (null >= 0 && end >= 0) {
        failure = prepare(&actions, &attributes, null, end);
        if (failure == 0) failure = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (null >= 0) close(null);
    if (end >= 0) close(end);
    if (failure == 0) return process;
    errno = failure;
    return -1;
}

int alcedo_process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

const char *alcedo_started_path(void) { return (const char *)getauxval(AT_EXECFN); }

void alcedo_kill(pid_t process, int descriptor) {
    if (descriptor >= 0) {
        if (syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0) == 0) return;
        // One that has been reaped may have left its number to another process.
        if (errno != ENOSYS && errno != EPERM) return;
    }
    kill(process, SIGKILL);
}

int alcedo_reap(pid_t process, int descriptor, int milliseconds, int *status, int *signal) {
    *status = *signal = -1;
    siginfo_t end = {0};
    int result;
    while (1) {
        if (descriptor >= 0) alcedo_wait_readable(descriptor, milliseconds);
        do result = waitid(P_PID, (id_t)process, &end, WEXITED | WNOHANG);
        while (result != 0 && errno == EINTR);
        if (descriptor >= 0 || result != 0 || end.si_pid != 0 || milliseconds <= 0) break;
        // There is nothing to wait on.
        alcedo_wait_readable(-1, 10);
        milliseconds -= 10;
    }
    // Somebody else has reaped it.
    if (result != 0) return errno == ECHILD;
    if (end.si_pid == 0) return 0;
    if (end.si_code == CLD_EXITED) {
        *status = end.si_status;
    } else {
        *signal = end.si_status;
    }
    return 1;
}
