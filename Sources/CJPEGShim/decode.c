#include "watch.h"

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
    jpeg_create_decompress(&decoder);

    alcedo_jpeg_watch watch;
    alcedo_jpeg_watch_decoder(&decoder, &watch, how->scan_limit, how->deadline);
    decoder.mem->max_memory_to_use = how->memory_limit;

    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    ask(&decoder, how);
    jpeg_start_decompress(&decoder);
    *row_count = write_rows(&decoder, pixels);
    if (how->allows_truncation) {
        jpeg_destroy_decompress(&decoder);
        return ALCEDO_JPEG_OK;
    }
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
