#include "floor.h"
#include "gif.h"
#include "thumbnail.h"

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <spng.h>
#include <webp/decode.h>

static int longest(unsigned width, unsigned height) { return (int)(width > height ? width : height); }

static pixels reduced_jpeg(const uint8_t *bytes, size_t size, int side) {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, size);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_BGRA;
    info.scale_num = 1;
    info.scale_denom = 8;
    while (info.scale_denom > 1 && longest(info.image_width, info.image_height) < side * (int)info.scale_denom) {
        info.scale_denom /= 2;
    }
    jpeg_start_decompress(&info);
    pixels result = {NULL, (int)info.output_width, (int)info.output_height};
    size_t stride = (size_t)info.output_width * 4;
    result.bytes = malloc(stride * info.output_height);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = result.bytes + stride * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return result;
}

static pixels whole_png(const uint8_t *bytes, size_t size) {
    spng_ctx *png = spng_ctx_new(0);
    struct spng_ihdr header;
    size_t count = 0;
    spng_set_png_buffer(png, bytes, size);
    if (spng_get_ihdr(png, &header) || spng_decoded_image_size(png, SPNG_FMT_RGBA8, &count)) fail("spng");
    pixels result = {malloc(count), (int)header.width, (int)header.height};
    if (spng_decode_image(png, result.bytes, count, SPNG_FMT_RGBA8, 0)) fail("spng");
    spng_ctx_free(png);
    return result;
}

/// libwebp scales while it converts.
static pixels reduced_webp(const uint8_t *bytes, size_t size, int side) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(bytes, size, &config.input)) fail("webp");
    int width = config.input.width, height = config.input.height;
    int most = longest((unsigned)width, (unsigned)height);
    if (most > side) {
        width = width * side / most;
        height = height * side / most;
        config.options.use_scaling = 1;
        config.options.scaled_width = width;
        config.options.scaled_height = height;
    }
    size_t count = (size_t)width * (size_t)height * 4;
    pixels result = {malloc(count), width, height};
    config.output.colorspace = MODE_RGBA;
    config.output.u.RGBA.rgba = result.bytes;
    config.output.u.RGBA.stride = width * 4;
    config.output.u.RGBA.size = count;
    config.output.is_external_memory = 1;
    if (WebPDecode(bytes, size, &config)) fail("webp");
    WebPFreeDecBuffer(&config.output);
    return result;
}

pixels decode_reduced(const uint8_t *bytes, size_t size, int side, int *is_jpeg) {
    if (size < 12) fail("no image");
    *is_jpeg = bytes[0] == 0xFF;
    if (*is_jpeg) return reduced_jpeg(bytes, size, side);
    if (bytes[0] == 0x89) return whole_png(bytes, size);
    if (bytes[0] == 'R') return reduced_webp(bytes, size, side);
    pixels result = first_gif(bytes, size);
    for (int i = 0; i < result.width * result.height; i++) {
        uint8_t *pixel = result.bytes + (size_t)i * 4, blue = pixel[0];
        pixel[0] = pixel[2];
        pixel[2] = blue;
    }
    return result;
}
