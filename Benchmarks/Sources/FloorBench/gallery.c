#include "fetch.h"
#include "floor.h"
#include "thumbnail.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Files that have been fetched and wait for a worker.
typedef struct {
    long index;
    uint8_t *bytes;
    size_t size;
} job;

enum { most = 4096 };
static char names[most][64];
static job jobs[most];
static long arrived, taken, expected;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int folder;

static void name(long index, char *target, size_t size) { snprintf(target, size, "%s", names[index]); }

static void queue(long index, uint8_t *bytes, size_t size) {
    pthread_mutex_lock(&lock);
    jobs[arrived++] = (job){index, bytes, size};
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void write_file(const job *done, const uint8_t *bytes, size_t size) {
    char part[32];
    snprintf(part, sizeof part, ".part%ld", done->index);
    int file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) fail("write");
    close(file);
    if (renameat(folder, part, folder, names[done->index])) fail("rename");
}

static void *work(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == arrived && taken < expected) pthread_cond_wait(&more, &lock);
        if (taken == expected) {
            // The others wait for what will not come.
            pthread_cond_broadcast(&more);
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        job next = jobs[taken++];
        pthread_mutex_unlock(&lock);
        size_t size;
        uint8_t *bytes = thumbnail(next.bytes, next.size, 200, &size);
        write_file(&next, bytes, size);
        free(bytes);
        free(next.bytes);
    }
}

static long read_names(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    long count = 0;
    while (count < most && fscanf(file, "%63s", names[count]) == 1) count++;
    fclose(file);
    return count;
}

/// A page of pictures with nothing but libraries and system calls: fetched, decoded as small as the codec allows, reduced
/// to 200 pixels, encoded and written, on a thread for the network and one a core for the rest.
void gallery(void) {
    expected = read_names(argument("list"));
    mkdir(argument("folder"), 0700);
    folder = open(argument("folder"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail("folder");
    fetches what = {argument("base"), expected, 16, 16, 0, name, queue};
    curl_global_init(CURL_GLOBAL_DEFAULT);
    double begin = now(), before = processor_time();
    pthread_t workers[2];
    for (int i = 0; i < 2; i++) pthread_create(&workers[i], NULL, work, NULL);
    fetch(&what);
    for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
    double seconds = now() - begin;
    report_with(seconds, "work", processor_time() - before);
}
