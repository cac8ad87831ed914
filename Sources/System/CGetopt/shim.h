#include <getopt.h>

// glibc's module leaves getopt.h out, and Swift 6 does not let a program touch C's global variables.

/// Starts over, silently: the caller words its own complaints.
static inline void alcedo_getopt_restart(void) {
    // 0 instead of 1 also resets what glibc keeps between calls.
    optind = 0;
    opterr = 0;
}

/// The value of the option just found.
static inline const char *alcedo_getopt_value(void) { return optarg; }

/// The letter, or the number of the option with a name, that getopt rejects; 0 for a name that it does not know.
static inline int alcedo_getopt_rejected(void) { return optopt; }

/// Where the unread words start.
static inline int alcedo_getopt_index(void) { return optind; }
