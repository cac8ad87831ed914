// Writes Tests/Fixtures/deep: ramps of more than 8 bits, whose samples the tests calculate again.
//
//     cc -o /tmp/make scripts/make-deep-fixtures.c $(pkg-config --cflags --libs libjxl libavif libheif libopenjp2)
//     cd Tests/Fixtures && /tmp/make
//
// The files are checked in; run this only to add one.

#include <avif/avif.h>
#include <jxl/encode.h>
#include <libheif/heif.h>
#include <openjpeg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, HEIGHT = 4 };

static void require(int isTrue, const char *what) {
    if (isTrue) return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}

/// A ramp in each channel, and a dark one in all of them, whose levels 8 bits don't have.
static unsigned sample(int x, int y, int channel, unsigned most) {
    static const unsigned others[] = {0, 9000, 40000};
    unsigned level = y == 3 ? (unsigned)x * 16 : y == channel ? (unsigned)x * 251 + 700 : others[(channel + y) % 3];
    return (unsigned)(((unsigned long)level * most + 32767) / 65535);
}

static void save(const char *name, const void *bytes, size_t count) {
    char path[100];
    snprintf(path, sizeof path, "deep/%s", name);
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, count, file) == count && fclose(file) == 0, path);
}

static void jxl(const char *name, JxlPrimaries primaries, JxlTransferFunction transfer, int isFloat, int bits) {
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = WIDTH;
    info.ysize = HEIGHT;
    info.bits_per_sample = bits;
    info.exponent_bits_per_sample = isFloat ? 8 : 0;
    info.uses_original_profile = JXL_TRUE;
    require(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS, "basic info");
    JxlColorEncoding color;
    JxlColorEncodingSetToSRGB(&color, JXL_FALSE);
    color.primaries = primaries;
    color.transfer_function = transfer;
    require(JxlEncoderSetColorEncoding(encoder, &color) == JXL_ENC_SUCCESS, "encoding");
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    static unsigned short integers[HEIGHT][WIDTH][3];
    static float floats[HEIGHT][WIDTH][3];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int channel = 0; channel < 3; channel++) {
                integers[y][x][channel] = sample(x, y, channel, 65535);
                floats[y][x][channel] = sample(x, y, channel, 65535) / 65535.f;
            }
    JxlPixelFormat format = {3, isFloat ? JXL_TYPE_FLOAT : JXL_TYPE_UINT16, JXL_NATIVE_ENDIAN, 0};
    require(JxlEncoderAddImageFrame(settings, &format, isFloat ? (void *)floats : integers,
                                    isFloat ? sizeof floats : sizeof integers) == JXL_ENC_SUCCESS, "frame");
    JxlEncoderCloseInput(encoder);
    static uint8_t output[1 << 20];
    uint8_t *next = output;
    size_t room = sizeof output;
    require(JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS, "libjxl");
    save(name, output, next - output);
    JxlEncoderDestroy(encoder);
}

/// The profile in the first APP2 segment of a JPEG.
static size_t profile(const char *path, uint8_t *output, size_t most) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t offset = 2; offset + 18 < count; offset += 2 + (bytes[offset + 2] << 8 | bytes[offset + 3])) {
        if (bytes[offset + 1] != 0xE2) continue;
        size_t length = (bytes[offset + 2] << 8 | bytes[offset + 3]) - 16;
        require(length <= most && bytes[offset + 17] == 1, "profile");
        memcpy(output, bytes + offset + 18, length);
        return length;
    }
    require(0, "profile");
    return 0;
}

/// Cyan, magenta and yellow are ramps, and black a smaller one; alpha falls from top to bottom.
static void cmykJXL(const char *name, int hasAlpha) {
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = WIDTH;
    info.ysize = HEIGHT;
    info.bits_per_sample = 16;
    info.uses_original_profile = JXL_TRUE;
    info.num_extra_channels = hasAlpha ? 2 : 1;
    info.alpha_bits = hasAlpha ? 16 : 0;
    require(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS, "basic info");
    JxlExtraChannelInfo extra;
    JxlEncoderInitExtraChannelInfo(JXL_CHANNEL_BLACK, &extra);
    extra.bits_per_sample = 16;
    require(JxlEncoderSetExtraChannelInfo(encoder, hasAlpha, &extra) == JXL_ENC_SUCCESS, "black");
    static uint8_t icc[1 << 16];
    size_t length = profile("made/cmyk-profile.jpg", icc, sizeof icc);
    require(JxlEncoderSetICCProfile(encoder, icc, length) == JXL_ENC_SUCCESS, "CMYK profile");
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    static unsigned short inks[HEIGHT * WIDTH * 4], black[HEIGHT][WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            unsigned short *pixel = inks + (y * WIDTH + x) * (hasAlpha ? 4 : 3);
            for (int channel = 0; channel < 3; channel++) pixel[channel] = 65535 - sample(x, y, channel, 65535);
            if (hasAlpha) pixel[3] = 65535 - y * 12345;
            black[y][x] = 65535 - x * 100;
        }
    JxlPixelFormat format = {hasAlpha ? 4 : 3, JXL_TYPE_UINT16, JXL_NATIVE_ENDIAN, 0};
    require(JxlEncoderAddImageFrame(settings, &format, inks, HEIGHT * WIDTH * (hasAlpha ? 8 : 6)) == JXL_ENC_SUCCESS, "frame");
    format.num_channels = 1;
    require(JxlEncoderSetExtraChannelBuffer(settings, &format, black, sizeof black, hasAlpha) == JXL_ENC_SUCCESS, "black");
    JxlEncoderCloseInput(encoder);
    static uint8_t output[1 << 20];
    uint8_t *next = output;
    size_t room = sizeof output;
    require(JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS, "libjxl");
    save(name, output, next - output);
    JxlEncoderDestroy(encoder);
}

static void avif(const char *name, int bits, int primaries, int transfer) {
    avifImage *image = avifImageCreate(WIDTH, HEIGHT, bits, AVIF_PIXEL_FORMAT_YUV444);
    image->colorPrimaries = primaries;
    image->transferCharacteristics = transfer;
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_IDENTITY;
    image->yuvRange = AVIF_RANGE_FULL;
    avifImageAllocatePlanes(image, AVIF_PLANES_YUV);
    // Green, blue and red are in the places of Y, Cb and Cr.
    static const int channels[] = {1, 2, 0};
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                ((uint16_t *)(image->yuvPlanes[plane] + y * image->yuvRowBytes[plane]))[x] =
                    sample(x, y, channels[plane], (1 << bits) - 1);
    avifEncoder *encoder = avifEncoderCreate();
    encoder->minQuantizer = encoder->maxQuantizer = AVIF_QUANTIZER_LOSSLESS;
    avifRWData output = AVIF_DATA_EMPTY;
    require(avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK, "libavif");
    save(name, output.data, output.size);
}

static struct heif_error writeHEIC(struct heif_context *context, const void *data, size_t count, void *name) {
    save(name, data, count);
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, ""};
}

/// libheif converts the colours to YCbCr, in which a level may be one off.
static void heic(const char *name, int primaries, int transfer) {
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    require(heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder).code == 0, "encoder");
    heif_encoder_set_lossless(encoder, 1);
    heif_encoder_set_parameter_string(encoder, "chroma", "444");
    struct heif_image *image = NULL;
    const int rows = 64;
    heif_image_create(WIDTH, rows, heif_colorspace_RGB, heif_chroma_interleaved_RRGGBB_LE, &image);
    heif_image_add_plane(image, heif_channel_interleaved, WIDTH, rows, 10);
    int stride = 0;
    uint8_t *plane = heif_image_get_plane(image, heif_channel_interleaved, &stride);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int channel = 0; channel < 3; channel++)
                ((uint16_t *)(plane + y * stride))[x * 3 + channel] = sample(x, y / 16, channel, 1023);
    struct heif_color_profile_nclx *colors = heif_nclx_color_profile_alloc();
    colors->color_primaries = primaries;
    colors->transfer_characteristics = transfer;
    colors->matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_2020_2_non_constant_luminance;
    colors->full_range_flag = 1;
    heif_image_set_nclx_color_profile(image, colors);
    struct heif_encoding_options *options = heif_encoding_options_alloc();
    options->output_nclx_profile = colors;
    options->macOS_compatibility_workaround_no_nclx_profile = 0;
    struct heif_error error = heif_context_encode_image(context, image, encoder, options, NULL);
    require(error.code == 0, error.message);
    struct heif_writer writer = {1, writeHEIC};
    heif_context_write(context, &writer, (void *)name);
}

struct memory { uint8_t bytes[1 << 20]; size_t count, position; };

static OPJ_SIZE_T writeJ2K(void *bytes, OPJ_SIZE_T count, void *user) {
    struct memory *memory = user;
    memcpy(memory->bytes + memory->position, bytes, count);
    memory->position += count;
    if (memory->position > memory->count) memory->count = memory->position;
    return count;
}

static OPJ_OFF_T skipJ2K(OPJ_OFF_T count, void *user) {
    ((struct memory *)user)->position += count;
    return count;
}

static OPJ_BOOL seekJ2K(OPJ_OFF_T position, void *user) {
    ((struct memory *)user)->position = position;
    return OPJ_TRUE;
}

/// A bare code stream, which the tests put into files.
static void j2k(const char *name, int bits) {
    opj_image_cmptparm_t parameters[3] = {0};
    for (int channel = 0; channel < 3; channel++)
        parameters[channel] = (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = WIDTH, .h = HEIGHT, .prec = bits, .bpp = bits};
    opj_image_t *image = opj_image_create(3, parameters, OPJ_CLRSPC_SRGB);
    image->x1 = WIDTH;
    image->y1 = HEIGHT;
    for (int channel = 0; channel < 3; channel++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                image->comps[channel].data[y * WIDTH + x] = sample(x, y, channel, (1 << bits) - 1);
    opj_cparameters_t options;
    opj_set_default_encoder_parameters(&options);
    options.numresolution = 1;
    options.tcp_numlayers = 1;
    options.cp_disto_alloc = 1;
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    require(opj_setup_encoder(codec, &options, image), "OpenJPEG");
    static struct memory memory;
    memset(&memory, 0, sizeof memory);
    opj_stream_t *stream = opj_stream_default_create(OPJ_FALSE);
    opj_stream_set_user_data(stream, &memory, NULL);
    opj_stream_set_write_function(stream, writeJ2K);
    opj_stream_set_skip_function(stream, skipJ2K);
    opj_stream_set_seek_function(stream, seekJ2K);
    require(opj_start_compress(codec, image, stream) && opj_encode(codec, stream) && opj_end_compress(codec, stream), "OpenJPEG");
    save(name, memory.bytes, memory.count);
}

int main(void) {
    jxl("linear16.jxl", JXL_PRIMARIES_SRGB, JXL_TRANSFER_FUNCTION_LINEAR, 0, 16);
    jxl("linear-float.jxl", JXL_PRIMARIES_SRGB, JXL_TRANSFER_FUNCTION_LINEAR, 1, 32);
    jxl("p3-16.jxl", JXL_PRIMARIES_P3, JXL_TRANSFER_FUNCTION_SRGB, 0, 16);
    jxl("pq16.jxl", JXL_PRIMARIES_2100, JXL_TRANSFER_FUNCTION_PQ, 0, 16);
    jxl("hlg16.jxl", JXL_PRIMARIES_2100, JXL_TRANSFER_FUNCTION_HLG, 0, 16);
    cmykJXL("cmyk.jxl", 0);
    cmykJXL("cmyk-alpha.jxl", 1);
    avif("linear12.avif", 12, 1, 8);
    avif("p3-10.avif", 10, 12, 13);
    avif("pq10.avif", 10, 9, 16);
    avif("hlg10.avif", 10, 9, 18);
    heic("pq10.heic", 9, 16);
    heic("p3-10.heic", 12, 13);
    j2k("16.j2k", 16);
    j2k("12.j2k", 12);
}
