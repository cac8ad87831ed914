#include "thumbnail.h"

#include <stdlib.h>

static int fitted(int length, int longest, int side) {
    int value = (length * side + longest / 2) / longest;
    return value > 0 ? value : 1;
}

/// Each pixel of the result is the mean of those that it covers.
static pixels reduced(pixels source, int side) {
    int longest = source.width > source.height ? source.width : source.height;
    if (longest <= side) return source;
    pixels result = {NULL, fitted(source.width, longest, side), fitted(source.height, longest, side)};
    result.bytes = malloc((size_t)result.width * (size_t)result.height * 4);
    for (int y = 0; y < result.height; y++) {
        int top = y * source.height / result.height, bottom = (y + 1) * source.height / result.height;
        for (int x = 0; x < result.width; x++) {
            int left = x * source.width / result.width, right = (x + 1) * source.width / result.width;
            unsigned sum[4] = {0}, count = (unsigned)((bottom - top) * (right - left));
            for (int v = top; v < bottom; v++) {
                const uint8_t *row = source.bytes + (size_t)v * (size_t)source.width * 4;
                for (int u = left; u < right; u++) {
                    for (int c = 0; c < 4; c++) sum[c] += row[u * 4 + c];
                }
            }
            uint8_t *pixel = result.bytes + ((size_t)y * (size_t)result.width + (size_t)x) * 4;
            for (int c = 0; c < 4; c++) pixel[c] = (uint8_t)((sum[c] + count / 2) / count);
        }
    }
    free(source.bytes);
    return result;
}

uint8_t *thumbnail(const uint8_t *bytes, size_t size, int side, size_t *written) {
    int is_jpeg = 0;
    pixels picture = reduced(decode_reduced(bytes, size, side, &is_jpeg), side);
    uint8_t *file = is_jpeg ? encode_jpeg(picture, written) : encode_png(picture, written);
    free(picture.bytes);
    return file;
}
