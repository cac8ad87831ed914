#include "watch.h"
#include <string.h>

/// Rows asked for at a time; one call gives at most an iMCU row's worth.
enum { ROWS = 16 };

/// Asks for pixels as in `how`; the header must have been read.
static void ask(struct jpeg_decompress_struct *decoder, const alcedo_jpeg_decoding *how) {
    decoder->out_color_space = how->as_cmyk ? JCS_CMYK : JCS_EXT_BGRA;
    decoder->scale_num = how->scale;
    decoder->scale_denom = 8;
    decoder->dct_method = JDCT_ISLOW;
    jpeg_calc_output_dimensions(decoder);
    if (decoder->output_width != how->output_width || decoder->output_height != how->output_height) {
        alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_FAILED, "two headers disagree on the size");
    }
}

/// Reads the headers and starts to decode; errors must have been installed.
static void open_picture(
    struct jpeg_decompress_struct *decoder, alcedo_jpeg_watch *watch, const uint8_t *bytes, size_t count,
    const alcedo_jpeg_decoding *how) {
    jpeg_create_decompress(decoder);
    alcedo_jpeg_watch_decoder(decoder, watch, how->scan_limit, how->deadline);
    watch->is_stopped = how->is_stopped;
    watch->stop = how->stop;
    decoder->mem->max_memory_to_use = how->memory_limit;

    jpeg_mem_src(decoder, bytes, count);
    jpeg_read_header(decoder, TRUE);
    ask(decoder, how);
    jpeg_start_decompress(decoder);
}

/// Writes all rows, or of a single scan those before its bytes end; returns how many.
static JDIMENSION write_rows(struct jpeg_decompress_struct *decoder, uint8_t *pixels) {
    const size_t stride = (size_t)decoder->output_width * 4;
    const int stops_at_end = !jpeg_has_multiple_scans(decoder);
    while (decoder->output_scanline < decoder->output_height) {
        JSAMPROW rows[ROWS];
        JDIMENSION start = decoder->output_scanline;
        JDIMENSION left = decoder->output_height - start;
        JDIMENSION wanted = left < ROWS ? left : ROWS;
        for (JDIMENSION row = 0; row < wanted; row++) {
            rows[row] = pixels + (start + row) * stride;
        }
        if (jpeg_read_scanlines(decoder, rows, wanted) == 0) {
            alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_TRUNCATED, "no more rows");
        }
        const alcedo_jpeg_errors *errors = (const alcedo_jpeg_errors *)decoder->err;
        // Some of these rows may be made of bits that libjpeg has added.
        if (errors->allows_truncation && errors->met_end && stops_at_end) return start;
    }
    return decoder->output_height;
}

alcedo_jpeg_status alcedo_jpeg_decode(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, uint8_t *pixels, uint32_t *row_count,
    char message[ALCEDO_JPEG_MESSAGE]) {
    struct jpeg_decompress_struct decoder = {0};
    alcedo_jpeg_errors errors;
    decoder.err = alcedo_jpeg_install(&errors, message);
    errors.allows_early_ends = how->allows_early_ends;
    errors.allows_truncation = how->allows_truncation;
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&decoder);
        return errors.status;
    }
    alcedo_jpeg_watch watch;
    open_picture(&decoder, &watch, bytes, count, how);
    *row_count = write_rows(&decoder, pixels);
    // jpeg_finish_decompress fails if rows or scans are missing.
    if (how->allows_truncation) {
        jpeg_destroy_decompress(&decoder);
        return ALCEDO_JPEG_OK;
    }
    // The arithmetic decoder adds zeros without a warning: only an end marker shows that no bits are missing.
    int is_arithmetic = decoder.arith_code;
    if (jpeg_has_multiple_scans(&decoder) && errors.met_end && !alcedo_jpeg_has_all_scans(&decoder)) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "scans are missing");
    }
    jpeg_finish_decompress(&decoder);
    if (is_arithmetic && errors.met_end) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "no end marker");
    }
    jpeg_destroy_decompress(&decoder);
    return ALCEDO_JPEG_OK;
}

/// Reads up to a row without a transform.
static void skip_rows(struct jpeg_decompress_struct *decoder, JDIMENSION end, JDIMENSION unit) {
    while (decoder->output_scanline < end) {
        // libjpeg calls the monitor for rows that it writes only.
        (*decoder->progress->progress_monitor)((j_common_ptr)decoder);
        const JDIMENSION left = end - decoder->output_scanline;
        const JDIMENSION step = 16 * unit;
        if (jpeg_skip_scanlines(decoder, left < step ? left : step) == 0) {
            alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_TRUNCATED, "no more rows");
        }
    }
}

/// Writes the rows and columns of a region, which must be within the picture; decoding must have started.
static void write_region(
    struct jpeg_decompress_struct *decoder, const alcedo_jpeg_region *region, uint8_t *pixels) {
    // Chroma at a cut is interpolated as at the picture's edge, so one more MCU is decoded on each side.
    const JDIMENSION across = decoder->max_h_samp_factor * decoder->min_DCT_scaled_size;
    const JDIMENSION down = decoder->max_v_samp_factor * decoder->min_DCT_scaled_size;
    JDIMENSION first = region->x > across ? region->x - across : 0;
    const JDIMENSION after = decoder->output_width - region->x - region->width;
    JDIMENSION width = region->x + region->width + (after < across ? after : across) - first;
    jpeg_crop_scanline(decoder, &first, &width);
    if (region->y > down) skip_rows(decoder, region->y - down, down);

    JSAMPARRAY rows = (*decoder->mem->alloc_sarray)((j_common_ptr)decoder, JPOOL_IMAGE, width * 4, ROWS);
    const JDIMENSION end = region->y + region->height;
    while (decoder->output_scanline < end) {
        const JDIMENSION start = decoder->output_scanline;
        const JDIMENSION left = end - start;
        const JDIMENSION count = jpeg_read_scanlines(decoder, rows, left < ROWS ? left : ROWS);
        if (count == 0) alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_TRUNCATED, "no more rows");
        for (JDIMENSION row = 0; row < count; row++) {
            if (start + row < region->y) continue;
            uint8_t *target = pixels + (size_t)(start + row - region->y) * region->width * 4;
            memcpy(target, rows[row] + (size_t)(region->x - first) * 4, (size_t)region->width * 4);
        }
    }
}

alcedo_jpeg_status alcedo_jpeg_decode_region(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, const alcedo_jpeg_region *region, uint8_t *pixels,
    char message[ALCEDO_JPEG_MESSAGE]) {
    struct jpeg_decompress_struct decoder = {0};
    alcedo_jpeg_errors errors;
    decoder.err = alcedo_jpeg_install(&errors, message);
    errors.allows_early_ends = how->allows_early_ends;
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&decoder);
        return errors.status;
    }
    alcedo_jpeg_watch watch;
    open_picture(&decoder, &watch, bytes, count, how);
    write_region(&decoder, region, pixels);
    if (jpeg_has_multiple_scans(&decoder) && errors.met_end && !alcedo_jpeg_has_all_scans(&decoder)) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "scans are missing");
    }
    if (decoder.arith_code && errors.met_end) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "no end marker");
    }
    jpeg_destroy_decompress(&decoder);
    return ALCEDO_JPEG_OK;
}
