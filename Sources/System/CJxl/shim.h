#pragma once

#include <jxl/decode.h>
#include <jxl/encode.h>

// libjxl 0.9 removed the pixel format, which older versions ignored, from these functions.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define ALCEDO_JXL_FORMAT
#else
#define ALCEDO_JXL_FORMAT NULL,
#endif

static inline JxlDecoderStatus alcedo_jxl_get_encoding(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                       JxlColorEncoding *encoding) {
    return JxlDecoderGetColorAsEncodedProfile(decoder, ALCEDO_JXL_FORMAT target, encoding);
}

static inline JxlDecoderStatus alcedo_jxl_get_profile_size(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                           size_t *size) {
    return JxlDecoderGetICCProfileSize(decoder, ALCEDO_JXL_FORMAT target, size);
}

static inline JxlDecoderStatus alcedo_jxl_get_profile(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                      uint8_t *profile, size_t size) {
    return JxlDecoderGetColorAsICCProfile(decoder, ALCEDO_JXL_FORMAT target, profile, size);
}

#undef ALCEDO_JXL_FORMAT
