#pragma once

#include <gtk/gtk.h>
#include <glib-unix.h>

// What libdispatch offers to the owner of a main loop that is not its own, as Foundation's run loop is. No header has it.

/// A descriptor that is readable when the main queue has work for the main thread.
extern int _dispatch_get_main_queue_handle_4CF(void);

/// Does the main queue's work; on the main thread only.
extern void _dispatch_main_queue_callback_4CF(void *unused);
