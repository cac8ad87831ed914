#include "floor.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A transfer's handle and the bytes that it has brought.
typedef struct {
    CURL *handle;
    uint8_t *bytes;
    size_t size, capacity;
    char url[256];
} transfer;

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    transfer *t = context;
    size_t length = size * count;
    if (t->size + length > t->capacity) {
        t->capacity = (t->size + length) * 2;
        t->bytes = realloc(t->bytes, t->capacity);
        if (!t->bytes) return 0;
    }
    memcpy(t->bytes + t->size, bytes, length);
    t->size += length;
    return length;
}

static void start(CURLM *multi, transfer *t, const char *base, long index) {
    snprintf(t->url, sizeof t->url, "%s/%05ld.jpeg", base, index);
    t->size = 0;
    curl_easy_setopt(t->handle, CURLOPT_URL, t->url);
    curl_multi_add_handle(multi, t->handle);
}

/// `count` files over at most `connections`, with `parallel` transfers at a time, one loop on one thread.
void download(void) {
    const char *base = argument("base");
    long count = number("count", 5000), connections = number("connections", 16);
    long parallel = number("parallel", connections), expected = number("bytes", 0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections);
    transfer *transfers = calloc((size_t)parallel, sizeof *transfers);
    double begin = now();
    long started = 0, finished = 0;
    for (long i = 0; i < parallel && started < count; i++) {
        transfer *t = &transfers[i];
        t->handle = curl_easy_init();
        curl_easy_setopt(t->handle, CURLOPT_PRIVATE, t);
        curl_easy_setopt(t->handle, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(t->handle, CURLOPT_WRITEDATA, t);
        curl_easy_setopt(t->handle, CURLOPT_NOSIGNAL, 1L);
        if (number("pipewait", 0)) curl_easy_setopt(t->handle, CURLOPT_PIPEWAIT, 1L);
        // As for the others: the certificate is one that nobody knows.
        curl_easy_setopt(t->handle, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(t->handle, CURLOPT_SSL_VERIFYHOST, 0L);
        start(multi, t, base, started++);
    }
    while (finished < count) {
        int running = 0, left = 0;
        if (curl_multi_perform(multi, &running)) fail("curl_multi_perform");
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            transfer *t;
            long status = 0;
            if (message->data.result) fail(curl_easy_strerror(message->data.result));
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            if (status != 200 || (expected && (long)t->size != expected)) fail("not the file");
            // Who asked would own these bytes.
            free(t->bytes);
            t->bytes = NULL;
            t->capacity = 0;
            finished++;
            curl_multi_remove_handle(multi, t->handle);
            if (started < count) start(multi, t, base, started++);
        }
        if (finished < count && running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    double seconds = now() - begin;
    report(&seconds, 1);
}
