#pragma once

#include <tiffio.h>

#include "../LoadedLibrary.h"

// The functions of libtiff that are used, without “TIFF”.
#define ALCEDO_LIBTIFF(F) \
    F(ClientOpenExt) F(Close) F(ComputeStrip) F(ComputeTile) F(DefaultStripSize) F(Flush) F(GetStrileByteCount) \
    F(GetStrileOffset) F(IsTiled) F(NumberOfStrips) F(NumberOfTiles) F(OpenOptionsAlloc) F(OpenOptionsFree) \
    F(OpenOptionsSetErrorHandlerExtR) F(OpenOptionsSetMaxSingleMemAlloc) F(OpenOptionsSetWarningHandlerExtR) \
    F(ReadEncodedStrip) F(ReadEncodedTile) F(RGBAImageBegin) F(RGBAImageEnd) F(RGBAImageGet) F(StripSize64) \
    F(TileSize64) F(VGetField) F(VGetFieldDefaulted) F(VSetField) F(WriteScanline)

#define ALCEDO_SHORT_FIELD(name) __typeof__(TIFF##name) *name;
#define ALCEDO_SHORT_NAME(name) "TIFF" #name,
ALCEDO_LIBRARY(Libtiff, ALCEDO_LIBTIFF(ALCEDO_SHORT_FIELD), ALCEDO_LIBTIFF(ALCEDO_SHORT_NAME), alcedo_load_tiff, "libtiff.so.6")
#undef ALCEDO_SHORT_FIELD
#undef ALCEDO_SHORT_NAME

// `TIFFGetField` and `TIFFSetField` take variable arguments, which Swift can't pass.

static inline int alcedo_tiff_with(__typeof__(TIFFVGetField) *access, TIFF *file, uint32_t tag, ...) {
    va_list values;
    va_start(values, tag);
    int status = access(file, tag, values);
    va_end(values);
    return status;
}

static inline int alcedo_tiff_u16(struct Libtiff library, TIFF *file, uint32_t tag, uint16_t *value) {
    return alcedo_tiff_with(library.VGetFieldDefaulted, file, tag, value);
}

static inline int alcedo_tiff_u32(struct Libtiff library, TIFF *file, uint32_t tag, uint32_t *value) {
    return alcedo_tiff_with(library.VGetFieldDefaulted, file, tag, value);
}

static inline int alcedo_tiff_profile(struct Libtiff library, TIFF *file, uint32_t *count, const void **bytes) {
    return alcedo_tiff_with(library.VGetField, file, TIFFTAG_ICCPROFILE, count, bytes);
}

/// The kinds of the samples after the colours.
static inline int alcedo_tiff_extras(struct Libtiff library, TIFF *file, uint16_t *count, const uint16_t **kinds) {
    return alcedo_tiff_with(library.VGetField, file, TIFFTAG_EXTRASAMPLES, count, kinds);
}

/// The red, green and blue of the palette, a number for each value that a sample may have.
static inline int alcedo_tiff_palette(struct Libtiff library, TIFF *file, const uint16_t **red, const uint16_t **green,
                                      const uint16_t **blue) {
    return alcedo_tiff_with(library.VGetField, file, TIFFTAG_COLORMAP, red, green, blue);
}

static inline int alcedo_tiff_set(struct Libtiff library, TIFF *file, uint32_t tag, uint32_t value) {
    return alcedo_tiff_with(library.VSetField, file, tag, value);
}

static inline int alcedo_tiff_set_profile(struct Libtiff library, TIFF *file, uint32_t count, const void *bytes) {
    return alcedo_tiff_with(library.VSetField, file, TIFFTAG_ICCPROFILE, count, bytes);
}

/// The fourth sample is alpha of this kind.
static inline int alcedo_tiff_set_alpha(struct Libtiff library, TIFF *file, uint16_t kind) {
    return alcedo_tiff_with(library.VSetField, file, TIFFTAG_EXTRASAMPLES, 1, &kind);
}
