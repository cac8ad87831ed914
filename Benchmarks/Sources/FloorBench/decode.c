#include "floor.h"
#include "gif.h"

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <spng.h>
#include <webp/decode.h>

typedef struct {
    const uint8_t *bytes;
    size_t size;
} input;

/// To BGRA in one buffer, as a program would that shows the picture with cairo or GTK.
static void decode_jpeg(void *context) {
    const input *in = context;
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, in->bytes, in->size);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_BGRA;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4;
    uint8_t *pixels = malloc(stride * info.output_height);
    while (info.output_scanline < info.output_height) {
        JSAMPROW rows[4];
        for (int i = 0; i < 4; i++) rows[i] = pixels + stride * (info.output_scanline + (size_t)i);
        JDIMENSION left = info.output_height - info.output_scanline;
        jpeg_read_scanlines(&info, rows, left < 4 ? left : 4);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(pixels);
}

static void decode_png(void *context) {
    const input *in = context;
    spng_ctx *png = spng_ctx_new(0);
    size_t size = 0;
    spng_set_png_buffer(png, in->bytes, in->size);
    spng_decoded_image_size(png, SPNG_FMT_RGBA8, &size);
    uint8_t *pixels = malloc(size);
    if (spng_decode_image(png, pixels, size, SPNG_FMT_RGBA8, 0)) fail("spng");
    spng_ctx_free(png);
    free(pixels);
}

static void decode_webp(void *context) {
    const input *in = context;
    int width, height;
    uint8_t *pixels = WebPDecodeBGRA(in->bytes, in->size, &width, &height);
    if (!pixels) fail("webp");
    WebPFree(pixels);
}

static void decode_gif(void *context) {
    const input *in = context;
    free(first_gif(in->bytes, in->size).bytes);
}

/// The decoder of a file's format.
static void (*decoder(const input *in))(void *) {
    if (in->size < 12) fail("no image");
    if (in->bytes[0] == 0xFF) return decode_jpeg;
    if (in->bytes[0] == 0x89) return decode_png;
    if (in->bytes[0] == 'R') return decode_webp;
    if (in->bytes[0] == 'G') return decode_gif;
    fail("unknown format");
}

void decode(void) {
    input in;
    in.bytes = read_file(argument("input"), &in.size);
    measure(decoder(&in), &in);
}

/// Decodes once; `bitmaps` is the memory that was resident at most beyond what was before, in sizes of a bitmap of
/// `pixels`.
void peak(void) {
    input in;
    in.bytes = read_file(argument("input"), &in.size);
    long before = memory("VmRSS:");
    double begin = now();
    decoder(&in)(&in);
    double seconds = now() - begin;
    report_with(seconds, "bitmaps", (double)(memory("VmHWM:") - before) / (4.0 * (double)number("pixels", 1)));
}
