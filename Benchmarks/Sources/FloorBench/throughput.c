#include "floor.h"
#include "thumbnail.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 4096 };
static struct {
    uint8_t *bytes;
    size_t size;
} files[most];
static long count;
static atomic_long next;

static void *work(void *unused) {
    for (long index; (index = atomic_fetch_add(&next, 1)) < count;) {
        int is_jpeg;
        free(decode_reduced(files[index].bytes, files[index].size, 200, &is_jpeg).bytes);
    }
    return unused;
}

/// Pictures in memory, decoded as small as the codec allows, on so many `threads`; the seconds of one. How much a second
/// thread helps here, it can help anybody.
void throughput(void) {
    char path[512], name[64];
    FILE *list = fopen(argument("list"), "r");
    if (!list) fail("list");
    for (long left = number("count", 300); count < left && fscanf(list, "%63s", name) == 1; count++) {
        snprintf(path, sizeof path, "%s/%s", argument("folder"), name);
        files[count].bytes = read_file(path, &files[count].size);
    }
    fclose(list);
    long threads = number("threads", 1);
    double seconds[3];
    for (int run = 0; run < 3; run++) {
        pthread_t workers[64];
        next = 0;
        double begin = now();
        for (long i = 0; i < threads; i++) pthread_create(&workers[i], NULL, work, NULL);
        for (long i = 0; i < threads; i++) pthread_join(workers[i], NULL);
        seconds[run] = (now() - begin) / (double)count;
    }
    report(seconds + 1, 2);
}
