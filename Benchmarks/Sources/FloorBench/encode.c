#include "floor.h"
#include "thumbnail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <libdeflate.h>

uint8_t *encode_jpeg(pixels picture, size_t *written) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char *file = NULL;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &file, &size);
    info.image_width = (JDIMENSION)picture.width;
    info.image_height = (JDIMENSION)picture.height;
    info.input_components = 4;
    info.in_color_space = JCS_EXT_BGRX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 100, TRUE);
    info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = picture.bytes + (size_t)info.next_scanline * (size_t)picture.width * 4;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *written = size;
    return file;
}

static uint8_t *put(uint8_t *target, uint32_t value) {
    for (int i = 0; i < 4; i++) target[i] = (uint8_t)(value >> (24 - i * 8));
    return target + 4;
}

/// A chunk whose `size` bytes are at `target + 8` already.
static uint8_t *chunk(uint8_t *target, const char *kind, size_t size) {
    put(target, (uint32_t)size);
    memcpy(target + 4, kind, 4);
    return put(target + 8 + size, libdeflate_crc32(0, target + 4, size + 4));
}

uint8_t *encode_png(pixels picture, size_t *written) {
    size_t stride = (size_t)picture.width * 3, count = (stride + 1) * (size_t)picture.height;
    uint8_t *rows = malloc(count), *row = rows;
    for (int y = 0; y < picture.height; y++) {
        const uint8_t *source = picture.bytes + (size_t)y * (size_t)picture.width * 4;
        const uint8_t *above = source - (size_t)picture.width * 4;
        *row++ = 2;
        for (int x = 0; x < picture.width; x++) {
            for (int c = 0; c < 3; c++) *row++ = (uint8_t)(source[x * 4 + c] - (y ? above[x * 4 + c] : 0));
        }
    }
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
    size_t bound = libdeflate_zlib_compress_bound(compressor, count);
    uint8_t *file = malloc(bound + 64), *end = file + 8;
    memcpy(file, "\x89PNG\r\n\x1a\n", 8);
    put(put(end + 8, (uint32_t)picture.width), (uint32_t)picture.height);
    memcpy(end + 16, "\x08\x02\0\0\0", 5);
    end = chunk(end, "IHDR", 13);
    size_t size = libdeflate_zlib_compress(compressor, rows, count, end + 8, bound);
    if (!size) fail("libdeflate");
    end = chunk(chunk(end, "IDAT", size), "IEND", 0);
    libdeflate_free_compressor(compressor);
    free(rows);
    *written = (size_t)(end - file);
    return file;
}
