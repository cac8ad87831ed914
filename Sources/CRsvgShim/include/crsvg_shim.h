#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// librsvg, which is loaded when the first document is drawn. It speaks of GLib's types, which another module of a program,
// such as GTK's, may have too: no Swift file is to see them through this one.

#define CRSVG_MESSAGE_SIZE 200

/// Whether librsvg is there; loads it at the first call.
bool crsvg_is_available(void);

/// Discards all messages of GLib and of the libraries that log through it, for the rest of the process.
///
/// Only for a process that does nothing else: GLib has one writer, and to write to standard error it asks the system whether
/// that is a socket, which a worker may not ask. At most once, as GLib requires.
void crsvg_discard_messages(void);

/// Reads a document and draws it over all of an image of premultiplied native-endian ARGB, which must be zeros.
///
/// The document has `natural_width` by `natural_height` pixels by itself. Opens no file and no connection. Fills the
/// message and returns false if it cannot be drawn. Only for a librsvg that is available.
bool crsvg_draw(
    const uint8_t *text, size_t count, double natural_width, double natural_height, uint8_t *pixels, int width,
    int height, char message[CRSVG_MESSAGE_SIZE]);
