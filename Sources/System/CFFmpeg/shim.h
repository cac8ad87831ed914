#pragma once

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// Macros that Swift does not import: they combine others.
static const int alcedo_av_again = AVERROR(EAGAIN);
static const int alcedo_av_denied = AVERROR(EACCES);
static const int alcedo_av_eof = AVERROR_EOF;
static const int alcedo_av_exit = AVERROR_EXIT;
static const int alcedo_av_io = AVERROR(EIO);
static const int alcedo_av_no_memory = AVERROR(ENOMEM);
/// `lseek` to the next byte that is not in a hole, and to the next hole: Linux has them, glibc for _GNU_SOURCE only.
static const int alcedo_seek_data = 3, alcedo_seek_hole = 4;
static const int64_t alcedo_av_no_time = AV_NOPTS_VALUE;

/// Red, green, blue and alpha of 16 bits in the order of the machine's bytes.
static const enum AVPixelFormat alcedo_av_rgba64 = AV_PIX_FMT_RGBA64;

/// The nine numbers that say how a stream's pictures are turned; NULL for none. FFmpeg 6.1 moved them.
static inline const int32_t *alcedo_display_matrix(const AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVCodecParameters *parameters = stream->codecpar;
    const AVPacketSideData *data = av_packet_side_data_get(
        parameters->coded_side_data, parameters->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data != NULL && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data != NULL && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}

/// Converts `source` to the size and the format of `target`, which has memory already, from colours of a matrix of
/// ITU-T H.273 and a range; negative on failure. The type of the context and of the flags differs between versions.
static inline int alcedo_convert(AVFrame *target, const AVFrame *source, enum AVPixelFormat format, int matrix,
                                 int is_full_range) {
    struct SwsContext *context = sws_getContext(
        source->width, source->height, format, target->width, target->height, (enum AVPixelFormat)target->format,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (context == NULL) return AVERROR(EINVAL);
    const int *coefficients = sws_getCoefficients(matrix);
    // Brightness 0, contrast and saturation 1, as 16.16 fixed-point numbers.
    sws_setColorspaceDetails(context, coefficients, is_full_range, coefficients, 1, 0, 1 << 16, 1 << 16);
    int status = sws_scale(context, (const uint8_t *const *)source->data, source->linesize, 0, source->height,
                           target->data, target->linesize);
    sws_freeContext(context);
    return status;
}
