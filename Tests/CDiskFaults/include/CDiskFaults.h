#ifndef CDISKFAULTS_H
#define CDISKFAULTS_H

/// A disk that fails on command. A program that links this has its system calls on files go through here first, and so
/// have the libraries that it loads. In C, because what replaces a function of the C library has to be one.

/// From now on calls named `call`, such as "write", fail with `error` for whatever is in `folder` or is it: those from
/// the `first` on, counted from 1, and `count` of them.
void alcedo_faults_begin(const char *folder, const char *call, int error, int first, int count);

/// Ends that; returns how many such calls there were, failed or not.
int alcedo_faults_end(void);

/// Runs `body` in a copy of this process, which is killed after so many microseconds if it has not ended before.
///
/// Swift has no fork. Returns 0, or -1 if there could be no copy.
int alcedo_run_and_kill(void (*body)(void *), void *context, int microseconds);

#endif
