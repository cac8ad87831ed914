#include "floor.h"
#include "gif.h"

#include <stdlib.h>
#include <string.h>

/// Draws the picture that follows onto a canvas that is kept from frame to frame.
static void draw(GifFileType *file, uint32_t *canvas, GifPixelType *line, int transparent) {
    if (DGifGetImageDesc(file) == GIF_ERROR) fail("giflib: picture");
    GifImageDesc *image = &file->Image;
    uint32_t palette[256] = {0};
    gif_palette(file, palette);
    for (int y = 0; y < image->Height; y++) {
        if (DGifGetLine(file, line, image->Width) == GIF_ERROR) fail("giflib: line");
        uint32_t *row = canvas + (size_t)(image->Top + y) * (size_t)file->SWidth + image->Left;
        for (int x = 0; x < image->Width; x++) {
            if (line[x] != transparent) row[x] = palette[line[x]];
        }
    }
}

/// Decodes up to `most` frames, each onto the one before, one canvas for all; returns how many there were.
static long play(const uint8_t *bytes, size_t size, long most) {
    gif_source in = {bytes, size};
    int error, transparent = -1;
    GifFileType *file = DGifOpen(&in, read_gif, &error);
    if (!file) fail("giflib");
    uint32_t *canvas = calloc((size_t)file->SWidth * (size_t)file->SHeight, 4);
    GifPixelType *line = malloc((size_t)file->SWidth);
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    long frames = 0;
    while (frames < most && record != TERMINATE_RECORD_TYPE) {
        if (DGifGetRecordType(file, &record) == GIF_ERROR) fail("giflib: record");
        if (record == IMAGE_DESC_RECORD_TYPE) {
            draw(file, canvas, line, transparent);
            transparent = -1;
            frames++;
        } else if (record == EXTENSION_RECORD_TYPE) {
            GifByteType *block;
            int code;
            DGifGetExtension(file, &code, &block);
            if (code == GRAPHICS_EXT_FUNC_CODE && block && (block[1] & 1)) transparent = block[4];
            while (block) DGifGetExtensionNext(file, &block);
        }
    }
    free(line);
    free(canvas);
    DGifCloseFile(file, &error);
    return frames;
}

/// `kind=first`: until the first frame is there; `kind=play`: processor time for a second of the animation.
void gif_floor(void) {
    size_t size;
    uint8_t *bytes = read_file(argument("input"), &size);
    int first = strcmp(argument("kind"), "first") == 0;
    double begin = first ? now() : processor_time();
    long frames = play(bytes, size, first ? 1 : 1000000);
    double seconds = (first ? now() : processor_time()) - begin;
    if (!first) seconds /= (double)frames * (double)number("milliseconds", 50) / 1000;
    report(&seconds, 1);
}
