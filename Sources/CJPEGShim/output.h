#pragma once
#include "errors.h"

/// Everything that a failure must give back, and libjpeg's way to hand out bytes.
typedef struct {
    struct jpeg_destination_mgr base;
    uint8_t *bytes;
    size_t capacity;
    uint8_t *row;
} alcedo_jpeg_output;

/// Has `encoder` write to memory, which `to` owns until it is handed out.
void alcedo_jpeg_write_to(j_compress_ptr encoder, alcedo_jpeg_output *to);

/// How many bytes are written.
size_t alcedo_jpeg_written(const alcedo_jpeg_output *to);
