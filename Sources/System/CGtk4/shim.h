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
