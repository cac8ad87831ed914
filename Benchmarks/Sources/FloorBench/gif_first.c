#include "floor.h"
#include "gif.h"

#include <stdlib.h>
#include <string.h>

int read_gif(GifFileType *file, GifByteType *target, int count) {
    gif_source *source = file->UserData;
    size_t taken = (size_t)count < source->left ? (size_t)count : source->left;
    memcpy(target, source->bytes, taken);
    source->bytes += taken;
    source->left -= taken;
    return (int)taken;
}

void gif_palette(const GifFileType *file, uint32_t palette[256]) {
    const ColorMapObject *map = file->Image.ColorMap ? file->Image.ColorMap : file->SColorMap;
    for (int i = 0; map && i < map->ColorCount; i++) {
        GifColorType c = map->Colors[i];
        palette[i] = 0xFF000000u | (uint32_t)c.Red << 16 | (uint32_t)c.Green << 8 | c.Blue;
    }
}

pixels first_gif(const uint8_t *bytes, size_t size) {
    gif_source source = {bytes, size};
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
    uint32_t palette[256] = {0};
    gif_palette(file, palette);
    uint32_t *target = malloc((size_t)width * (size_t)height * 4);
    GifPixelType *line = malloc((size_t)width);
    for (int y = 0; y < height; y++) {
        if (DGifGetLine(file, line, width) == GIF_ERROR) fail("giflib: line");
        uint32_t *row = target + (size_t)y * (size_t)width;
        for (int x = 0; x < width; x++) row[x] = palette[line[x]];
    }
    free(line);
    DGifCloseFile(file, &error);
    return (pixels){(uint8_t *)target, width, height};
}
