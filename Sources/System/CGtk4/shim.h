#pragma once

#include <gtk/gtk.h>
#include <glib-unix.h>

// What libdispatch offers to the owner of a main loop that is not its own, as Foundation's run loop is. No header has it.

/// A descriptor that is readable when the main queue has work for the main thread.
extern int _dispatch_get_main_queue_handle_4CF(void);

/// Does the main queue's work; on the main thread only.
extern void _dispatch_main_queue_callback_4CF(void *unused);

/// Loads a style sheet. GTK 4.12 deprecated the function of older versions.
static inline void alcedo_gtk_css_provider_load(GtkCssProvider *provider, const char *sheet) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, sheet);
#else
    gtk_css_provider_load_from_data(provider, sheet, -1);
#endif
}

/// A texture of four 16-bit samples a pixel, premultiplied, whose colours have these code points (ITU-T H.273); null if GTK does
/// not know them, as all but those of sRGB before version 4.16.
static inline GdkTexture *alcedo_gdk_deep_texture(
    GBytes *bytes, int width, int height, unsigned primaries, unsigned transfer) {
    GdkMemoryFormat format = GDK_MEMORY_R16G16B16A16_PREMULTIPLIED;
    gsize stride = (gsize)width * 8;
    if (primaries == 1 && transfer == 13) return gdk_memory_texture_new(width, height, format, bytes, stride);
#if GTK_CHECK_VERSION(4, 16, 0)
    GdkCicpParams *params = gdk_cicp_params_new();
    gdk_cicp_params_set_color_primaries(params, primaries);
    gdk_cicp_params_set_transfer_function(params, transfer);
    gdk_cicp_params_set_matrix_coefficients(params, 0);
    gdk_cicp_params_set_range(params, GDK_CICP_RANGE_FULL);
    GdkColorState *state = gdk_cicp_params_build_color_state(params, NULL);
    g_object_unref(params);
    if (!state) return NULL;
    GdkMemoryTextureBuilder *builder = gdk_memory_texture_builder_new();
    gdk_memory_texture_builder_set_bytes(builder, bytes);
    gdk_memory_texture_builder_set_stride(builder, stride);
    gdk_memory_texture_builder_set_width(builder, width);
    gdk_memory_texture_builder_set_height(builder, height);
    gdk_memory_texture_builder_set_format(builder, format);
    gdk_memory_texture_builder_set_color_state(builder, state);
    GdkTexture *texture = gdk_memory_texture_builder_build(builder);
    g_object_unref(builder);
    gdk_color_state_unref(state);
    return texture;
#else
    return NULL;
#endif
}
