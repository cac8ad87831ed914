#define _GNU_SOURCE
#include "floor.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[160];

/// The entry's name: its number, or with `hashed=1` the SHA-256 of a URL with that number, as a cache has to name it.
static const char *entry(long index, int hashed) {
    if (!hashed) {
        snprintf(name, sizeof name, "%064ld", index);
        return name;
    }
    char key[80];
    unsigned char digest[32];
    int length = snprintf(key, sizeof key, "https://example.com/images/%05ld.jpeg", index);
    static const EVP_MD *algorithm;
    if (!algorithm) algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    EVP_Digest(key, (size_t)length, digest, NULL, algorithm, NULL);
    for (int i = 0; i < 64; i++) name[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    name[64] = 0;
    return name;
}

static void store(int folder, long index, int hashed, const uint8_t *bytes, size_t size) {
    char part[32];
    snprintf(part, sizeof part, ".part%ld", index);
    int file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) fail("write");
    close(file);
    if (renameat(folder, part, folder, entry(index, hashed))) fail("rename");
}

/// Whether the entry is there; its bytes are read into memory of their own.
static int load(int folder, long index, int hashed) {
    int file = openat(folder, entry(index, hashed), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    struct stat status;
    if (fstat(file, &status)) fail("fstat");
    uint8_t *bytes = malloc((size_t)status.st_size + 1);
    if (!bytes || read(file, bytes, (size_t)status.st_size) != status.st_size) fail("read");
    close(file);
    free(bytes);
    return 1;
}

/// Stores, reads or misses `count` entries of `bytes` bytes in `folder`, every `stride`th; the seconds of one. With
/// `remove=1` they are removed after that.
void disk(void) {
    const char *kind = argument("kind");
    long count = number("count", 10000), first = number("first", 0), stride = number("stride", 1);
    size_t size = (size_t)number("bytes", 15000);
    int hashed = (int)number("hashed", 0);
    mkdir(argument("folder"), 0700);
    int folder = open(argument("folder"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail("folder");
    uint8_t *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 31);
    long found = 0;
    double begin = now();
    for (long i = 0; i < count; i++) {
        if (strcmp(kind, "store") == 0) store(folder, first + i * stride, hashed, bytes, size);
        else if (strcmp(kind, "hit") == 0) found += load(folder, first + i * stride, hashed);
        else found += load(folder, 1000000000 + i, hashed);
    }
    double seconds = (now() - begin) / (double)count;
    for (long i = 0; number("remove", 0) && i < count; i++) unlinkat(folder, entry(first + i * stride, hashed), 0);
    if (strcmp(kind, "hit") == 0 && found != count) fail("an entry is missing");
    report(&seconds, 1);
}

/// Removes every other file of `folder`; the seconds for each that goes. What a trim takes at least, as it has to find out
/// what there is.
void disk_trim(void) {
    int folder = open(argument("folder"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail("folder");
    double begin = now();
    DIR *listing = fdopendir(dup(folder));
    char(*names)[72] = NULL;
    long count = 0, capacity = 0, removed = 0;
    for (struct dirent *file; (file = readdir(listing));) {
        if (file->d_name[0] == '.') continue;
        if (count == capacity) names = realloc(names, sizeof *names * (size_t)(capacity = capacity * 2 + 64));
        snprintf(names[count++], sizeof *names, "%.71s", file->d_name);
    }
    closedir(listing);
    for (long i = 0; i < count; i += 2, removed++) {
        struct stat status;
        if (fstatat(folder, names[i], &status, 0) || unlinkat(folder, names[i], 0)) fail("unlink");
    }
    double seconds = (now() - begin) / (double)removed;
    report(&seconds, 1);
}
