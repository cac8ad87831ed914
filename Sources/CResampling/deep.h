#pragma once

#include "include/resampling.h"
#include "lanes.h"

// The kernels for 16-bit samples. No operation is fused, so that all processors have the same results.

#pragma clang fp contract(off)

typedef float floats4 __attribute__((vector_size(16)));
typedef float floats8 __attribute__((vector_size(32)));
typedef uint16_t samples4 __attribute__((vector_size(8)));
typedef int32_t integers4 __attribute__((vector_size(16)));

INLINE floats4 load4(const float *numbers) {
    floats4 result;
    memcpy(&result, numbers, sizeof result);
    return result;
}

INLINE floats8 load8(const float *numbers) {
    floats8 result;
    memcpy(&result, numbers, sizeof result);
    return result;
}

INLINE void widen_samples(float *numbers, const uint16_t *samples, intptr_t count) {
    for (intptr_t index = 0; index < count; index += 4) {
        samples4 four;
        memcpy(&four, samples + index, sizeof four);
        floats4 wide = __builtin_convertvector(__builtin_convertvector(four, integers4), floats4);
        memcpy(numbers + index, &wide, sizeof wide);
    }
}

INLINE void filter_columns(float *row, const float *source, const alcedo_deep_columns *columns) {
    for (intptr_t x = 0; x < columns->count; x++) {
        const float *pixels = source + 4 * (intptr_t)columns->starts[x];
        const float *weights = columns->weights + columns->offsets[x];
        floats8 sum = {0};
        for (intptr_t pair = 0; pair < columns->pairs[x]; pair++) {
            sum += load8(pixels + 8 * pair) * load8(weights + 8 * pair);
        }
        floats4 pixel = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
        memcpy(row + 4 * x, &pixel, sizeof pixel);
    }
}

/// A pixel whose alpha is at most 65,535 and whose colours are at most alpha.
INLINE samples4 finish_pixel(floats4 pixel) {
    float alpha = pixel[3];
    if (alpha > 65535) pixel *= 65535 / alpha;
    float most = alpha > 65535 ? 65535 : alpha < 0 ? 0 : alpha;
    floats4 limit = {most, most, most, most};
    pixel = __builtin_elementwise_max(__builtin_elementwise_min(pixel, limit), (floats4){0});
    return __builtin_convertvector(__builtin_convertvector(pixel + 0.5f, integers4), samples4);
}

INLINE void filter_rows(
    uint16_t *pixels, const float *const *rows, const float *weights, intptr_t count, intptr_t width) {
    for (intptr_t x = 0; x < width; x += 2) {
        // The last step of an odd width filters its only pixel twice, instead of reading beyond the row.
        intptr_t last = x + 2 <= width ? 4 : 0;
        floats4 one = {0}, other = {0};
        for (intptr_t row = 0; row < count; row++) {
            const float *numbers = rows[row] + 4 * x;
            one += load4(numbers) * weights[row];
            other += load4(numbers + last) * weights[row];
        }
        samples4 first = finish_pixel(one), second = finish_pixel(other);
        memcpy(pixels + 4 * x, &first, sizeof first);
        memcpy(pixels + 4 * x + last, &second, sizeof second);
    }
}
