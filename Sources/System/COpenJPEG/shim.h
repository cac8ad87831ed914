#pragma once

// pkg-config tells the folder of the header only together with the library to link.
#if __has_include(<openjpeg-2.6/openjpeg.h>)
#include <openjpeg-2.6/openjpeg.h>
#elif __has_include(<openjpeg-2.5/openjpeg.h>)
#include <openjpeg-2.5/openjpeg.h>
#else
#include <openjpeg.h>
#endif

#include "../LoadedLibrary.h"

// The functions of OpenJPEG that are used, without “opj_”.
#define ALCEDO_OPENJPEG(F) \
    F(create_decompress) F(decode) F(decoder_set_strict_mode) F(destroy_codec) F(image_destroy) F(read_header) \
    F(set_decoded_resolution_factor) F(set_default_decoder_parameters) F(set_error_handler) F(setup_decoder) \
    F(stream_create) F(stream_destroy) F(stream_set_read_function) F(stream_set_seek_function) \
    F(stream_set_skip_function) F(stream_set_user_data) F(stream_set_user_data_length)

#define ALCEDO_SHORT_FIELD(name) __typeof__(opj_##name) *name;
#define ALCEDO_SHORT_NAME(name) "opj_" #name,
ALCEDO_LIBRARY(OpenJPEG, ALCEDO_OPENJPEG(ALCEDO_SHORT_FIELD), ALCEDO_OPENJPEG(ALCEDO_SHORT_NAME), alcedo_load_openjpeg, "libopenjp2.so.7")
#undef ALCEDO_SHORT_FIELD
#undef ALCEDO_SHORT_NAME
