#pragma once
#include "errors.h"

/// What libjpeg asks now and then whether it may go on.
typedef struct {
    struct jpeg_progress_mgr base;
    int scan_limit;
    /// As in `alcedo_jpeg_decoding`.
    uint64_t deadline;
    /// Columns of the rows of blocks since the clock was last looked at.
    uint64_t unwatched;
    /// A bit for each component that a scan has had.
    uint32_t seen;
} alcedo_jpeg_watch;

/// Has `watch`, which must outlive `decoder`, hold it to the limits in `how`.
void alcedo_jpeg_watch_over(
    alcedo_jpeg_watch *watch, struct jpeg_decompress_struct *decoder, const alcedo_jpeg_decoding *how);

/// Changes the deadline, which is looked at the next time that libjpeg asks.
void alcedo_jpeg_set_deadline(alcedo_jpeg_watch *watch, uint64_t deadline);

/// Leaves if a limit is exceeded.
void alcedo_jpeg_look(struct jpeg_decompress_struct *decoder);

/// Asks for pixels as in `how`; the header must have been read.
void alcedo_jpeg_ask(struct jpeg_decompress_struct *decoder, const alcedo_jpeg_decoding *how);

/// Writes all rows.
void alcedo_jpeg_write_rows(struct jpeg_decompress_struct *decoder, uint8_t *pixels);
