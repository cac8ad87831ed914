#define _GNU_SOURCE
#include "isolation.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

const int alcedo_limit_address_space = RLIMIT_AS;
const int alcedo_limit_cpu = RLIMIT_CPU;
const int alcedo_limit_core = RLIMIT_CORE;
const int alcedo_limit_file_size = RLIMIT_FSIZE;
const int alcedo_limit_files = RLIMIT_NOFILE;

int alcedo_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

/// The rules as of Linux 6.12; a header may be older, and a kernel is given what it knows.
struct ruleset {
    uint64_t files, network, scoped;
};

static struct ruleset everything(int version) {
    // Thirteen rights of files in version 1; then linking across folders, truncating, and calls of devices.
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (struct ruleset){
        .files = (1ULL << rights) - 1,
        .network = version >= 4 ? 3 : 0,
        .scoped = version >= 6 ? 3 : 0,
    };
}

static void allow_reading(int rules, const char *path) {
    int folder = open(path, O_PATH | O_CLOEXEC);
    if (folder < 0) return;
    struct landlock_path_beneath_attr beneath = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = folder,
    };
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0) {
        // A file can't have the right of a folder.
        beneath.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    }
    close(folder);
}

int alcedo_landlock(const char *const paths[]) {
    int version = alcedo_landlock_version();
    if (version == 0) {
        errno = ENOSYS;
        return -1;
    }
    struct ruleset ruleset = everything(version);
    size_t size = version >= 6 ? sizeof ruleset : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
    if (rules < 0) return -1;
    for (; *paths != NULL; paths++) allow_reading(rules, *paths);
    int result = (int)syscall(SYS_landlock_restrict_self, rules, 0);
    int reason = errno;
    close(rules);
    errno = reason;
    return result;
}

int alcedo_give_up_privileges(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -1 : 0;
}

int alcedo_limit(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value) value = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = value;
    return setrlimit(resource, &limit);
}

void alcedo_close_from(int first) {
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    // Kernels before 5.9.
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
    for (int descriptor = first; descriptor < end; descriptor++) close(descriptor);
}

static void *wait_for_end(void *socket) {
    // Without events to wait for, poll reports the end only.
    struct pollfd watched = {.fd = (int)(intptr_t)socket, .events = 0};
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {}
    _exit(0);
}

int alcedo_end_with(int socket) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    int failure = pthread_create(&thread, &attributes, wait_for_end, (void *)(intptr_t)socket);
    pthread_attr_destroy(&attributes);
    return failure == 0 ? 0 : -1;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

int alcedo_is_sanitized(void) {
#ifdef SANITIZED
    return 1;
#else
    return 0;
#endif
}
