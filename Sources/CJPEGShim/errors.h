#pragma once
#include "cjpeg_shim.h"
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

/// libjpeg's error manager, with a way out that does not end the process.
typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
    alcedo_jpeg_status status;
    char *message;
    /// Whether a segment may end within its last MCU.
    int allows_early_ends;
    /// Whether bytes may be missing at the end.
    int allows_truncation;
    /// Whether libjpeg came to the end of the bytes and was given an EOI marker instead.
    int met_end;
} alcedo_jpeg_errors;

/// Installs the handlers; the caller then calls `setjmp(errors->escape)`.
struct jpeg_error_mgr *alcedo_jpeg_install(alcedo_jpeg_errors *errors, char *message);

/// Leaves through `escape` with `status`.
_Noreturn void alcedo_jpeg_leave(j_common_ptr codec, alcedo_jpeg_status status, const char *message);
