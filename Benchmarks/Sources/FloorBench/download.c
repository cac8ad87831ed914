#include "fetch.h"
#include "floor.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static size_t expected;

static void name(long index, char *target, size_t size) { snprintf(target, size, "%05ld.jpeg", index); }

/// Whoever asked would own the bytes.
static void done(long index, uint8_t *bytes, size_t size) {
    (void)index;
    if (expected && size != expected) fail("not the file");
    free(bytes);
}

/// `count` files over at most `connections`, with `parallel` transfers at a time.
void download(void) {
    long connections = number("connections", 16);
    fetches what = {argument("base"), number("count", 5000), connections, number("parallel", connections),
                    number("pipewait", 0), name, done};
    expected = (size_t)number("bytes", 0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    double begin = now(), before = processor_time();
    fetch(&what);
    double seconds = now() - begin;
    report_with(seconds, "work", processor_time() - before);
}
