#define _GNU_SOURCE
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int argument_count;
static char **arguments;

static const char *find(const char *key) {
    size_t length = strlen(key);
    for (int i = 2; i < argument_count; i++) {
        if (strncmp(arguments[i], key, length) == 0 && arguments[i][length] == '=') {
            return arguments[i] + length + 1;
        }
    }
    return NULL;
}

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    exit(1);
}

int has_argument(const char *key) { return find(key) != NULL; }

const char *argument(const char *key) {
    const char *value = find(key);
    if (!value) fail(key);
    return value;
}

long number(const char *key, long fallback) {
    const char *value = find(key);
    return value ? atol(value) : fallback;
}

uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail(path);
    fclose(file);
    return bytes;
}

long memory(const char *name) {
    char line[256];
    long kilobytes = 0;
    size_t length = strlen(name);
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, name, length) == 0) kilobytes = atol(line + length);
    }
    if (status) fclose(status);
    return kilobytes << 10;
}

double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void print_report(const double *seconds, int count) {
    printf("{\"seconds\": [");
    for (int i = 0; i < count; i++) printf("%s%.9f", i ? ", " : "", seconds[i]);
    printf("], \"peak\": %ld, \"processor\": %.6f", memory("VmHWM:"), processor_time());
}

void report(const double *seconds, int count) {
    print_report(seconds, count);
    printf("}\n");
}

void report_with(double seconds, const char *name, double value) {
    print_report(&seconds, 1);
    printf(", \"%s\": %.6f}\n", name, value);
}

void measure(void (*body)(void *), void *context) {
    enum { most = 100000 };
    static double seconds[most];
    double total = 0;
    int count = 0;
    body(context);
    while (count < most && (count < 3 || total < 0.25)) {
        double start = now();
        body(context);
        seconds[count] = now() - start;
        total += seconds[count++];
    }
    report(seconds, count);
}

int main(int count, char **words) {
    argument_count = count;
    arguments = words;
    const struct {
        const char *name;
        void (*run)(void);
    } works[] = {
        {"decode", decode}, {"peak", peak},          {"gif", gif_floor},   {"download", download},
        {"disk", disk},     {"diskTrim", disk_trim}, {"gallery", gallery}, {"throughput", throughput},
    };
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (count > 1 && strcmp(words[1], works[i].name) == 0) {
            works[i].run();
            return 0;
        }
    }
    fail("no such measurement");
}
