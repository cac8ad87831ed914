#include <tiffio.h>

// `TIFFGetField` takes variable arguments, which Swift can't call.

static inline int alcedo_tiff_u16(TIFF *file, uint32_t tag, uint16_t *value) {
    return TIFFGetFieldDefaulted(file, tag, value);
}

static inline int alcedo_tiff_u32(TIFF *file, uint32_t tag, uint32_t *value) {
    return TIFFGetFieldDefaulted(file, tag, value);
}

static inline int alcedo_tiff_profile(TIFF *file, uint32_t *count, const void **bytes) {
    return TIFFGetField(file, TIFFTAG_ICCPROFILE, count, bytes);
}
