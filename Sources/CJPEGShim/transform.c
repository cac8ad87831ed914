#include "output.h"
#include "watch.h"
#include <stdlib.h>

/// The stored block at the end of `index` steps along an axis from its first one.
static int64_t stored_index(uint32_t origin, int flips, int factor, JDIMENSION index) {
    int64_t first = (int64_t)origin * factor;
    return flips ? first - 1 - (int64_t)index : first + (int64_t)index;
}

/// Mirrors and transposes a block: a mirrored cosine of an odd frequency has the other sign.
static void turn_block(const alcedo_jpeg_transform *how, const JCOEF *from, JCOEF *to) {
    for (int row = 0; row < DCTSIZE; row++) {
        for (int column = 0; column < DCTSIZE; column++) {
            int is_negative = (how->flips_x & column) ^ (how->flips_y & row);
            int value = from[row * DCTSIZE + column];
            int place = how->swaps ? column * DCTSIZE + row : row * DCTSIZE + column;
            to[place] = (JCOEF)(is_negative & 1 ? -value : value);
        }
    }
}

static int divided_up(int64_t value, int64_t by) { return (int)((value + by - 1) / by); }

/// Sets the size, and for a transposition the sampling and the quantisation; returns the arrays to fill.
static jvirt_barray_ptr *configure(
    struct jpeg_decompress_struct *decoder, j_compress_ptr encoder, const alcedo_jpeg_transform *how) {
    jpeg_copy_critical_parameters(decoder, encoder);
    encoder->image_width = how->width;
    encoder->image_height = how->height;
#if JPEG_LIB_VERSION >= 70
    encoder->jpeg_width = how->width;
    encoder->jpeg_height = how->height;
#endif
    encoder->write_JFIF_header = decoder->saw_JFIF_marker;
    encoder->write_Adobe_marker = decoder->saw_Adobe_marker;
    encoder->optimize_coding = TRUE;
    int across = 1, down = 1;
    for (int index = 0; index < encoder->num_components; index++) {
        jpeg_component_info *component = &encoder->comp_info[index];
        // The MCU of a single component is one block, whatever its factors.
        if (encoder->num_components == 1) component->h_samp_factor = component->v_samp_factor = 1;
        if (how->swaps) {
            int factor = component->h_samp_factor;
            component->h_samp_factor = component->v_samp_factor;
            component->v_samp_factor = factor;
        }
        if (component->h_samp_factor > across) across = component->h_samp_factor;
        if (component->v_samp_factor > down) down = component->v_samp_factor;
    }
    for (int table = 0; how->swaps && table < NUM_QUANT_TBLS; table++) {
        if (!encoder->quant_tbl_ptrs[table]) continue;
        UINT16 *values = encoder->quant_tbl_ptrs[table]->quantval;
        for (int row = 0; row < DCTSIZE; row++) {
            for (int column = 0; column < row; column++) {
                UINT16 value = values[row * DCTSIZE + column];
                values[row * DCTSIZE + column] = values[column * DCTSIZE + row];
                values[column * DCTSIZE + row] = value;
            }
        }
    }
    if (decoder->progressive_mode) jpeg_simple_progression(encoder);
    encoder->mem->max_memory_to_use = how->memory_limit;
    jvirt_barray_ptr *arrays = (jvirt_barray_ptr *)(*encoder->mem->alloc_small)(
        (j_common_ptr)encoder, JPOOL_IMAGE, sizeof(jvirt_barray_ptr) * (size_t)encoder->num_components);
    for (int index = 0; index < encoder->num_components; index++) {
        jpeg_component_info *component = &encoder->comp_info[index];
        // Whole MCUs, of which libjpeg reads the rows.
        int columns = divided_up(how->width, (int64_t)across * DCTSIZE) * component->h_samp_factor;
        int rows = divided_up(how->height, (int64_t)down * DCTSIZE) * component->v_samp_factor;
        arrays[index] = (*encoder->mem->request_virt_barray)(
            (j_common_ptr)encoder, JPOOL_IMAGE, TRUE, (JDIMENSION)columns, (JDIMENSION)rows,
            (JDIMENSION)component->v_samp_factor);
    }
    return arrays;
}

/// Writes the blocks of one component, once libjpeg has calculated how many it has.
static void turn_component(
    struct jpeg_decompress_struct *decoder, j_compress_ptr encoder, const alcedo_jpeg_transform *how, int index,
    jvirt_barray_ptr source, jvirt_barray_ptr target) {
    const jpeg_component_info *from = &decoder->comp_info[index], *to = &encoder->comp_info[index];
    int is_single = decoder->num_components == 1;
    int across = is_single ? 1 : from->h_samp_factor, down = is_single ? 1 : from->v_samp_factor;
    for (JDIMENSION row = 0; row < to->height_in_blocks; row++) {
        JBLOCKARRAY output =
            (*encoder->mem->access_virt_barray)((j_common_ptr)encoder, target, row, 1, TRUE);
        JBLOCKARRAY input = NULL;
        for (JDIMENSION column = 0; column < to->width_in_blocks; column++) {
            int64_t x = stored_index(how->x, how->flips_x, across, how->swaps ? row : column);
            int64_t y = stored_index(how->y, how->flips_y, down, how->swaps ? column : row);
            if (x < 0 || y < 0 || x >= from->width_in_blocks || y >= from->height_in_blocks) {
                alcedo_jpeg_leave((j_common_ptr)encoder, ALCEDO_JPEG_FAILED, "a block is not in the picture");
            }
            if (!input || how->swaps) {
                input = (*decoder->mem->access_virt_barray)(
                    (j_common_ptr)decoder, source, (JDIMENSION)y, 1, FALSE);
            }
            turn_block(how, input[0][x], output[0][column]);
        }
        // libjpeg calls it only in passes of its own.
        (*encoder->progress->progress_monitor)((j_common_ptr)encoder);
    }
}

alcedo_jpeg_status alcedo_jpeg_turn(
    const uint8_t *bytes, size_t count, const alcedo_jpeg_transform *how, uint8_t **out, size_t *out_count,
    char message[ALCEDO_JPEG_MESSAGE]) {
    struct jpeg_decompress_struct decoder = {0};
    struct jpeg_compress_struct encoder = {0};
    alcedo_jpeg_errors errors;
    alcedo_jpeg_watch reading, writing;
    alcedo_jpeg_output to = {0};

    *out = NULL;
    *out_count = 0;
    // An error of either of them leaves both.
    decoder.err = encoder.err = alcedo_jpeg_install(&errors, message);
    errors.allows_early_ends = how->allows_early_ends;
    if (setjmp(errors.escape)) {
        jpeg_destroy_compress(&encoder);
        jpeg_destroy_decompress(&decoder);
        free(to.bytes);
        return errors.status;
    }
    jpeg_create_decompress(&decoder);
    jpeg_create_compress(&encoder);
    alcedo_jpeg_watch_decoder(&decoder, &reading, how->scan_limit, how->deadline);
    decoder.mem->max_memory_to_use = how->memory_limit;

    jpeg_mem_src(&decoder, bytes, count);
    jpeg_read_header(&decoder, TRUE);
    if (decoder.image_width != how->source_width || decoder.image_height != how->source_height) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_FAILED, "two headers disagree on the size");
    }
    jvirt_barray_ptr *source = jpeg_read_coefficients(&decoder);
    int has_all = jpeg_has_multiple_scans(&decoder) && alcedo_jpeg_has_all_scans(&decoder);
    if (errors.met_end && !has_all && (jpeg_has_multiple_scans(&decoder) || decoder.arith_code)) {
        alcedo_jpeg_leave((j_common_ptr)&decoder, ALCEDO_JPEG_TRUNCATED, "scans are missing");
    }
    alcedo_jpeg_watch_encoder(&encoder, &writing, how->deadline);
    alcedo_jpeg_write_to(&encoder, &to);
    jvirt_barray_ptr *target = configure(&decoder, &encoder, how);
    // Allocates the arrays; what they hold is written by jpeg_finish_compress.
    jpeg_write_coefficients(&encoder, target);
    for (int index = 0; index < decoder.num_components; index++) {
        turn_component(&decoder, &encoder, how, index, source[index], target[index]);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    jpeg_destroy_decompress(&decoder);
    *out = to.bytes;
    *out_count = alcedo_jpeg_written(&to);
    return ALCEDO_JPEG_OK;
}
