#include "floor.h"

#include <gif_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct {
    const uint8_t *bytes;
    size_t left;
} gif_source;

static int read_gif(GifFileType *file, GifByteType *target, int count) {
    gif_source *source = file->UserData;
    size_t taken = (size_t)count < source->left ? (size_t)count : source->left;
    memcpy(target, source->bytes, taken);
    source->bytes += taken;
    source->left -= taken;
    return (int)taken;
}

/// The first picture, through giflib's own lines, with the palette looked up.
static void decode_gif(void *context) {
    const input *in = context;
    gif_source source = {in->bytes, in->size};
    int error;
    GifFileType *file = DGifOpen(&source, read_gif, &error);
    if (!file) fail("giflib");
    GifRecordType record;
    do {
        if (DGifGetRecordType(file, &record) == GIF_ERROR) fail("giflib: record");
        if (record == EXTENSION_RECORD_TYPE) {
            GifByteType *block;
            int code;
            DGifGetExtension(file, &code, &block);
            while (block) DGifGetExtensionNext(file, &block);
        }
    } while (record != IMAGE_DESC_RECORD_TYPE);
    if (DGifGetImageDesc(file) == GIF_ERROR) fail("giflib: picture");
    int width = file->Image.Width, height = file->Image.Height;
    ColorMapObject *map = file->Image.ColorMap ? file->Image.ColorMap : file->SColorMap;
    uint32_t palette[256] = {0};
    for (int i = 0; i < map->ColorCount; i++) {
        GifColorType c = map->Colors[i];
        palette[i] = 0xFF000000u | (uint32_t)c.Red << 16 | (uint32_t)c.Green << 8 | c.Blue;
    }
    uint32_t *pixels = malloc((size_t)width * (size_t)height * 4);
    GifPixelType *line = malloc((size_t)width);
    for (int y = 0; y < height; y++) {
        if (DGifGetLine(file, line, width) == GIF_ERROR) fail("giflib: line");
        uint32_t *row = pixels + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) row[x] = palette[line[x]];
    }
    free(line);
    free(pixels);
    DGifCloseFile(file, &error);
}

void decode(void) {
    input in;
    in.bytes = read_file(argument("input"), &in.size);
    if (in.size < 12) fail("no image");
    if (in.bytes[0] == 0xFF) measure(decode_jpeg, &in);
    else if (in.bytes[0] == 0x89) measure(decode_png, &in);
    else if (in.bytes[0] == 'R') measure(decode_webp, &in);
    else if (in.bytes[0] == 'G') measure(decode_gif, &in);
    else fail("unknown format");
}
