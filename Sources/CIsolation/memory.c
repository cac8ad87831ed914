#define _GNU_SOURCE
#include "isolation.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static int make_memory(void) {
    int descriptor = memfd_create("alcedo", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    // Kernels before 6.3 don't know that no memory of ours is a program.
    if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create("alcedo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return descriptor;
}

/// Whether memory may be so large: it counts as a file, and too large a one ends the program by default.
static int may_have(size_t count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && count > limit.rlim_cur) {
        errno = EFBIG;
        return 0;
    }
    return 1;
}

static int fail(int descriptor) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int alcedo_shared_memory(size_t count) {
    int descriptor = may_have(count) ? make_memory() : -1;
    if (descriptor < 0) return -1;
    // A worker that made it shorter would end the program by SIGBUS.
    if (ftruncate(descriptor, (off_t)count) != 0 || fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
        return fail(descriptor);
    }
    return descriptor;
}

int alcedo_frozen_memory(const void *bytes, size_t count) {
    int descriptor = may_have(count) ? make_memory() : -1;
    if (descriptor < 0) return -1;
    size_t done = 0;
    while (done < count) {
        ssize_t written = write(descriptor, (const char *)bytes + done, count - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail(descriptor);
        done += (size_t)written;
    }
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
        return fail(descriptor);
    }
    return descriptor;
}

int alcedo_freeze_memory(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL); }

void *alcedo_map(int descriptor, size_t count, int writable) {
    // Unlike this, fstat looks up a name in the eyes of the kernel, which a worker may not.
    off_t size = lseek(descriptor, 0, SEEK_END);
    if (size < 0 || (size_t)size < count) {
        errno = EBADMSG;
        return NULL;
    }
    // One call for all pages costs a third of a fault for each.
    int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *memory = mmap(NULL, count, protection, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
