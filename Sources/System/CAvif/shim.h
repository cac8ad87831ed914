#pragma once

#include <avif/avif.h>

/// The axis of an image's mirroring: 0 exchanges top and bottom, 1 left and right. libavif 1 renamed the field.
static inline uint8_t alcedo_avif_mirror_axis(const avifImage *image) {
#if AVIF_VERSION_MAJOR >= 1
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}
