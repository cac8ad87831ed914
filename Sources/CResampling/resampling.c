#include "deep.h"
#include "loops.h"

/// Instantiates all kernels for the instruction set in `attributes`.
#define RESAMPLING(name, attributes)                                                                                   \
    attributes static void name##_fill(                                                                                \
        int16_t *channels, const void *const *rows, const uint16_t *weights, intptr_t added, intptr_t count,           \
        int16_t start, intptr_t width) {                                                                               \
        fill_channels(channels, rows, weights, added, count, start, width);                                            \
    }                                                                                                                  \
    attributes static void name##_write(uint8_t *pixels, const int16_t *channels, const alcedo_columns *columns) {     \
        write_pixels(pixels, channels, columns);                                                                       \
    }                                                                                                                  \
    attributes static void name##_halve_rows(                                                                          \
        uint8_t *bytes, const uint8_t *one, const uint8_t *two, const uint8_t *three, const uint8_t *four,             \
        intptr_t count, intptr_t stride) {                                                                             \
        spline_rows(bytes, one, two, three, four, count, stride);                                                      \
    }                                                                                                                  \
    attributes static void name##_halve_columns(uint8_t *pixels, const uint8_t *source, intptr_t count) {              \
        spline_columns(pixels, source, count);                                                                         \
    }                                                                                                                  \
    const alcedo_resampling alcedo_##name##_resampling = {                                                             \
        name##_fill, name##_write, name##_halve_rows, name##_halve_columns};                                           \
    attributes static void name##_widen(float *numbers, const uint16_t *samples, intptr_t count) {                     \
        widen_samples(numbers, samples, count);                                                                        \
    }                                                                                                                  \
    attributes static void name##_columns(float *row, const float *source, const alcedo_deep_columns *columns) {       \
        filter_columns(row, source, columns);                                                                          \
    }                                                                                                                  \
    attributes static void name##_rows(                                                                                \
        uint16_t *pixels, const float *const *rows, const float *weights, intptr_t count, intptr_t width) {            \
        filter_rows(pixels, rows, weights, count, width);                                                              \
    }                                                                                                                  \
    const alcedo_deep_resampling alcedo_##name##_deep_resampling = {name##_widen, name##_columns, name##_rows};

RESAMPLING(plain, )

#if defined(__x86_64__)

RESAMPLING(wide, __attribute__((target("avx2"))))

const alcedo_resampling *alcedo_best_resampling(void) {
    return __builtin_cpu_supports("avx2") ? &alcedo_wide_resampling : &alcedo_plain_resampling;
}

const alcedo_deep_resampling *alcedo_best_deep_resampling(void) {
    return __builtin_cpu_supports("avx2") ? &alcedo_wide_deep_resampling : &alcedo_plain_deep_resampling;
}

#else

const alcedo_resampling *alcedo_best_resampling(void) { return &alcedo_plain_resampling; }

const alcedo_deep_resampling *alcedo_best_deep_resampling(void) { return &alcedo_plain_deep_resampling; }

#endif
