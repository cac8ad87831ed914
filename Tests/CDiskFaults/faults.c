#define _GNU_SOURCE
#include "CDiskFaults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static struct {
    char folder[PATH_MAX];
    char call[32];
    int error, first, count;
    int is_armed, calls;
} fault;

/// Guards `fault`, as a cache goes on with its own work while the next trial begins.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void alcedo_faults_begin(const char *folder, const char *call, int error, int first, int count)
{
    pthread_mutex_lock(&lock);
    snprintf(fault.folder, sizeof fault.folder, "%s", folder);
    snprintf(fault.call, sizeof fault.call, "%s", call);
    fault.error = error;
    fault.first = first;
    fault.count = count;
    fault.calls = 0;
    fault.is_armed = 1;
    pthread_mutex_unlock(&lock);
}

int alcedo_faults_end(void)
{
    pthread_mutex_lock(&lock);
    fault.is_armed = 0;
    int calls = fault.calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

static int is_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/// The error that the call is to end with, 0 for none; counts it.
static int error_of(const char *call, const char *path)
{
    int error = 0;
    pthread_mutex_lock(&lock);
    if (fault.is_armed && strcmp(call, fault.call) == 0 && is_in(fault.folder, path)) {
        int number = ++fault.calls;
        if (number >= fault.first && number - fault.first < fault.count) error = fault.error;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static int fails(const char *call, const char *path)
{
    int error = error_of(call, path);
    if (error) errno = error;
    return error != 0;
}

static int fails_at(const char *call, int descriptor)
{
    char link[64], path[PATH_MAX];
    pthread_mutex_lock(&lock);
    int is_watched = fault.is_armed && strcmp(call, fault.call) == 0;
    pthread_mutex_unlock(&lock);
    if (!is_watched) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path);
}

/// The C library's own function of that name.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define BY_PATH(result, failure, name, parameters, arguments)                  \
    result name parameters                                                     \
    {                                                                          \
        return fails(#name, path) ? failure : REAL(name) arguments;            \
    }

#define BY_DESCRIPTOR(result, name, parameters, arguments)                     \
    result name parameters                                                     \
    {                                                                          \
        return fails_at(#name, file) ? -1 : REAL(name) arguments;              \
    }

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails("open", path) ? -1 : REAL(open)(path, flags, mode);
}

BY_PATH(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
BY_PATH(int, -1, rename, (const char *path, const char *place), (path, place))
BY_PATH(int, -1, link, (const char *path, const char *place), (path, place))
BY_PATH(DIR *, NULL, opendir, (const char *path), (path))
BY_DESCRIPTOR(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
BY_DESCRIPTOR(ssize_t, pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at))
BY_DESCRIPTOR(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
BY_DESCRIPTOR(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at))
BY_DESCRIPTOR(int, fstat, (int file, struct stat *attributes), (file, attributes))
BY_DESCRIPTOR(int, flock, (int file, int operation), (file, operation))
BY_DESCRIPTOR(int, ftruncate, (int file, off_t length), (file, length))
BY_DESCRIPTOR(int, futimens, (int file, const struct timespec times[2]), (file, times))
BY_DESCRIPTOR(ssize_t, fgetxattr, (int file, const char *name, void *bytes, size_t count), (file, name, bytes, count))
BY_DESCRIPTOR(int, fsetxattr, (int file, const char *name, const void *bytes, size_t count, int flags),
              (file, name, bytes, count, flags))

/// The descriptor is gone even where closing it fails.
int close(int file)
{
    int has_failed = fails_at("close", file), error = errno;
    int result = REAL(close)(file);
    if (has_failed) errno = error;
    return has_failed ? -1 : result;
}
