#include "crsvg_shim.h"

#include <cairo.h>
#include <pthread.h>
#include <stdio.h>

#include "../System/LoadedLibrary.h"

// What is needed of librsvg's and GLib's headers, whose folders pkg-config tells only together with the libraries to link.

typedef struct RsvgHandle RsvgHandle;

typedef struct {
    double x, y, width, height;
} RsvgRectangle;

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;

RsvgHandle *rsvg_handle_new_from_data(const uint8_t *data, size_t count, GError **error);
void rsvg_handle_set_dpi(RsvgHandle *handle, double dpi);
int rsvg_handle_render_document(RsvgHandle *handle, cairo_t *context, const RsvgRectangle *viewport, GError **error);
void g_object_unref(void *object);
void g_error_free(GError *error);
typedef int (*GLogWriter)(int level, const void *fields, size_t count, void *user);
void g_log_set_writer_func(GLogWriter writer, void *user, void (*free_user)(void *));

#define LIBRSVG(F)                                                                                                     \
    F(rsvg_handle_new_from_data) F(rsvg_handle_set_dpi) F(rsvg_handle_render_document) F(g_object_unref)               \
    F(g_error_free) F(g_log_set_writer_func)

ALCEDO_LIBRARY(Librsvg, LIBRSVG(ALCEDO_FIELD), LIBRSVG(ALCEDO_NAME), load, "librsvg-2.so.2")

static struct Librsvg librsvg;

static void load_once(void) { librsvg = load(); }

bool crsvg_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_once);
    return librsvg.isLoaded;
}

// Returns that the message is written.
static int discard(int level, const void *fields, size_t count, void *user) {
    (void)level, (void)fields, (void)count, (void)user;
    return 1;
}

void crsvg_discard_messages(void) {
    if (crsvg_is_available()) librsvg.g_log_set_writer_func(discard, NULL, NULL);
}

static bool fail(GError *error, const char *reason, char *message) {
    snprintf(message, CRSVG_MESSAGE_SIZE, "%s", error != NULL ? error->message : reason);
    if (error != NULL) librsvg.g_error_free(error);
    return false;
}

static bool draw(
    RsvgHandle *handle, double natural_width, double natural_height, uint8_t *pixels, int width, int height,
    char *message) {
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, width * 4);
    cairo_t *context = cairo_create(surface);
    cairo_scale(context, width / natural_width, height / natural_height);
    RsvgRectangle viewport = {0, 0, natural_width, natural_height};
    GError *error = NULL;
    bool is_drawn = librsvg.rsvg_handle_render_document(handle, context, &viewport, &error);
    if (!is_drawn) fail(error, "librsvg gives no reason", message);
    cairo_status_t status = cairo_status(context);
    if (is_drawn && status != CAIRO_STATUS_SUCCESS) is_drawn = fail(NULL, cairo_status_to_string(status), message);
    cairo_destroy(context);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return is_drawn;
}

bool crsvg_draw(
    const uint8_t *text, size_t count, double natural_width, double natural_height, uint8_t *pixels, int width,
    int height, char message[CRSVG_MESSAGE_SIZE]) {
    GError *error = NULL;
    // Without a base address librsvg loads nothing from outside the document; without flags it has limits.
    RsvgHandle *handle = librsvg.rsvg_handle_new_from_data(text, count, &error);
    if (handle == NULL) return fail(error, "librsvg gives no reason", message);
    // CSS has 96 pixels to an inch.
    librsvg.rsvg_handle_set_dpi(handle, 96);
    bool is_drawn = draw(handle, natural_width, natural_height, pixels, width, height, message);
    librsvg.g_object_unref(handle);
    return is_drawn;
}
