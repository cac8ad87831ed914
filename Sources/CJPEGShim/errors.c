#include "errors.h"

static alcedo_jpeg_errors *errors_of(j_common_ptr codec) { return (alcedo_jpeg_errors *)codec->err; }

_Noreturn void alcedo_jpeg_leave(j_common_ptr codec, alcedo_jpeg_status status, const char *message) {
    alcedo_jpeg_errors *errors = errors_of(codec);
    errors->status = status;
    if (message) {
        snprintf(errors->message, ALCEDO_JPEG_MESSAGE, "%s", message);
    } else {
        char text[JMSG_LENGTH_MAX];
        (*codec->err->format_message)(codec, text);
        snprintf(errors->message, ALCEDO_JPEG_MESSAGE, "%s", text);
    }
    longjmp(errors->escape, 1);
}

static alcedo_jpeg_status status_of(int code) {
    switch (code) {
    case JERR_INPUT_EOF:
    case JERR_INPUT_EMPTY:
        return ALCEDO_JPEG_TRUNCATED;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
        return ALCEDO_JPEG_UNSUPPORTED;
    default:
        return ALCEDO_JPEG_FAILED;
    }
}

static void on_error(j_common_ptr codec) {
    // What was made up may be no valid header either.
    int met_end = errors_of(codec)->met_end;
    alcedo_jpeg_leave(codec, met_end ? ALCEDO_JPEG_TRUNCATED : status_of(codec->err->msg_code), NULL);
}

/// A level of -1 is a warning. JWRN_HIT_MARKER means that bits were made up.
static void on_message(j_common_ptr codec, int level) {
    if (level >= 0) return;
    codec->err->num_warnings++;
    int code = codec->err->msg_code;
    alcedo_jpeg_errors *errors = errors_of(codec);
    if (code == JWRN_JPEG_EOF) errors->met_end = 1;
    int is_allowed = errors->allows_truncation || (errors->allows_early_ends && !errors->met_end);
    if (code == JWRN_HIT_MARKER && !is_allowed) {
        alcedo_jpeg_leave(codec, ALCEDO_JPEG_TRUNCATED, NULL);
    }
}

static void print_nothing(j_common_ptr codec) { (void)codec; }

struct jpeg_error_mgr *alcedo_jpeg_install(alcedo_jpeg_errors *errors, char *message) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = on_error;
    errors->base.emit_message = on_message;
    errors->base.output_message = print_nothing;
    errors->status = ALCEDO_JPEG_OK;
    errors->allows_early_ends = 0;
    errors->allows_truncation = 0;
    errors->met_end = 0;
    errors->message = message;
    message[0] = 0;
    return &errors->base;
}
