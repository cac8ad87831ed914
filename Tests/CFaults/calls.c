#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/// The C library's own function of that name, looked up once.
#define REAL(name)                                                                          \
    ({                                                                                      \
        static void *_Atomic real;                                                          \
        if (!real) real = dlsym(RTLD_NEXT, #name);                                          \
        (__typeof__(&name))real;                                                            \
    })

static int no_error(const char *call, struct subject subject)
{
    int error = has_faults() ? fault(call, subject) : 0;
    if (error) errno = error;
    return !error;
}

static int may(const char *call, int folder, const char *path)
{
    return no_error(call, (struct subject){.path = path, .folder = folder, .descriptor = -1});
}

static int may_for(const char *call, int descriptor)
{
    return no_error(call, (struct subject){.descriptor = descriptor});
}

static int may_between(const char *call, int folder, const char *path, int other_folder, const char *other)
{
    return no_error(call, (struct subject){path, folder, other, other_folder, .descriptor = -1});
}

#define BY_PATH(call, result, failure, name, parameters, arguments)                         \
    result name parameters { return may(call, AT_FDCWD, path) ? REAL(name) arguments : failure; }

#define IN_FOLDER(call, result, failure, name, parameters, arguments)                       \
    result name parameters { return may(call, folder, path) ? REAL(name) arguments : failure; }

#define BY_DESCRIPTOR(call, result, name, parameters, arguments)                            \
    result name parameters { return may_for(call, file) ? REAL(name) arguments : -1; }

#define ANYWHERE(call, result, failure, name, parameters, arguments)                        \
    result name parameters { return may_for(call, -1) ? REAL(name) arguments : failure; }

// MARK: - Opening

#define OPEN(name, folder, parameters, ...)                                                 \
    int name parameters                                                                     \
    {                                                                                       \
        va_list list;                                                                       \
        va_start(list, flags);                                                              \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;           \
        va_end(list);                                                                       \
        return may("open", folder, path) ? REAL(name)(__VA_ARGS__, flags, mode) : -1;       \
    }

OPEN(open, AT_FDCWD, (const char *path, int flags, ...), path)
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), path)
OPEN(openat, folder, (int folder, const char *path, int flags, ...), folder, path)
OPEN(openat64, folder, (int folder, const char *path, int flags, ...), folder, path)
BY_PATH("open", int, -1, creat, (const char *path, mode_t mode), (path, mode))
BY_PATH("open", FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
BY_PATH("open", FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
BY_PATH("opendir", DIR *, NULL, opendir, (const char *path), (path))

// MARK: - Paths

BY_PATH("stat", int, -1, stat, (const char *path, struct stat *attributes), (path, attributes))
BY_PATH("stat", int, -1, stat64, (const char *path, struct stat64 *attributes), (path, attributes))
BY_PATH("lstat", int, -1, lstat, (const char *path, struct stat *attributes), (path, attributes))
BY_PATH("lstat", int, -1, lstat64, (const char *path, struct stat64 *attributes), (path, attributes))
IN_FOLDER("fstatat", int, -1, fstatat, (int folder, const char *path, struct stat *attributes, int flags),
          (folder, path, attributes, flags))
IN_FOLDER("fstatat", int, -1, fstatat64, (int folder, const char *path, struct stat64 *attributes, int flags),
          (folder, path, attributes, flags))
IN_FOLDER("statx", int, -1, statx,
          (int folder, const char *path, int flags, unsigned mask, struct statx *attributes),
          (folder, path, flags, mask, attributes))
BY_PATH("statvfs", int, -1, statvfs, (const char *path, struct statvfs *attributes), (path, attributes))
BY_PATH("access", int, -1, access, (const char *path, int mode), (path, mode))
IN_FOLDER("access", int, -1, faccessat, (int folder, const char *path, int mode, int flags),
          (folder, path, mode, flags))
BY_PATH("mkdir", int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
IN_FOLDER("mkdir", int, -1, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
BY_PATH("rmdir", int, -1, rmdir, (const char *path), (path))
BY_PATH("unlink", int, -1, unlink, (const char *path), (path))
IN_FOLDER("unlink", int, -1, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
BY_PATH("readlink", ssize_t, -1, readlink, (const char *path, char *bytes, size_t count), (path, bytes, count))
IN_FOLDER("readlink", ssize_t, -1, readlinkat, (int folder, const char *path, char *bytes, size_t count),
          (folder, path, bytes, count))
BY_PATH("realpath", char *, NULL, realpath, (const char *path, char *resolved), (path, resolved))
BY_PATH("chmod", int, -1, chmod, (const char *path, mode_t mode), (path, mode))
BY_PATH("truncate", int, -1, truncate, (const char *path, off_t length), (path, length))
IN_FOLDER("utimensat", int, -1, utimensat,
          (int folder, const char *path, const struct timespec times[2], int flags), (folder, path, times, flags))
BY_PATH("getxattr", ssize_t, -1, getxattr, (const char *path, const char *name, void *bytes, size_t count),
        (path, name, bytes, count))
BY_PATH("getxattr", ssize_t, -1, lgetxattr, (const char *path, const char *name, void *bytes, size_t count),
        (path, name, bytes, count))
BY_PATH("setxattr", int, -1, setxattr,
        (const char *path, const char *name, const void *bytes, size_t count, int flags),
        (path, name, bytes, count, flags))
BY_PATH("setxattr", int, -1, lsetxattr,
        (const char *path, const char *name, const void *bytes, size_t count, int flags),
        (path, name, bytes, count, flags))

#define BETWEEN(call, name, parameters, folder, other_folder, arguments)                    \
    int name parameters                                                                     \
    {                                                                                       \
        return may_between(call, folder, path, other_folder, other) ? REAL(name) arguments : -1; \
    }

BETWEEN("rename", rename, (const char *path, const char *other), AT_FDCWD, AT_FDCWD, (path, other))
BETWEEN("rename", renameat, (int folder, const char *path, int other_folder, const char *other), folder,
        other_folder, (folder, path, other_folder, other))
BETWEEN("rename", renameat2,
        (int folder, const char *path, int other_folder, const char *other, unsigned flags), folder, other_folder,
        (folder, path, other_folder, other, flags))
BETWEEN("link", link, (const char *path, const char *other), AT_FDCWD, AT_FDCWD, (path, other))
BETWEEN("link", linkat, (int folder, const char *path, int other_folder, const char *other, int flags), folder,
        other_folder, (folder, path, other_folder, other, flags))

int symlink(const char *target, const char *path)
{
    return may("symlink", AT_FDCWD, path) ? REAL(symlink)(target, path) : -1;
}

FTS *fts_open(char *const *paths, int options, int (*order)(const FTSENT **, const FTSENT **))
{
    return may("fts_open", AT_FDCWD, paths[0]) ? REAL(fts_open)(paths, options, order) : NULL;
}

FTSENT *fts_read(FTS *files)
{
    const char *path = files->fts_cur ? files->fts_cur->fts_path : NULL;
    return may("fts_read", AT_FDCWD, path) ? REAL(fts_read)(files) : NULL;
}

// MARK: - Descriptors

BY_DESCRIPTOR("read", ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
BY_DESCRIPTOR("pread", ssize_t, pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at))
BY_DESCRIPTOR("pread", ssize_t, pread64, (int file, void *bytes, size_t count, off64_t at),
              (file, bytes, count, at))
BY_DESCRIPTOR("readv", ssize_t, readv, (int file, const struct iovec *pieces, int count), (file, pieces, count))
BY_DESCRIPTOR("write", ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
BY_DESCRIPTOR("pwrite", ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at),
              (file, bytes, count, at))
BY_DESCRIPTOR("pwrite", ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at),
              (file, bytes, count, at))
BY_DESCRIPTOR("writev", ssize_t, writev, (int file, const struct iovec *pieces, int count), (file, pieces, count))
BY_DESCRIPTOR("fstat", int, fstat, (int file, struct stat *attributes), (file, attributes))
BY_DESCRIPTOR("fstat", int, fstat64, (int file, struct stat64 *attributes), (file, attributes))
BY_DESCRIPTOR("fsync", int, fsync, (int file), (file))
BY_DESCRIPTOR("fsync", int, fdatasync, (int file), (file))
BY_DESCRIPTOR("flock", int, flock, (int file, int operation), (file, operation))
BY_DESCRIPTOR("ftruncate", int, ftruncate, (int file, off_t length), (file, length))
BY_DESCRIPTOR("ftruncate", int, ftruncate64, (int file, off64_t length), (file, length))
BY_DESCRIPTOR("fchmod", int, fchmod, (int file, mode_t mode), (file, mode))
BY_DESCRIPTOR("futimens", int, futimens, (int file, const struct timespec times[2]), (file, times))
BY_DESCRIPTOR("fgetxattr", ssize_t, fgetxattr, (int file, const char *name, void *bytes, size_t count),
              (file, name, bytes, count))
BY_DESCRIPTOR("fsetxattr", int, fsetxattr,
              (int file, const char *name, const void *bytes, size_t count, int flags),
              (file, name, bytes, count, flags))

/// The descriptor is gone even where closing it fails.
int close(int file)
{
    int has_failed = !may_for("close", file), error = errno;
    int result = REAL(close)(file);
    if (has_failed) errno = error;
    return has_failed ? -1 : result;
}

struct dirent *readdir(DIR *stream)
{
    return may_for("readdir", dirfd(stream)) ? REAL(readdir)(stream) : NULL;
}

struct dirent64 *readdir64(DIR *stream)
{
    return may_for("readdir", dirfd(stream)) ? REAL(readdir64)(stream) : NULL;
}

ssize_t sendfile(int output, int file, off_t *at, size_t count)
{
    return may_for("sendfile", file) ? REAL(sendfile)(output, file, at, count) : -1;
}

ssize_t sendfile64(int output, int file, off64_t *at, size_t count)
{
    return may_for("sendfile", file) ? REAL(sendfile64)(output, file, at, count) : -1;
}

// MARK: - Sockets

BY_DESCRIPTOR("recv", ssize_t, recv, (int file, void *bytes, size_t count, int flags),
              (file, bytes, count, flags))
BY_DESCRIPTOR("recv", ssize_t, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
BY_DESCRIPTOR("send", ssize_t, send, (int file, const void *bytes, size_t count, int flags),
              (file, bytes, count, flags))
BY_DESCRIPTOR("send", ssize_t, sendmsg, (int file, const struct msghdr *message, int flags),
              (file, message, flags))
BY_DESCRIPTOR("accept", int, accept, (int file, struct sockaddr *address, socklen_t *length),
              (file, address, length))
BY_DESCRIPTOR("accept", int, accept4, (int file, struct sockaddr *address, socklen_t *length, int flags),
              (file, address, length, flags))

int connect(int file, const struct sockaddr *address, socklen_t length)
{
    // Both families have the port at the same place.
    int has_port = address->sa_family == AF_INET || address->sa_family == AF_INET6;
    int port = has_port ? ntohs(((const struct sockaddr_in *)address)->sin_port) : 0;
    return no_error("connect", (struct subject){.descriptor = file, .port = port})
        ? REAL(connect)(file, address, length) : -1;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    return no_error("getaddrinfo", (struct subject){.host = name, .descriptor = -1})
        ? REAL(getaddrinfo)(name, service, hints, found) : EAI_SYSTEM;
}

// MARK: - What a process gets from the kernel

ANYWHERE("socket", int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
ANYWHERE("socketpair", int, -1, socketpair, (int domain, int type, int protocol, int pair[2]),
         (domain, type, protocol, pair))
ANYWHERE("eventfd", int, -1, eventfd, (unsigned value, int flags), (value, flags))
ANYWHERE("memfd_create", int, -1, memfd_create, (const char *name, unsigned flags), (name, flags))

/// Returns its error.
#define RETURNING_ERROR(call, name, parameters, arguments)                                  \
    int name parameters { return may_for(call, -1) ? REAL(name) arguments : errno; }

RETURNING_ERROR("posix_spawn", posix_spawn,
                (pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),
                (process, path, actions, attributes, arguments, environment))

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)
RETURNING_ERROR("pthread_create", pthread_create,
                (pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument),
                (thread, attributes, body, argument))

void *mmap(void *place, size_t length, int protection, int flags, int file, off_t at)
{
    return may_for("mmap", file) ? REAL(mmap)(place, length, protection, flags, file, at) : MAP_FAILED;
}

void *mmap64(void *place, size_t length, int protection, int flags, int file, off64_t at)
{
    return may_for("mmap", file) ? REAL(mmap64)(place, length, protection, flags, file, at) : MAP_FAILED;
}
#endif
