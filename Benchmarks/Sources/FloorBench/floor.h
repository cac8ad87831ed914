#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>

/// Seconds on the monotonic clock.
double now(void);

/// The value of `key=value` on the command line; ends the process if there is none.
const char *argument(const char *key);

/// A whole number on the command line, or `fallback`.
long number(const char *key, long fallback);

/// Whether `key=` is on the command line.
int has_argument(const char *key);

/// Says why there is no measurement, and ends the process.
void fail(const char *reason) __attribute__((noreturn));

/// Reads a whole file into memory that is never freed.
uint8_t *read_file(const char *path, size_t *size);

/// Runs `body` once to warm up, then for a quarter of a second and three times, and reports the seconds of each run.
void measure(void (*body)(void *), void *context);

/// Prints seconds and the process's peak memory and processor time as a line of JSON.
void report(const double *seconds, int count);

void decode(void);
void gif_floor(void);
void download(void);
void disk(void);

#endif
