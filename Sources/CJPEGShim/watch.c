#include "watch.h"
#include <time.h>

/// Leaves if the deadline has passed or the caller has stopped it; a row of blocks has so many columns of pixels.
static void look_at_clock(j_common_ptr codec, alcedo_jpeg_watch *watch, uint64_t columns) {
    // To look at the clock takes as long as to decode some hundred pixels.
    const uint64_t interval = 1 << 14;
    watch->unwatched += columns;
    if (watch->unwatched < interval) return;
    watch->unwatched = 0;
    if (watch->is_stopped != NULL && watch->is_stopped(watch->stop)) {
        alcedo_jpeg_leave(codec, ALCEDO_JPEG_TOO_SLOW, "stopped");
    }
    if (watch->deadline == UINT64_MAX) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec >= watch->deadline) {
        alcedo_jpeg_leave(codec, ALCEDO_JPEG_TOO_SLOW, "too slow");
    }
}

/// libjpeg calls this about once per row of blocks that it reads.
static void on_reading(j_common_ptr codec) {
    j_decompress_ptr decoder = (j_decompress_ptr)codec;
    alcedo_jpeg_watch *watch = (alcedo_jpeg_watch *)decoder->progress;
    for (int index = 0; index < decoder->comps_in_scan; index++) {
        watch->seen |= 1u << decoder->cur_comp_info[index]->component_index;
    }
    if (decoder->input_scan_number > watch->scan_limit) {
        alcedo_jpeg_leave(codec, ALCEDO_JPEG_TOO_MANY_SCANS, "too many scans");
    }
    look_at_clock(codec, watch, decoder->image_width);
}

/// The same for rows that it writes.
static void on_writing(j_common_ptr codec) {
    j_compress_ptr encoder = (j_compress_ptr)codec;
    look_at_clock(codec, (alcedo_jpeg_watch *)encoder->progress, encoder->image_width);
}

void alcedo_jpeg_watch_decoder(j_decompress_ptr decoder, alcedo_jpeg_watch *watch, int scan_limit, uint64_t deadline) {
    *watch = (alcedo_jpeg_watch){
        .base = {.progress_monitor = on_reading},
        .scan_limit = scan_limit,
        .deadline = deadline,
        // So that the first call looks at the clock.
        .unwatched = UINT32_MAX,
    };
    decoder->progress = &watch->base;
}

void alcedo_jpeg_watch_encoder(j_compress_ptr encoder, alcedo_jpeg_watch *watch, uint64_t deadline) {
    *watch = (alcedo_jpeg_watch){.base = {.progress_monitor = on_writing}, .deadline = deadline};
    encoder->progress = &watch->base;
}

int alcedo_jpeg_has_all_scans(const struct jpeg_decompress_struct *decoder) {
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
