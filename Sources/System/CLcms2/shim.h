#include <lcms2.h>

// lcms2 describes pixel layouts with macros that Swift cannot import.

static const cmsUInt32Number alcedo_lcms_bgra = TYPE_BGRA_8;
static const cmsUInt32Number alcedo_lcms_rgba = TYPE_RGBA_8;

/// Grey in the first byte of four.
static const cmsUInt32Number alcedo_lcms_grey =
    COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1);

/// Cyan, magenta, yellow and black with 255 for no ink.
static const cmsUInt32Number alcedo_lcms_cmyk_inverted = TYPE_CMYK_8_REV;
