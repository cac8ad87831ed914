#ifdef SVG

#include "crsvg_shim.h"

#include <librsvg/rsvg.h>
#include <stdio.h>

static bool fail(GError *error, const char *reason, char *message) {
    snprintf(message, CRSVG_MESSAGE_SIZE, "%s", error != NULL ? error->message : reason);
    g_clear_error(&error);
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
    bool is_drawn = rsvg_handle_render_document(handle, context, &viewport, &error);
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
    // Without a base address librsvg refuses whatever is not in the document; without flags it has limits.
    RsvgHandle *handle = rsvg_handle_new_from_data(text, count, &error);
    if (handle == NULL) return fail(error, "librsvg gives no reason", message);
    rsvg_handle_set_dpi(handle, 96);
    bool is_drawn = draw(handle, natural_width, natural_height, pixels, width, height, message);
    g_object_unref(handle);
    return is_drawn;
}

#endif
