#ifndef FETCH_H
#define FETCH_H

#include <stddef.h>
#include <stdint.h>

/// Files to fetch with one libcurl loop on one thread.
typedef struct {
    const char *base;
    long count;
    /// Connections at most, transfers at a time, and whether those wait for a connection that they can share.
    long connections, parallel, waits;
    /// Writes the name of a file below `base`.
    void (*name)(long index, char *target, size_t size);
    /// Gets a file's bytes, which it has to free.
    void (*done)(long index, uint8_t *bytes, size_t size);
} fetches;

/// Fetches all of them; ends the process if one fails.
void fetch(const fetches *what);

#endif
