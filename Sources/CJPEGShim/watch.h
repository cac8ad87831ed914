#pragma once
#include "errors.h"

/// The limits that libjpeg's progress monitor checks.
typedef struct {
    struct jpeg_progress_mgr base;
    int scan_limit;
    /// As in `alcedo_jpeg_decoding`.
    uint64_t deadline;
    /// As in `alcedo_jpeg_decoding`; NULL for never.
    int (*is_stopped)(const void *stop);
    const void *stop;
    /// Columns of the rows of blocks since the clock was last looked at.
    uint64_t unwatched;
    /// A bit for each component that a scan has had.
    uint32_t seen;
} alcedo_jpeg_watch;

/// Has `decoder` leave after the deadline, and after more scans than the limit.
void alcedo_jpeg_watch_decoder(j_decompress_ptr decoder, alcedo_jpeg_watch *watch, int scan_limit, uint64_t deadline);

/// Has `encoder` leave after the deadline.
void alcedo_jpeg_watch_encoder(j_compress_ptr encoder, alcedo_jpeg_watch *watch, uint64_t deadline);

/// Whether the scans have all bits of all coefficients; for a file of several scans that lacks its end.
int alcedo_jpeg_has_all_scans(const struct jpeg_decompress_struct *decoder);
