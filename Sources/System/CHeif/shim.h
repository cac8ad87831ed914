#pragma once

#include <libheif/heif.h>

#include "../LoadedLibrary.h"

// The functions of libheif that are used, without “heif_”.
#define ALCEDO_LIBHEIF(F) \
    F(context_alloc) F(context_encode_image) F(context_free) F(context_get_encoder_for_format) \
    F(context_get_primary_image_handle) F(context_read_from_memory_without_copy) \
    F(context_set_max_decoding_threads) F(context_set_maximum_image_size_limit) F(context_write) F(decode_image) \
    F(decoding_options_alloc) F(decoding_options_free) F(encoder_release) F(encoder_set_lossless) \
    F(encoder_set_lossy_quality) F(encoder_set_parameter_string) F(encoding_options_alloc) F(encoding_options_free) \
    F(have_encoder_for_format) F(image_add_plane) F(image_create) F(image_get_bits_per_pixel_range) \
    F(image_get_height) F(image_get_plane) F(image_get_plane_readonly) F(image_get_width) \
    F(image_handle_get_color_profile_type) F(image_handle_get_height) F(image_handle_get_ispe_height) \
    F(image_handle_get_ispe_width) F(image_handle_get_luma_bits_per_pixel) \
    F(image_handle_get_nclx_color_profile) F(image_handle_get_raw_color_profile) \
    F(image_handle_get_raw_color_profile_size) F(image_handle_get_width) F(image_handle_has_alpha_channel) \
    F(image_handle_is_premultiplied_alpha) F(image_handle_release) F(image_release) F(image_set_nclx_color_profile) \
    F(image_set_raw_color_profile) \
    F(nclx_color_profile_alloc) F(nclx_color_profile_free)

#define ALCEDO_SHORT_FIELD(name) __typeof__(heif_##name) *name;
#define ALCEDO_SHORT_NAME(name) "heif_" #name,
ALCEDO_LIBRARY(Libheif, ALCEDO_LIBHEIF(ALCEDO_SHORT_FIELD), ALCEDO_LIBHEIF(ALCEDO_SHORT_NAME), alcedo_load_heif, "libheif.so.1")
#undef ALCEDO_SHORT_FIELD
#undef ALCEDO_SHORT_NAME
