#pragma once

#include <stdint.h>

// The resampler's inner loops, each compiled for any processor and for those with AVX2: Swift compiles all of a program
// for one kind of processor.

#pragma clang assume_nonnull begin

/// How a row of `count` pixels is made of one with more or fewer, four channels of 16 bits to a pixel.
///
/// Starts, places and roundings are as many as `count` rounded up to a multiple of four.
typedef struct {
    intptr_t count;
    /// The first pixel of each column's neighbourhood.
    const int32_t *starts;
    /// Where each column's weights start, in quads.
    const int32_t *places;
    /// What to add to each column's sum.
    const int16_t *roundings;
    /// Four times over, once for each channel.
    const int16_t *weights;
    /// A neighbourhood's pixels, four at a time.
    intptr_t quads;
    /// Bits after the point in the sum, at least 1.
    int shift;
} alcedo_columns;

typedef struct {
    /// Sets the channels of `width` pixels to `start` and the sum of the upper halves of products: of the bytes of
    /// `count` rows, each times 256, and the row's weight, which stands there 16 times over. The first `added` are
    /// added, the others subtracted.
    void (*fill)(
        int16_t *channels, const void *_Nonnull const *_Nonnull rows, const uint16_t *weights, intptr_t added,
        intptr_t count, int16_t start, intptr_t width);

    /// Writes a row of pixels, keeping colours within 0…alpha and alpha within 0…255.
    void (*write)(uint8_t *pixels, const int16_t *channels, const alcedo_columns *columns);

    /// Sets `count` bytes to the inverse of (1 3 3 1)/8 of four rows, and asks for those that come one and two
    /// `stride`s behind the last of them, whether these are there or not.
    void (*halve_rows)(
        uint8_t *bytes, const uint8_t *one, const uint8_t *two, const uint8_t *three, const uint8_t *four,
        intptr_t count, intptr_t stride);

    /// Writes `count` pixels, up to a multiple of eight: the inverse of (1 3 3 1)/8 of twice as many and those around,
    /// reading one pixel before them and two behind.
    void (*halve_columns)(uint8_t *pixels, const uint8_t *source, intptr_t count);
} alcedo_resampling;

/// For any processor.
extern const alcedo_resampling alcedo_plain_resampling;

/// The fastest that this processor can run.
const alcedo_resampling *alcedo_best_resampling(void);

#pragma clang assume_nonnull end
