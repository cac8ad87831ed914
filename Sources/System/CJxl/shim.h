#pragma once

#include <jxl/decode.h>
#include <jxl/encode.h>

#include "../LoadedLibrary.h"

// A minor version is an interface of its own.
#define ALCEDO_JXL_FILE ALCEDO_JXL_FILE_OF(JPEGXL_MAJOR_VERSION, JPEGXL_MINOR_VERSION)
#define ALCEDO_JXL_FILE_OF(major, minor) ALCEDO_JXL_QUOTED(major, minor)
#define ALCEDO_JXL_QUOTED(major, minor) "libjxl.so." #major "." #minor

// The functions of libjxl that are used, without “Jxl”.
#define ALCEDO_LIBJXL(F) \
    F(ColorEncodingSetToSRGB) F(DecoderCloseInput) F(DecoderCreate) F(DecoderDestroy) \
    F(DecoderExtraChannelBufferSize) F(DecoderFlushImage) F(DecoderGetBasicInfo) \
    F(DecoderGetColorAsEncodedProfile) F(DecoderGetColorAsICCProfile) F(DecoderGetExtraChannelInfo) \
    F(DecoderGetFrameHeader) F(DecoderGetICCProfileSize) F(DecoderImageOutBufferSize) F(DecoderProcessInput) \
    F(DecoderReleaseInput) F(DecoderSetCoalescing) F(DecoderSetExtraChannelBuffer) \
    F(DecoderSetImageOutBuffer) F(DecoderSetImageOutCallback) F(DecoderSetInput) \
    F(DecoderSetKeepOrientation) F(DecoderSetParallelRunner) F(DecoderSetPreferredColorProfile) \
    F(DecoderSubscribeEvents) F(EncoderAddImageFrame) F(EncoderCloseInput) F(EncoderCreate) \
    F(EncoderDestroy) F(EncoderFrameSettingsCreate) F(EncoderFrameSettingsSetOption) F(EncoderGetError) F(EncoderSetICCProfile) \
    F(EncoderInitBasicInfo) F(EncoderInitFrameHeader) F(EncoderProcessOutput) F(EncoderSetBasicInfo) \
    F(EncoderSetColorEncoding) F(EncoderSetFrameDistance) F(EncoderSetFrameHeader) \
    F(EncoderSetFrameLossless)

#define ALCEDO_SHORT_FIELD(name) __typeof__(Jxl##name) *name;
#define ALCEDO_SHORT_NAME(name) "Jxl" #name,
ALCEDO_LIBRARY(Libjxl, ALCEDO_LIBJXL(ALCEDO_SHORT_FIELD), ALCEDO_LIBJXL(ALCEDO_SHORT_NAME), alcedo_load_jxl, ALCEDO_JXL_FILE)
#undef ALCEDO_SHORT_FIELD
#undef ALCEDO_SHORT_NAME

// libjxl 0.9 removed the pixel format, which older versions ignored, from these functions.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define ALCEDO_JXL_FORMAT
#else
#define ALCEDO_JXL_FORMAT NULL,
#endif

static inline JxlDecoderStatus alcedo_jxl_get_encoding(struct Libjxl library, const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                       JxlColorEncoding *encoding) {
    return library.DecoderGetColorAsEncodedProfile(decoder, ALCEDO_JXL_FORMAT target, encoding);
}

static inline JxlDecoderStatus alcedo_jxl_get_profile_size(struct Libjxl library, const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                           size_t *size) {
    return library.DecoderGetICCProfileSize(decoder, ALCEDO_JXL_FORMAT target, size);
}

static inline JxlDecoderStatus alcedo_jxl_get_profile(struct Libjxl library, const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                      uint8_t *profile, size_t size) {
    return library.DecoderGetColorAsICCProfile(decoder, ALCEDO_JXL_FORMAT target, profile, size);
}

#undef ALCEDO_JXL_FORMAT

