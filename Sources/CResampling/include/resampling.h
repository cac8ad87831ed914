#pragma once

#include <stdint.h>

// The resampler's kernels, compiled for any processor and for AVX2. They are in C because Swift compiles a whole
// program for one instruction set.

#pragma clang assume_nonnull begin

/// The horizontal pass to a row of `count` pixels; source pixels have four 16-bit channels.
///
/// `starts`, `weight_offsets` and `roundings` have `count` entries, rounded up to a multiple of four.
typedef struct {
    intptr_t count;
    /// Each column's first source pixel.
    const int32_t *starts;
    /// Index of each column's first weights, in quads.
    const int32_t *weight_offsets;
    /// The rounding term of each column's sum.
    const int16_t *roundings;
    /// Each weight repeated four times, once for each channel.
    const int16_t *weights;
    /// Source pixels of a column, in groups of four.
    intptr_t quads;
    /// Fraction bits of the sum, at least 1.
    int shift;
} alcedo_columns;

typedef struct {
    /// Vertical pass: sets the channels of `width` pixels to `start` plus the weighted sum of `count` rows. A term is
    /// the upper 16 bits of byte × 256 × weight; each weight is repeated 16 times. The first `added` terms are added,
    /// the others subtracted.
    void (*fill)(
        int16_t *channels, const void *_Nonnull const *_Nonnull rows, const uint16_t *weights, intptr_t added,
        intptr_t count, int16_t start, intptr_t width);

    /// Horizontal pass: writes a row of pixels. Where alpha is above 255 all channels are scaled by 255/alpha, which keeps the
    /// colour; then colours are clamped to 0…alpha.
    void (*write)(uint8_t *pixels, const int16_t *channels, const alcedo_columns *columns);

    /// Halves vertically: sets `count` bytes to the bitwise inverse of (1 3 3 1)/8 of four rows. Prefetches the rows
    /// one and two `stride`s after `four`, which may lie outside of the bitmap.
    void (*halve_rows)(
        uint8_t *bytes, const uint8_t *one, const uint8_t *two, const uint8_t *three, const uint8_t *four,
        intptr_t count, intptr_t stride);

    /// Halves horizontally: writes `count` pixels, rounded up to a multiple of eight, as the bitwise inverse of
    /// (1 3 3 1)/8 of the source. Reads one pixel before and two after the source.
    void (*halve_columns)(uint8_t *pixels, const uint8_t *source, intptr_t count);
} alcedo_resampling;

/// The variant for any processor.
extern const alcedo_resampling alcedo_plain_resampling;

/// The fastest variant that this processor supports.
const alcedo_resampling *alcedo_best_resampling(void);

// MARK: - 16-bit samples

/// The horizontal pass in floating point to a row of `count` pixels.
typedef struct {
    intptr_t count;
    /// Each column's first source pixel.
    const int32_t *starts;
    /// Half of the source pixels of each column, rounded up.
    const int32_t *pairs;
    /// Index of each column's first weight.
    const int32_t *offsets;
    /// Each weight repeated four times, once for each channel; a weight of 0 completes the last pair.
    const float *weights;
} alcedo_deep_columns;

typedef struct {
    /// Converts `count` samples to numbers; `count` is a multiple of four.
    void (*widen)(float *numbers, const uint16_t *samples, intptr_t count);

    /// Filters a row horizontally.
    void (*columns)(float *row, const float *source, const alcedo_deep_columns *columns);

    /// Filters `count` rows of `width` pixels vertically to pixels, with the alpha of `alcedo_resampling.write`.
    void (*rows)(
        uint16_t *pixels, const float *_Nonnull const *_Nonnull rows, const float *weights, intptr_t count,
        intptr_t width);
} alcedo_deep_resampling;

/// The variant for any processor.
extern const alcedo_deep_resampling alcedo_plain_deep_resampling;

/// The fastest variant that this processor supports; all have the same results.
const alcedo_deep_resampling *alcedo_best_deep_resampling(void);

#pragma clang assume_nonnull end
