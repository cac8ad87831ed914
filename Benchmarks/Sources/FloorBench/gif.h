#ifndef GIF_H
#define GIF_H

#include "thumbnail.h"

#include <gif_lib.h>

/// Where giflib reads from.
typedef struct {
    const uint8_t *bytes;
    size_t left;
} gif_source;

/// Has giflib read from a `gif_source`.
int read_gif(GifFileType *file, GifByteType *target, int count);

/// Opaque pixels of a picture's colours, blue first.
void gif_palette(const GifFileType *file, uint32_t palette[256]);

/// The first picture, through giflib's own lines, with the palette looked up; BGRA.
pixels first_gif(const uint8_t *bytes, size_t size);

#endif
