// A minimal image service over libvips: GET /WIDTH/HEIGHT/URL answers the picture at URL fitted into that size, in its format.
// Usage: vips_service PORT THREADS. It checks nothing; it shows what the libraries alone cost.

#include <curl/curl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

struct body {
    char *bytes;
    size_t count;
};

static size_t append(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    char *grown = realloc(body->bytes, body->count + size * count);
    if (!grown) return 0;
    memcpy(grown + body->count, bytes, size * count);
    body->bytes = grown;
    body->count += size * count;
    return size * count;
}

// Each thread keeps its connection to the origin.
static _Thread_local CURL *handle;

static int fetch(const char *url, struct body *body) {
    if (!handle) handle = curl_easy_init();
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, body);
    return curl_easy_perform(handle) == CURLE_OK;
}

// Encodes in the format that the URL's extension names, as the other services do of their own.
static int encode(VipsImage *image, const char *url, void **bytes, size_t *count) {
    if (strstr(url, ".png")) return vips_pngsave_buffer(image, bytes, count, "strip", TRUE, NULL);
    if (strstr(url, ".webp")) return vips_webpsave_buffer(image, bytes, count, "Q", 80, "strip", TRUE, NULL);
    return vips_jpegsave_buffer(image, bytes, count, "Q", 80, "strip", TRUE, NULL);
}

static int answer_bytes(
    struct MHD_Connection *connection, int status, void *bytes, size_t count, void (*release)(void *)) {
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback(count, bytes, release);
    if (!response) return MHD_NO;
    int queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static void keep(void *bytes) { (void)bytes; }

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *target, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **state) {
    (void)context, (void)version, (void)upload, (void)upload_size;
    static int seen;
    if (!*state) {
        *state = &seen;
        return MHD_YES;
    }
    int width, height, start = 0;
    if (strcmp(method, "GET") || sscanf(target, "/%d/%d/%n", &width, &height, &start) < 2 || !start)
        return answer_bytes(connection, 404, "", 0, keep);
    const char *query = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "n");
    char url[2048];
    snprintf(url, sizeof url, "%s?n=%s", target + start, query ? query : "");
    struct body body = {0};
    VipsImage *image = NULL;
    void *result = NULL;
    size_t count = 0;
    int made = fetch(url, &body) &&
        !vips_thumbnail_buffer(
            body.bytes, body.count, &image, width, "height", height, "size", VIPS_SIZE_DOWN, NULL) &&
        !encode(image, url, &result, &count);
    if (image) g_object_unref(image);
    free(body.bytes);
    vips_thread_shutdown();
    if (made) return answer_bytes(connection, 200, result, count, g_free);
    vips_error_clear();
    return answer_bytes(connection, 502, "", 0, keep);
}

int main(int count, char **arguments) {
    if (count != 3 || VIPS_INIT(arguments[0])) return 2;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, (unsigned short)atoi(arguments[1]), NULL, NULL, answer, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)atoi(arguments[2]), MHD_OPTION_CONNECTION_LIMIT, 2048u,
        MHD_OPTION_END);
    if (!daemon) return 1;
    pause();
    MHD_stop_daemon(daemon);
    return 0;
}
