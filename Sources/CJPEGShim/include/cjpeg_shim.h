#pragma once
#include <stddef.h>
#include <stdint.h>

/// Room for a libjpeg message, with its final NUL.
#define ALCEDO_JPEG_MESSAGE 200

typedef enum {
    ALCEDO_JPEG_OK = 0,
    /// The data breaks a rule of JPEG, or memory ran out; see the message.
    ALCEDO_JPEG_FAILED,
    /// Entropy-coded data ended before the image did.
    ALCEDO_JPEG_TRUNCATED,
    /// Sound, but of a kind that libjpeg was not built for.
    ALCEDO_JPEG_UNSUPPORTED,
    ALCEDO_JPEG_TOO_MANY_SCANS,
    /// The deadline has passed, or the caller has stopped it.
    ALCEDO_JPEG_TOO_SLOW,
} alcedo_jpeg_status;

typedef struct {
    /// Eighths of the full size, 1 to 8.
    int scale;
    /// What the caller reserved memory for; anything else fails.
    uint32_t output_width;
    uint32_t output_height;
    /// Four bytes of cyan, magenta, yellow and black instead of blue, green, red and 255.
    int as_cmyk;
    int scan_limit;
    /// Bytes that libjpeg may use for whole-image arrays, which only multi-scan files need.
    long memory_limit;
    /// When to give up, in nanoseconds of the monotonic clock; UINT64_MAX for never.
    uint64_t deadline;
    /// Called with `stop` about once per 16,384 columns of a row of blocks: whether to give up, as after the deadline.
    /// It returns before `longjmp`, which crosses no frame but those of libjpeg and this shim. NULL for never.
    int (*is_stopped)(const void *stop);
    const void *stop;
    /// Makes up the bits that the last MCU of a segment lacks, where it ends with a marker. Nothing tells whether only
    /// that one lacks some, so the caller must know.
    int allows_early_ends;
    /// Decodes what there is: of several scans those that have come, of a single one its first rows.
    int allows_truncation;
} alcedo_jpeg_decoding;

/// A rectangle of a decoded picture, in pixels of its output size.
typedef struct {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} alcedo_jpeg_region;

typedef enum {
    ALCEDO_JPEG_OPAQUE,
    ALCEDO_JPEG_PREMULTIPLIED,
    ALCEDO_JPEG_STRAIGHT,
} alcedo_jpeg_alpha;

typedef struct {
    uint32_t width;
    uint32_t height;
    alcedo_jpeg_alpha alpha;
    /// 1 to 100.
    int quality;
    /// Chroma at half the luma resolution, both ways.
    int halves_chroma;
    int progressive;
    /// Huffman tables of its own, up to 2^23 pixels; a progressive file always has some.
    int optimized;
} alcedo_jpeg_encoding;

/// Decodes into `pixels`, rows of `4 * output_width` bytes; of a success `*row_count` of them are written.
///
/// Bytes without an EOI marker will do if every coefficient is in them, or if truncation is allowed. In C because
/// libjpeg reports errors with longjmp. Nothing is printed; warnings other than lost data are forgiven, as browsers do.
alcedo_jpeg_status alcedo_jpeg_decode(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, uint8_t *pixels, uint32_t *row_count,
    char message[ALCEDO_JPEG_MESSAGE]);

/// Decodes a rectangle, which must be within the picture and not empty, into `pixels`, rows of `4 * region->width` bytes, with the pixels that the whole picture has there.
///
/// The rows above it are read without a transform, and of a single scan those below it are not read; truncation is not
/// allowed. In C because libjpeg reports errors with longjmp.
alcedo_jpeg_status alcedo_jpeg_decode_region(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, const alcedo_jpeg_region *region, uint8_t *pixels,
    char message[ALCEDO_JPEG_MESSAGE]);

/// Encodes BGRA pixels, rows of `4 * width` bytes; alpha is flattened over white.
///
/// `*out` must be freed with `free` when the result is `ALCEDO_JPEG_OK`, and is NULL otherwise.
/// In C because libjpeg reports errors with longjmp.
alcedo_jpeg_status alcedo_jpeg_encode(
    const uint8_t *pixels, const alcedo_jpeg_encoding *how, uint8_t **out, size_t *out_count,
    char message[ALCEDO_JPEG_MESSAGE]);

/// A turn by whole blocks: the stored column is the turned row with `swaps`, and counts from the other end with
/// `flips_x`; so the row.
typedef struct {
    /// What the caller has read from the header; anything else fails.
    uint32_t source_width;
    uint32_t source_height;
    /// Each 0 or 1.
    int swaps;
    int flips_x;
    int flips_y;
    /// The first stored MCU, counted from the left and the top; with a flip, the one after it.
    uint32_t x;
    uint32_t y;
    /// The size of the result.
    uint32_t width;
    uint32_t height;
    /// As in `alcedo_jpeg_decoding`; the memory is that of each of the two pictures.
    int scan_limit;
    long memory_limit;
    uint64_t deadline;
    int allows_early_ends;
} alcedo_jpeg_transform;

/// Writes a JPEG with the same coefficients in other places, without metadata, with Huffman tables of its own.
///
/// Progressive where `bytes` are; `*out` as in `alcedo_jpeg_encode`. In C because libjpeg reports errors with longjmp.
alcedo_jpeg_status alcedo_jpeg_turn(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_transform *how, uint8_t **out, size_t *out_count,
    char message[ALCEDO_JPEG_MESSAGE]);
