#include "errors.h"

/// Rows asked for at a time; one call gives at most an iMCU row's worth.
enum { ROWS = 16 };

typedef struct {
    struct jpeg_progress_mgr base;
    int scan_limit;
} scan_counter;

/// libjpeg calls this about once per row of blocks while it reads the scans of a multi-scan file.
static void on_progress(j_common_ptr codec) {
    const scan_counter *counter = (const scan_counter *)codec->progress;
    if (((j_decompress_ptr)codec)->input_scan_number > counter->scan_limit) {
        alcedo_jpeg_leave(codec, ALCEDO_JPEG_TOO_MANY_SCANS, "too many scans");
    }
}

alcedo_jpeg_status alcedo_jpeg_decode(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_decoding *how, uint8_t *pixels,
    char message[ALCEDO_JPEG_MESSAGE]) {
    struct jpeg_decompress_struct decoder = {0};
    alcedo_jpeg_errors errors;
    decoder.err = alcedo_jpeg_install(&errors, message);
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&decoder);
        return errors.status;
    }
    jpeg_create_decompress(&decoder);

    scan_counter counter = {.base.progress_monitor = on_progress, .scan_limit = how->scan_limit};
    decoder.progress = &counter.base;
    decoder.mem->max_memory_to_use = how->memory_limit;

    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    decoder.out_color_space = how->as_cmyk ? JCS_CMYK : JCS_EXT_BGRA;
    decoder.scale_num = how->scale;
    decoder.scale_denom = 8;
    decoder.dct_method = JDCT_ISLOW;
    jpeg_calc_output_dimensions(&decoder);
    if (decoder.output_width != how->output_width || decoder.output_height != how->output_height) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_FAILED, "two headers disagree on the size");
    }
    jpeg_start_decompress(&decoder);

    const size_t stride = (size_t)decoder.output_width * 4;
    while (decoder.output_scanline < decoder.output_height) {
        JSAMPROW rows[ROWS];
        JDIMENSION left = decoder.output_height - decoder.output_scanline;
        JDIMENSION wanted = left < ROWS ? left : ROWS;
        for (JDIMENSION row = 0; row < wanted; row++) {
            rows[row] = pixels + (decoder.output_scanline + row) * stride;
        }
        jpeg_read_scanlines(&decoder, rows, wanted);
    }
    jpeg_finish_decompress(&decoder);
    jpeg_destroy_decompress(&decoder);
    return ALCEDO_JPEG_OK;
}
