#include <lcms2.h>

// lcms2 describes pixel layouts with macros that Swift cannot import.

static const cmsUInt32Number alcedo_lcms_bgra = TYPE_BGRA_8;
static const cmsUInt32Number alcedo_lcms_rgba = TYPE_RGBA_8;

/// Grey in the first byte of four.
static const cmsUInt32Number alcedo_lcms_grey =
    COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1);

/// Cyan, magenta, yellow and black with 255 for no ink.
static const cmsUInt32Number alcedo_lcms_cmyk_inverted = TYPE_CMYK_8_REV;

static const cmsUInt32Number alcedo_lcms_rgba_16 = TYPE_RGBA_16;

/// Grey in the first of four samples.
static const cmsUInt32Number alcedo_lcms_grey_16 =
    COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(2);

/// Cyan, magenta, yellow and black with 65,535 for no ink.
static const cmsUInt32Number alcedo_lcms_cmyk_inverted_16 = TYPE_CMYK_16_REV;

static const cmsUInt32Number alcedo_lcms_rgb_double = TYPE_RGB_DBL;
static const cmsUInt32Number alcedo_lcms_grey_double = TYPE_GRAY_DBL;
