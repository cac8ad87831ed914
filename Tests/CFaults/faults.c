#define _GNU_SOURCE
#include "CFaults.h"
#include "faults.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum action { HANG, SLOW, FAIL, COUNT };

struct rule {
    char calls[256], where[512], tag[64];
    enum action action;

    /// Milliseconds or an error.
    int value;
    int first, count;
    int is_active, matches;
    char hit[FAULT_NAME];

    /// How many calls hang, and whether they may go on; other processes wait for changes of both.
    _Atomic int32_t hung, is_released;
};

/// All faults: of this process, or in a file that several map.
struct table {
    /// Guards all but what is atomic; survives a process that is killed while it has it.
    pthread_mutex_t lock;
    _Atomic int active;

    /// How many of the rules have been used so far.
    int used;

    /// Many, because one that a process was killed in is never free again.
    struct rule rules[1024];
};

static struct table own = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct table *_Atomic table = &own;

/// Whether the faults are those of other processes only.
static _Atomic int is_exempt;

/// Which of the tagged faults are this process's.
static const char *own_tag = "";

static void lock(struct table *table)
{
    if (pthread_mutex_lock(&table->lock) == EOWNERDEAD) pthread_mutex_consistent(&table->lock);
}

static void unlock(struct table *table) { pthread_mutex_unlock(&table->lock); }

/// Waits while the number is this one, for at most so many milliseconds, or for ever if they are negative.
static void wait_while(_Atomic int32_t *number, int32_t value, int milliseconds)
{
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, number, FUTEX_WAIT, value, milliseconds < 0 ? NULL : &limit, NULL, 0L);
}

static void wake(_Atomic int32_t *number) { syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0L); }

// MARK: - Reading faults

static int error_named(const char *name)
{
    for (int error = 1; error < 200; error++) {
        const char *other = strerrorname_np(error);
        if (other && strcmp(other, name) == 0) return error;
    }
    return atoi(name);
}

/// Returns whether the text is a fault.
static int read_rule(const char *text, struct rule *rule)
{
    char action[64] = "";
    rule->first = 1;
    rule->count = INT_MAX;
    int words = sscanf(text, " %63s %255s %511s %d %d %63s", action, rule->calls, rule->where, &rule->first,
                       &rule->count, rule->tag);
    if (words < 3) return 0;
    rule->action = COUNT;
    if (strcmp(action, "hang") == 0) {
        rule->action = HANG;
    } else if (strncmp(action, "slow=", 5) == 0) {
        rule->action = SLOW;
        rule->value = atoi(action + 5);
    } else if (strncmp(action, "fail=", 5) == 0) {
        rule->action = FAIL;
        rule->value = error_named(action + 5);
    } else if (strcmp(action, "count") != 0) {
        return 0;
    }
    return rule->action == HANG || rule->action == COUNT || rule->value > 0;
}

int alcedo_faults_add(const char *text)
{
    struct rule rule = {.is_active = 1};
    if (!read_rule(text, &rule)) return -1;
    struct table *all = table;
    int number = -1, size = sizeof all->rules / sizeof all->rules[0];
    lock(all);
    // The calls of a removed one may still be about to go on.
    for (int i = 0; i < size && number < 0; i++)
        if (!all->rules[i].is_active && all->rules[i].hung == 0) number = i;
    if (number >= all->used) all->used = number + 1;
    if (number >= 0) {
        memcpy(&all->rules[number], &rule, sizeof rule);
        all->active++;
    }
    unlock(all);
    return number;
}

int alcedo_faults_remove(int number)
{
    struct table *all = table;
    struct rule *rule = &all->rules[number];
    lock(all);
    if (rule->is_active) all->active--;
    rule->is_active = 0;
    int matches = rule->matches;
    // Before another fault can have its place.
    rule->is_released = 1;
    unlock(all);
    wake(&rule->is_released);
    return matches;
}

int alcedo_faults_calls(int number)
{
    struct table *all = table;
    lock(all);
    int matches = all->rules[number].matches;
    unlock(all);
    return matches;
}

int alcedo_faults_hung(int number) { return table->rules[number].hung; }

int alcedo_faults_wait(int number, int hung, int milliseconds)
{
    struct rule *rule = &table->rules[number];
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int32_t seen = rule->hung; seen < hung; seen = rule->hung) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        long spent = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
        if (spent >= milliseconds) return 0;
        wait_while(&rule->hung, seen, milliseconds - (int)spent);
    }
    return 1;
}

void alcedo_faults_hit(int number, char name[FAULT_NAME])
{
    struct table *all = table;
    lock(all);
    memcpy(name, all->rules[number].hit, FAULT_NAME);
    unlock(all);
}

// MARK: - Sharing

static struct table *map_table(const char *path, int flags)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return NULL;
    void *memory = MAP_FAILED;
    if (!(flags & O_CREAT) || syscall(SYS_ftruncate, file, sizeof(struct table)) == 0)
        memory = (void *)syscall(SYS_mmap, NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
    syscall(SYS_close, file);
    return memory == MAP_FAILED ? NULL : memory;
}

int alcedo_faults_share(const char *path)
{
    struct table *shared = map_table(path, O_CREAT | O_EXCL);
    if (!shared) return -1;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->lock, &attributes);
    is_exempt = 1;
    table = shared;
    return 0;
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *path = getenv("FAULTS_TABLE"), *faults = getenv("FAULTS");
    struct table *shared = path ? map_table(path, 0) : NULL;
    if (shared) table = shared;
    if (getenv("FAULTS_TAG")) own_tag = getenv("FAULTS_TAG");
    char text[4096];
    snprintf(text, sizeof text, "%s", faults ? faults : "");
    char *rest = text;
    for (char *fault; (fault = strsep(&rest, ";"));) {
        if (*fault && alcedo_faults_add(fault) < 0) {
            fprintf(stderr, "FAULTS: can't read “%s”\n", fault);
            _exit(2);
        }
    }
}

// MARK: - Finding faults

int has_faults(void) { return table->active > 0 && !is_exempt; }

static int names(const char *calls, const char *call)
{
    size_t length = strlen(call);
    if (strcmp(calls, "*") == 0) return 1;
    for (const char *word = calls; word; word = strchr(word, ',')) {
        if (*word == ',') word++;
        if (strncmp(word, call, length) == 0 && (word[length] == ',' || word[length] == 0)) return 1;
    }
    return 0;
}

static int is_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/// The path of a descriptor or of the current folder; empty if there is none.
static void read_link(int descriptor, char path[PATH_MAX])
{
    char link[64] = "/proc/self/cwd";
    if (descriptor != AT_FDCWD) snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static int has_path(const char *folder, const char *path, int descriptor)
{
    char name[PATH_MAX], whole[2 * PATH_MAX];
    if (path && path[0] == '/') return is_in(folder, path);
    if (!path && descriptor < 0) return 0;
    read_link(descriptor, name);
    snprintf(whole, sizeof whole, "%s%s%s", name, path ? "/" : "", path ? path : "");
    return is_in(folder, whole);
}

/// The port at the other end of a socket, 0 if there is none.
static int port_of(int descriptor)
{
    struct sockaddr_storage address = {0};
    socklen_t length = sizeof address;
    if (descriptor < 0 || getpeername(descriptor, (struct sockaddr *)&address, &length) != 0) return 0;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port) : 0;
}

static int is_about(const struct rule *rule, const struct subject *subject)
{
    const char *where = rule->where;
    if (rule->tag[0] && strcmp(rule->tag, own_tag) != 0) return 0;
    switch (where[0]) {
    case '*': return 1;
    case '#': return subject->descriptor == atoi(where + 1);
    case '@': return subject->host && strcmp(subject->host, where + 1) == 0;
    case ':': return (subject->port ? subject->port : port_of(subject->descriptor)) == atoi(where + 1);
    default:
        return (subject->path && has_path(where, subject->path, subject->folder))
            || (subject->other_path && has_path(where, subject->other_path, subject->other_folder))
            || has_path(where, NULL, subject->descriptor);
    }
}

/// Whether the kernel never blocks a call for this descriptor, or not for ever.
static int never_blocks(const char *call, int descriptor)
{
    struct stat attributes;
    if (descriptor < 0 || syscall(SYS_fstat, descriptor, &attributes) != 0) return 0;
    if (!S_ISSOCK(attributes.st_mode) && !S_ISFIFO(attributes.st_mode)) return 0;
    if (syscall(SYS_fcntl, descriptor, F_GETFL) & O_NONBLOCK) return 1;
    if (strcmp(call, "close") == 0 || strcmp(call, "fstat") == 0) return 1;
    if (strcmp(call, "recv") == 0 || strcmp(call, "read") == 0 || strcmp(call, "accept") == 0) {
        struct pollfd watched = {.fd = descriptor, .events = POLLIN};
        struct timespec none = {0, 0};
        return syscall(SYS_ppoll, &watched, 1, &none, NULL, 0L) > 0;
    }
    struct timeval limit = {0, 0};
    socklen_t length = sizeof limit;
    if (strcmp(call, "send") != 0 || getsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, &length) != 0) return 0;
    return limit.tv_sec > 0 || limit.tv_usec > 0;
}

static void hang(struct rule *rule)
{
    while (!rule->is_released) wait_while(&rule->is_released, 0, -1);
    rule->hung--;
}

int fault(const char *call, struct subject subject)
{
    struct table *all = table;
    int saved = errno;
    struct rule *hit = NULL;
    lock(all);
    for (int i = 0; i < all->used; i++) {
        struct rule *rule = &all->rules[i];
        if (!rule->is_active || !names(rule->calls, call) || !is_about(rule, &subject)) continue;
        if (rule->action == HANG && never_blocks(call, subject.descriptor)) continue;
        int number = ++rule->matches;
        if (hit || number < rule->first || number - rule->first >= rule->count) continue;
        hit = rule;
        snprintf(rule->hit, sizeof rule->hit, "%s", call);
        // Before the lock is released, so that nobody has its place meanwhile.
        if (rule->action == HANG) rule->hung++;
    }
    enum action action = hit ? hit->action : COUNT;
    int value = hit ? hit->value : 0;
    unlock(all);
    if (action == HANG) {
        wake(&hit->hung);
        hang(hit);
    }
    struct timespec pause = {value / 1000, value % 1000 * 1000000L};
    if (action == SLOW) nanosleep(&pause, NULL);
    errno = saved;
    return action == FAIL ? value : 0;
}

extern void dispatch_main(void) __attribute__((noreturn));

void alcedo_faults_main(void) { dispatch_main(); }
