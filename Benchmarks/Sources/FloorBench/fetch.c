#include "fetch.h"
#include "floor.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A transfer's handle and the bytes that it has brought.
typedef struct {
    CURL *handle;
    long index;
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

static void prepare(transfer *t, const fetches *what) {
    t->handle = curl_easy_init();
    curl_easy_setopt(t->handle, CURLOPT_PRIVATE, t);
    curl_easy_setopt(t->handle, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(t->handle, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->handle, CURLOPT_NOSIGNAL, 1L);
    if (what->waits) curl_easy_setopt(t->handle, CURLOPT_PIPEWAIT, 1L);
    // As for the others: the certificate is one that nobody knows.
    curl_easy_setopt(t->handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(t->handle, CURLOPT_SSL_VERIFYHOST, 0L);
}

static void start(CURLM *multi, transfer *t, const fetches *what, long index) {
    char name[64];
    what->name(index, name, sizeof name);
    snprintf(t->url, sizeof t->url, "%s/%s", what->base, name);
    t->index = index;
    t->size = 0;
    curl_easy_setopt(t->handle, CURLOPT_URL, t->url);
    curl_multi_add_handle(multi, t->handle);
}

/// Gives the bytes away.
static void finish(const CURLMsg *message, const fetches *what, transfer *t) {
    long status = 0;
    if (message->data.result) fail(curl_easy_strerror(message->data.result));
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) fail("not the file");
    what->done(t->index, t->bytes, t->size);
    t->bytes = NULL;
    t->capacity = 0;
}

void fetch(const fetches *what) {
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, what->connections);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, what->connections);
    transfer *transfers = calloc((size_t)what->parallel, sizeof *transfers);
    long started = 0, finished = 0;
    for (long i = 0; i < what->parallel && started < what->count; i++) {
        prepare(&transfers[i], what);
        start(multi, &transfers[i], what, started++);
    }
    while (finished < what->count) {
        int running = 0, left = 0;
        if (curl_multi_perform(multi, &running)) fail("curl_multi_perform");
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            transfer *t;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
            finish(message, what, t);
            finished++;
            curl_multi_remove_handle(multi, t->handle);
            if (started < what->count) start(multi, t, what, started++);
        }
        if (finished < what->count && running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}
