#pragma once

#include "include/resampling.h"
#include "lanes.h"

// The kernels that include/resampling.h declares.

// MARK: - Rows

/// The upper 16 bits of 32 bytes × 256 × weight. `low` gets bytes 0 to 7 and 16 to 23, the order of AVX2's unpacking.
INLINE void multiply(const uint8_t *bytes, const uint16_t *weight, words16 *low, words16 *high) {
    const bytes32 zero = {0};
    bytes32 all = load(bytes);
    words16 factor = (words16)load(weight);
    // Not a left shift: with one, the compiler does not select the single multiply instruction.
    bytes32 one = __builtin_shufflevector(
        zero, all, 0, 32, 0, 33, 0, 34, 0, 35, 0, 36, 0, 37, 0, 38, 0, 39, 0, 48, 0, 49, 0, 50, 0, 51, 0, 52, 0, 53, 0,
        54, 0, 55);
    bytes32 other = __builtin_shufflevector(
        zero, all, 0, 40, 0, 41, 0, 42, 0, 43, 0, 44, 0, 45, 0, 46, 0, 47, 0, 56, 0, 57, 0, 58, 0, 59, 0, 60, 0, 61, 0,
        62, 0, 63);
    *low = upper_unsigned((words16)one, factor);
    *high = upper_unsigned((words16)other, factor);
}

/// Eight pixels, from byte `offset` of each row on.
INLINE void fill_eight(
    int16_t *channels, const void *const *rows, const uint16_t *weights, intptr_t added, intptr_t count, int16_t start,
    intptr_t offset) {
    words16 low = (words16){0} + (uint16_t)start, high = low, one, other;
    for (intptr_t row = 0; row < added; row++) {
        multiply((const uint8_t *)rows[row] + offset, weights + 16 * row, &one, &other);
        low += one;
        high += other;
    }
    for (intptr_t row = added; row < count; row++) {
        multiply((const uint8_t *)rows[row] + offset, weights + 16 * row, &one, &other);
        low -= one;
        high -= other;
    }
    store(
        channels + offset,
        (bytes32)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
    store(
        channels + offset + 16,
        (bytes32)__builtin_shufflevector(low, high, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
}

INLINE void fill_channels(
    int16_t *channels, const void *const *rows, const uint16_t *weights, intptr_t added, intptr_t count, int16_t start,
    intptr_t width) {
    intptr_t x = 0;
    for (; x + 8 <= width; x += 8) fill_eight(channels, rows, weights, added, count, start, 4 * x);
    if (x == width) return;
    // The last eight overlap the eight before, which get the same values again.
    if (width > 8) return fill_eight(channels, rows, weights, added, count, start, 4 * (width - 8));
    for (intptr_t offset = 0; offset < 4 * width; offset++) {
        int sum = start;
        for (intptr_t row = 0; row < count; row++) {
            int product = ((const uint8_t *)rows[row])[offset] * weights[16 * row] >> 8;
            sum += row < added ? product : -product;
        }
        channels[offset] = (int16_t)sum;
    }
}

// MARK: - Columns

/// Adds up pixels 0 and 1 and pixels 2 and 3, of `one` before those of `other`.
INLINE lanes16 add_neighbours(lanes16 one, lanes16 other) {
    return __builtin_shufflevector(one, other, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
        + __builtin_shufflevector(one, other, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
}

INLINE lanes16 add_halves(lanes16 one, lanes16 other) {
    return __builtin_shufflevector(one, other, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
        + __builtin_shufflevector(one, other, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}

/// Brings pixels whose alpha is above 255 down to 255, with their colours in proportion.
///
/// The filter's negative lobes raise alpha and colours alike beside what is transparent.
INLINE lanes16 scale_to_opaque(lanes16 pixels, lanes16 alpha) {
    // A fused multiplication and addition would round once; processors without it round twice.
#pragma clang fp contract(off)
    typedef float floats16 __attribute__((vector_size(64)));
    lanes16 above = __builtin_elementwise_max(alpha, (lanes16){0} + 255);
    floats16 scale = 255 / __builtin_convertvector(above, floats16);
    floats16 scaled = __builtin_convertvector(pixels, floats16) * scale;
    return __builtin_convertvector(scaled + 0.5f, lanes16);
}

/// Four pixels, from column `x` on.
INLINE void write_four(
    uint8_t *pixels, const int16_t *channels, const alcedo_columns *columns, intptr_t x, int shift) {
    const int16_t *neighbours[4], *weights[4];
    // Sums over every fourth pixel, for each of four columns.
    lanes16 sums[4] = {0};
    for (int i = 0; i < 4; i++) {
        neighbours[i] = channels + 4 * (intptr_t)columns->starts[x + i];
        weights[i] = columns->weights + 16 * (intptr_t)columns->weight_offsets[x + i];
    }
    for (intptr_t quad = 0; quad < columns->quads; quad++) {
        for (int i = 0; i < 4; i++) {
            lanes16 pixels = (lanes16)load(neighbours[i] + 16 * quad);
            sums[i] += upper_signed(pixels, (lanes16)load(weights[i] + 16 * quad));
        }
    }
    lanes16 all = add_halves(add_neighbours(sums[0], sums[1]), add_neighbours(sums[2], sums[3]));
    typedef int16_t lanes4 __attribute__((vector_size(8)));
    lanes4 roundings;
    memcpy(&roundings, columns->roundings + x, sizeof roundings);
    all += __builtin_shufflevector(roundings, roundings, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    // The vertical pass has subtracted 128.
    all = (all >> (int16_t)shift) + 128;
    lanes16 alpha = __builtin_shufflevector(all, all, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    if (__builtin_reduce_or((lanes16)(alpha > 255))) all = scale_to_opaque(all, alpha);
    lanes16 limit = __builtin_elementwise_min(alpha, (lanes16){0} + 255);
    all = __builtin_elementwise_max(__builtin_elementwise_min(all, limit), (lanes16){0});
    typedef uint8_t bytes16 __attribute__((vector_size(16)));
    bytes16 bytes = __builtin_convertvector(all, bytes16);
    memcpy(pixels, &bytes, sizeof bytes);
}

INLINE void write_shifted(uint8_t *pixels, const int16_t *channels, const alcedo_columns *columns, int shift) {
    intptr_t x = 0;
    for (; x + 4 <= columns->count; x += 4) write_four(pixels + 4 * x, channels, columns, x, shift);
    if (x == columns->count) return;
    uint8_t last[16];
    write_four(last, channels, columns, x, shift);
    memcpy(pixels + 4 * x, last, (size_t)(4 * (columns->count - x)));
}

INLINE void write_pixels(uint8_t *pixels, const int16_t *channels, const alcedo_columns *columns) {
    // A shift by a constant is one instruction; by a variable, a dozen.
    switch (columns->shift) {
    case 7: return write_shifted(pixels, channels, columns, 7);
    case 6: return write_shifted(pixels, channels, columns, 6);
    case 5: return write_shifted(pixels, channels, columns, 5);
    default: return write_shifted(pixels, channels, columns, columns->shift);
    }
}

// MARK: - Halving

INLINE void spline_rows(
    uint8_t *bytes, const uint8_t *one, const uint8_t *two, const uint8_t *three, const uint8_t *four, intptr_t count,
    intptr_t stride) {
    intptr_t offset = 0;
    for (; offset + 32 <= count; offset += 32) {
        // Prefetches the rows of the next calls. Integers, because a pointer outside of the bitmap is undefined behaviour.
        uintptr_t next = (uintptr_t)four + (uintptr_t)(offset + stride);
        __builtin_prefetch((const void *)next, 0, 2);
        __builtin_prefetch((const void *)(next + (uintptr_t)stride), 0, 2);
        store(
            bytes + offset,
            ~spline(load(one + offset), load(two + offset), load(three + offset), load(four + offset)));
    }
    for (; offset < count; offset++) {
        int inner = (two[offset] + three[offset] + 1) / 2, outer = (one[offset] + four[offset] + 1) / 2;
        bytes[offset] = (uint8_t)~((inner + (inner + outer + 1) / 2 + 1) / 2);
    }
}

/// Applies the kernel at each of eight pixels; the caller keeps every other result.
INLINE bytes32 means(const uint8_t *source) {
    return spline(load(source - 4), load(source), load(source + 4), load(source + 8));
}

INLINE void spline_columns(uint8_t *pixels, const uint8_t *source, intptr_t count) {
    typedef uint32_t pixels8 __attribute__((vector_size(32)));
    for (intptr_t x = 0; x < count; x += 8) {
        pixels8 left = (pixels8)means(source + 8 * x), right = (pixels8)means(source + 8 * x + 32);
        store(pixels + 4 * x, ~(bytes32)__builtin_shufflevector(left, right, 0, 2, 4, 6, 8, 10, 12, 14));
    }
}
