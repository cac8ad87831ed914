#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>

/// Seconds on the monotonic clock.
double now(void);

/// Seconds of processor time that all threads of the process have taken.
double processor_time(void);

/// The bytes of a line of /proc/self/status: `VmHWM:` for the most that were resident, `VmRSS:` for those that are.
long memory(const char *name);

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

/// The same for work that ran once, with one more number by its name, such as `work`: the processor time that it took alone,
/// without the start of the process.
void report_with(double seconds, const char *name, double value);

void decode(void);
void peak(void);
void gif_floor(void);
void download(void);
void disk(void);
void disk_trim(void);
void gallery(void);
void throughput(void);

#endif
