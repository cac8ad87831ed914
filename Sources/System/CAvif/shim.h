#pragma once

#include <avif/avif.h>

#include "../LoadedLibrary.h"

/// The axis of an image's mirroring: 0 exchanges top and bottom, 1 left and right. libavif 1 renamed the field.
static inline uint8_t alcedo_avif_mirror_axis(const avifImage *image) {
#if AVIF_VERSION_MAJOR >= 1
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

/// Sets the axis of an image's mirroring.
static inline void alcedo_avif_set_mirror_axis(avifImage *image, uint8_t axis) {
#if AVIF_VERSION_MAJOR >= 1
    image->imir.axis = axis;
#else
    image->imir.mode = axis;
#endif
}

/// Encodes colours and alpha with a quality from 0 to 100, of which 100 is lossless. libavif 0.11 has only the quantizers of
/// AV1, from 63 to 0; this is how libavif 1 translates one into the other.
static inline void alcedo_avif_set_quality(avifEncoder *encoder, int quality) {
#if AVIF_VERSION_MAJOR >= 1
    encoder->quality = quality;
    encoder->qualityAlpha = quality;
#else
    int quantizer = ((100 - quality) * AVIF_QUANTIZER_WORST_QUALITY + 50) / 100;
    encoder->minQuantizer = quantizer;
    encoder->maxQuantizer = quantizer;
    encoder->minQuantizerAlpha = quantizer;
    encoder->maxQuantizerAlpha = quantizer;
#endif
}

/// Sets an image's ICC profile; libavif 0.11 does not say whether there was memory for it.
static inline avifResult alcedo_avif_set_profile(
    __typeof__(avifImageSetProfileICC) *set, avifImage *image, const uint8_t *profile, size_t count) {
#if AVIF_VERSION_MAJOR >= 1
    return set(image, profile, count);
#else
    set(image, profile, count);
    return AVIF_RESULT_OK;
#endif
}

#if AVIF_VERSION_MAJOR >= 1
#define ALCEDO_AVIF_FILE "libavif.so.16"
#else
#define ALCEDO_AVIF_FILE "libavif.so.15"
#endif

// The functions of libavif that are used, without “avif”.
#define ALCEDO_LIBAVIF(F) \
    F(CropRectConvertCleanApertureBox) F(DecoderCreate) F(DecoderDestroy) F(DecoderNextImage) \
    F(DecoderNthImageTiming) F(DecoderParse) F(DecoderReset) F(DecoderSetIOMemory) F(DecoderSetSource) \
    F(EncoderCreate) F(EncoderDestroy) F(EncoderWrite) F(ImageCreate) F(ImageDestroy) F(ImageRGBToYUV) F(ImageSetProfileICC) \
    F(ImageYUVToRGB) F(RGBImageSetDefaults) F(RWDataFree) F(ResultToString)

#define ALCEDO_SHORT_FIELD(name) __typeof__(avif##name) *name;
#define ALCEDO_SHORT_NAME(name) "avif" #name,
ALCEDO_LIBRARY(Libavif, ALCEDO_LIBAVIF(ALCEDO_SHORT_FIELD), ALCEDO_LIBAVIF(ALCEDO_SHORT_NAME), alcedo_load_avif, ALCEDO_AVIF_FILE)
#undef ALCEDO_SHORT_FIELD
#undef ALCEDO_SHORT_NAME
