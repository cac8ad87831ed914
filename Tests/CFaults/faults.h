#ifndef FAULTS_H
#define FAULTS_H

/// What a call is about; NULL, -1 or 0 where it has no such thing.
struct subject {
    /// Relative to `folder`, a descriptor or AT_FDCWD.
    const char *path;
    int folder;

    /// A second path, as of rename.
    const char *other_path;
    int other_folder;

    int descriptor;
    const char *host;

    /// Of the address that a socket is to be connected to.
    int port;
};

/// Does to a call what faults want; returns the error that it is to fail with, 0 for none.
int fault(const char *call, struct subject subject);

/// Whether any call is to be hit or counted; false costs nothing.
int has_faults(void);

#endif
