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
    /// More scans than allowed.
    ALCEDO_JPEG_TOO_MANY_SCANS,
    /// The deadline has passed.
    ALCEDO_JPEG_TOO_SLOW,
    /// No failure: more bytes are needed.
    ALCEDO_JPEG_SUSPENDED,
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
    /// Makes up the bits that the last MCU of a segment lacks, where it ends with a marker. Nothing tells whether only
    /// that one lacks some, so the caller must know.
    int allows_early_ends;
} alcedo_jpeg_decoding;

/// A JPEG being decoded scan by scan.
typedef struct alcedo_jpeg_scans alcedo_jpeg_scans;

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
} alcedo_jpeg_encoding;

/// Decodes into `pixels`, rows of `4 * output_width` bytes.
///
/// Bytes without an EOI marker will do if every coefficient is in them. In C because libjpeg reports errors with
/// longjmp. Nothing is printed; warnings other than lost data are forgiven, as browsers do.
alcedo_jpeg_status alcedo_jpeg_decode(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, uint8_t *pixels,
    char message[ALCEDO_JPEG_MESSAGE]);

/// Makes a decoder that keeps `how` but for its deadline; NULL if there is no memory.
alcedo_jpeg_scans *alcedo_jpeg_scans_new(const alcedo_jpeg_decoding *how);

void alcedo_jpeg_scans_free(alcedo_jpeg_scans *scans);

/// Goes on reading until `wanted` scans are complete; `ALCEDO_JPEG_SUSPENDED` if that needs more bytes.
///
/// `bytes` follow those that the last call has used, and need not outlive this one. Arithmetic-coded scans must be
/// there whole, with the marker after them: libjpeg can't stop inside of one. After a failure only
/// `alcedo_jpeg_scans_free` may follow. In C because libjpeg reports errors with longjmp.
alcedo_jpeg_status alcedo_jpeg_scans_read(
    alcedo_jpeg_scans *scans, const uint8_t *bytes, size_t count, size_t *used, int wanted, uint64_t deadline,
    char message[ALCEDO_JPEG_MESSAGE]);

/// Writes the picture that the scans make which were last asked for, and have all been read.
///
/// It is that of a file that ends with them. In C because libjpeg reports errors with longjmp.
alcedo_jpeg_status alcedo_jpeg_scans_write(
    alcedo_jpeg_scans *scans, uint8_t *pixels, uint64_t deadline, char message[ALCEDO_JPEG_MESSAGE]);

/// Encodes BGRA pixels, rows of `4 * width` bytes; alpha is flattened over white.
///
/// `*out` must be freed with `free` when the result is `ALCEDO_JPEG_OK`, and is NULL otherwise.
/// In C because libjpeg reports errors with longjmp.
alcedo_jpeg_status alcedo_jpeg_encode(
    const uint8_t *pixels, const alcedo_jpeg_encoding *how, uint8_t **out, size_t *out_count,
    char message[ALCEDO_JPEG_MESSAGE]);
