#include "output.h"
#include <stdlib.h>

static void on_start(j_compress_ptr encoder) {
    alcedo_jpeg_output *to = (alcedo_jpeg_output *)encoder->dest;
    to->capacity = 32 << 10;
    to->bytes = malloc(to->capacity);
    if (!to->bytes) alcedo_jpeg_leave((j_common_ptr)encoder, ALCEDO_JPEG_FAILED, "out of memory");
    to->base.next_output_byte = to->bytes;
    to->base.free_in_buffer = to->capacity;
}

static boolean on_full(j_compress_ptr encoder) {
    alcedo_jpeg_output *to = (alcedo_jpeg_output *)encoder->dest;
    // Everything up to `capacity` is written: libjpeg does not update `free_in_buffer` before this call.
    uint8_t *larger = realloc(to->bytes, to->capacity * 2);
    if (!larger) alcedo_jpeg_leave((j_common_ptr)encoder, ALCEDO_JPEG_FAILED, "out of memory");
    to->bytes = larger;
    to->base.next_output_byte = larger + to->capacity;
    to->base.free_in_buffer = to->capacity;
    to->capacity *= 2;
    return TRUE;
}

static void on_end(j_compress_ptr encoder) { (void)encoder; }

void alcedo_jpeg_write_to(j_compress_ptr encoder, alcedo_jpeg_output *to) {
    to->base.init_destination = on_start;
    to->base.empty_output_buffer = on_full;
    to->base.term_destination = on_end;
    encoder->dest = &to->base;
}

size_t alcedo_jpeg_written(const alcedo_jpeg_output *to) { return to->capacity - to->base.free_in_buffer; }
