#include "decode.h"
#include <stdlib.h>

/// libjpeg in buffered-image mode: coefficients stay between the pictures that are made of them.
struct alcedo_jpeg_scans {
    struct jpeg_decompress_struct decoder;
    alcedo_jpeg_errors errors;
    struct jpeg_source_mgr source;
    alcedo_jpeg_watch watch;
    alcedo_jpeg_decoding how;
    /// Bytes still to be passed over, which had not come yet when libjpeg asked for it.
    size_t to_skip;
    int complete_scans;
    int has_started;
    /// A picture is written, but libjpeg has yet to see where the next scan begins.
    int must_finish;
};

static void on_source(j_decompress_ptr decoder) { (void)decoder; }

/// No bytes for now: libjpeg goes back to where it can begin again, and returns.
static boolean on_empty(j_decompress_ptr decoder) {
    (void)decoder;
    return FALSE;
}

static void on_skip(j_decompress_ptr decoder, long count) {
    if (count <= 0) return;
    struct jpeg_source_mgr *source = decoder->src;
    size_t wanted = (size_t)count;
    size_t here = wanted < source->bytes_in_buffer ? wanted : source->bytes_in_buffer;
    source->next_input_byte += here;
    source->bytes_in_buffer -= here;
    ((alcedo_jpeg_scans *)decoder->client_data)->to_skip = wanted - here;
}

alcedo_jpeg_scans *alcedo_jpeg_scans_new(const alcedo_jpeg_decoding *how) {
    alcedo_jpeg_scans *scans = calloc(1, sizeof *scans);
    if (!scans) return NULL;
    char message[ALCEDO_JPEG_MESSAGE];
    struct jpeg_decompress_struct *decoder = &scans->decoder;
    decoder->err = alcedo_jpeg_install(&scans->errors, message);
    if (setjmp(scans->errors.escape)) {
        alcedo_jpeg_scans_free(scans);
        return NULL;
    }
    jpeg_create_decompress(decoder);
    decoder->client_data = scans;
    scans->how = *how;
    scans->source = (struct jpeg_source_mgr){
        .init_source = on_source,
        .fill_input_buffer = on_empty,
        .skip_input_data = on_skip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = on_source,
    };
    decoder->src = &scans->source;
    alcedo_jpeg_watch_over(&scans->watch, decoder, how);
    decoder->mem->max_memory_to_use = how->memory_limit;
    return scans;
}

void alcedo_jpeg_scans_free(alcedo_jpeg_scans *scans) {
    jpeg_destroy_decompress(&scans->decoder);
    free(scans);
}

/// Reads the header and reserves the coefficients; FALSE for want of bytes.
static boolean start(alcedo_jpeg_scans *scans) {
    struct jpeg_decompress_struct *decoder = &scans->decoder;
    if (jpeg_read_header(decoder, TRUE) == JPEG_SUSPENDED) return FALSE;
    alcedo_jpeg_ask(decoder, &scans->how);
    decoder->buffered_image = TRUE;
    jpeg_start_decompress(decoder);
    scans->has_started = 1;
    return TRUE;
}

static alcedo_jpeg_status read_scans(alcedo_jpeg_scans *scans, int wanted) {
    struct jpeg_decompress_struct *decoder = &scans->decoder;
    if (!scans->has_started && !start(scans)) return ALCEDO_JPEG_SUSPENDED;
    if (scans->must_finish) {
        if (!jpeg_finish_output(decoder)) return ALCEDO_JPEG_SUSPENDED;
        scans->must_finish = 0;
    }
    while (scans->complete_scans < wanted) {
        switch (jpeg_consume_input(decoder)) {
        case JPEG_SUSPENDED:
            return ALCEDO_JPEG_SUSPENDED;
        case JPEG_SCAN_COMPLETED:
            scans->complete_scans++;
            // Else libjpeg would want to see the next scan's header before it writes the last rows of a picture
            // whose latest scan is one of averages, and it may not have come yet. The header sets it again.
            decoder->Ss = 1;
            break;
        case JPEG_REACHED_EOI:
            alcedo_jpeg_leave((j_common_ptr)decoder, ALCEDO_JPEG_FAILED, "it has fewer scans");
        default:
            alcedo_jpeg_look(decoder);
        }
    }
    return ALCEDO_JPEG_OK;
}

alcedo_jpeg_status alcedo_jpeg_scans_read(
    alcedo_jpeg_scans *scans, const uint8_t *bytes, size_t count, size_t *used, int wanted, uint64_t deadline,
    char message[ALCEDO_JPEG_MESSAGE]) {
    size_t skipped = scans->to_skip < count ? scans->to_skip : count;
    scans->to_skip -= skipped;
    scans->source.next_input_byte = bytes + skipped;
    scans->source.bytes_in_buffer = count - skipped;
    alcedo_jpeg_set_deadline(&scans->watch, deadline);
    scans->errors.message = message;
    message[0] = 0;
    if (setjmp(scans->errors.escape)) return scans->errors.status;
    alcedo_jpeg_status status = read_scans(scans, wanted);
    *used = count - scans->source.bytes_in_buffer;
    return status;
}

alcedo_jpeg_status alcedo_jpeg_scans_write(
    alcedo_jpeg_scans *scans, uint8_t *pixels, uint64_t deadline, char message[ALCEDO_JPEG_MESSAGE]) {
    struct jpeg_decompress_struct *decoder = &scans->decoder;
    scans->source.bytes_in_buffer = 0;
    alcedo_jpeg_set_deadline(&scans->watch, deadline);
    scans->errors.message = message;
    message[0] = 0;
    if (setjmp(scans->errors.escape)) return scans->errors.status;
    jpeg_start_output(decoder, scans->complete_scans);
    alcedo_jpeg_write_rows(decoder, pixels);
    scans->must_finish = !jpeg_finish_output(decoder);
    return ALCEDO_JPEG_OK;
}
