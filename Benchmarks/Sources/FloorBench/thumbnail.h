#ifndef THUMBNAIL_H
#define THUMBNAIL_H

#include <stddef.h>
#include <stdint.h>

/// The file of a picture that fits `side`, as JPEG if it was one, else as PNG; the caller frees it.
uint8_t *thumbnail(const uint8_t *bytes, size_t size, int side, size_t *written);

/// Pixels of four bytes.
typedef struct {
    uint8_t *bytes;
    int width, height;
} pixels;

/// Red, green and blue, or with `is_jpeg` blue, green and red, at the smallest size of the codec's own that covers `side`.
pixels decode_reduced(const uint8_t *bytes, size_t size, int side, int *is_jpeg);

/// A JPEG of quality 100 without subsampling, and a PNG with filter Up and libdeflate's first level; what the cache's
/// files are.
uint8_t *encode_jpeg(pixels picture, size_t *written);
uint8_t *encode_png(pixels picture, size_t *written);

#endif
