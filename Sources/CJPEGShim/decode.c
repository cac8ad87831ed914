#include "decode.h"
#include <time.h>

/// Rows asked for at a time; one call gives at most an iMCU row's worth.
enum { ROWS = 16 };

void alcedo_jpeg_look(struct jpeg_decompress_struct *decoder) {
    const alcedo_jpeg_watch *watch = (const alcedo_jpeg_watch *)decoder->progress;
    if (decoder->input_scan_number > watch->scan_limit) {
        alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_TOO_MANY_SCANS, "too many scans");
    }
    if (watch->deadline == UINT64_MAX) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec >= watch->deadline) {
        alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_TOO_SLOW, "too slow");
    }
}

/// libjpeg calls this about once per row of blocks that it reads or writes.
static void on_progress(j_common_ptr codec) {
    j_decompress_ptr decoder = (j_decompress_ptr)codec;
    alcedo_jpeg_watch *watch = (alcedo_jpeg_watch *)decoder->progress;
    // To look at the clock takes as long as to decode some hundred pixels.
    const uint64_t patience = 1 << 14;
    for (int index = 0; index < decoder->comps_in_scan; index++) {
        watch->seen |= 1u << decoder->cur_comp_info[index]->component_index;
    }
    watch->unwatched += decoder->image_width;
    if (watch->unwatched < patience && decoder->input_scan_number <= watch->scan_limit) return;
    watch->unwatched = 0;
    alcedo_jpeg_look(decoder);
}

void alcedo_jpeg_set_deadline(alcedo_jpeg_watch *watch, uint64_t deadline) {
    watch->deadline = deadline;
    watch->unwatched = UINT32_MAX;
}

void alcedo_jpeg_watch_over(
    alcedo_jpeg_watch *watch, struct jpeg_decompress_struct *decoder, const alcedo_jpeg_decoding *how) {
    watch->base.progress_monitor = on_progress;
    watch->scan_limit = how->scan_limit;
    alcedo_jpeg_set_deadline(watch, how->deadline);
    decoder->progress = &watch->base;
}

void alcedo_jpeg_ask(struct jpeg_decompress_struct *decoder, const alcedo_jpeg_decoding *how) {
    decoder->out_color_space = how->as_cmyk ? JCS_CMYK : JCS_EXT_BGRA;
    decoder->scale_num = how->scale;
    decoder->scale_denom = 8;
    decoder->dct_method = JDCT_ISLOW;
    jpeg_calc_output_dimensions(decoder);
    if (decoder->output_width != how->output_width || decoder->output_height != how->output_height) {
        alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_FAILED, "two headers disagree on the size");
    }
}

void alcedo_jpeg_write_rows(struct jpeg_decompress_struct *decoder, uint8_t *pixels) {
    const size_t stride = (size_t)decoder->output_width * 4;
    while (decoder->output_scanline < decoder->output_height) {
        JSAMPROW rows[ROWS];
        JDIMENSION left = decoder->output_height - decoder->output_scanline;
        JDIMENSION wanted = left < ROWS ? left : ROWS;
        for (JDIMENSION row = 0; row < wanted; row++) {
            rows[row] = pixels + (decoder->output_scanline + row) * stride;
        }
        if (jpeg_read_scanlines(decoder, rows, wanted) == 0) {
            alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_TRUNCATED, "no more rows");
        }
    }
}

/// Whether scans have told all bits of all coefficients; to be asked of a file that has several and lacks its end.
static int has_all_scans(const struct jpeg_decompress_struct *decoder) {
    // The arithmetic decoder does not tell where its bits end.
    if (decoder->arith_code) return 0;
    if (!decoder->progressive_mode) {
        return ((const alcedo_jpeg_watch *)decoder->progress)->seen == (1u << decoder->num_components) - 1;
    }
    for (int component = 0; component < decoder->num_components; component++) {
        for (int index = 0; index < DCTSIZE2; index++) {
            if (decoder->coef_bits[component][index] != 0) return 0;
        }
    }
    return 1;
}

alcedo_jpeg_status alcedo_jpeg_decode(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, uint8_t *pixels,
    char message[ALCEDO_JPEG_MESSAGE]) {
    struct jpeg_decompress_struct decoder = {0};
    alcedo_jpeg_errors errors;
    decoder.err = alcedo_jpeg_install(&errors, message);
    errors.allows_early_ends = how->allows_early_ends;
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&decoder);
        return errors.status;
    }
    jpeg_create_decompress(&decoder);

    alcedo_jpeg_watch watch = {0};
    alcedo_jpeg_watch_over(&watch, &decoder, how);
    decoder.mem->max_memory_to_use = how->memory_limit;

    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    alcedo_jpeg_ask(&decoder, how);
    jpeg_start_decompress(&decoder);
    alcedo_jpeg_write_rows(&decoder, pixels);
    int is_arithmetic = decoder.arith_code;
    if (jpeg_has_multiple_scans(&decoder) && errors.met_end && !has_all_scans(&decoder)) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "scans are missing");
    }
    jpeg_finish_decompress(&decoder);
    if (is_arithmetic && errors.met_end) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "no end marker");
    }
    jpeg_destroy_decompress(&decoder);
    return ALCEDO_JPEG_OK;
}
