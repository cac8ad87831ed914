#ifndef CFAULTS_H
#define CFAULTS_H

/// Calls of the system that hang, take their time or fail on command.
///
/// A program that links this has its calls go through here first, and so have the libraries that it loads. Any other program
/// gets it as a shared library, with LD_PRELOAD. In C, because what replaces a function of the C library has to be one.
///
/// A fault is a line of words: WHAT CALLS WHERE [FIRST [COUNT [TAG]]].
///
/// WHAT is `hang`, which blocks until the fault is removed and then makes the call; `slow=MILLISECONDS`; `fail=ERROR`, such as
/// `fail=ENOSPC`; or `count`.
///
/// CALLS are names of functions without the variants for large files, separated by commas, or `*` for all that calls.c has.
/// `open` is also openat, creat and fopen; `unlink`, `rename`, `link`, `mkdir` and `readlink` are also those with a folder's
/// descriptor.
///
/// WHERE is a path, for it and all below it, and for descriptors of these; `:PORT`, for connections to it; `#NUMBER`, for a
/// descriptor; `@HOST`, for getaddrinfo; or `*`.
///
/// FIRST counts such calls from 1, which it is without a number, and COUNT is how many of them it hits: all without a number.
/// With a TAG, only those of processes that have it in the variable FAULTS_TAG.
///
/// The variable FAULTS has faults from a program's start on, separated by `;`. The variable FAULTS_TABLE names a file that
/// `alcedo_faults_share` made: the faults are then those of the process that made it, which can change them at any time.
///
/// What can't block in the kernel neither hangs nor counts for `hang`: calls for a socket or a pipe with O_NONBLOCK, reading from
/// one that has something to read, sending with SO_SNDTIMEO, closing one. Use a server that does not answer.
///
/// These escape, because the C library calls them by other names: what fopen's streams read and write (fread, fgets, printf);
/// what fts_read, getaddrinfo, realpath, posix_spawn, dlopen and exit call inside, of which the first four can be hit as a
/// whole; memory for malloc and for stacks; a page of a file that is mapped; `syscall`. `pthread_create` and `mmap` are those of
/// a sanitizer in a build with one.

/// Adds a fault; returns its number, or -1 if it can't be read or there are too many.
int alcedo_faults_add(const char *fault);

/// Removes a fault, and lets its hanging calls go on; returns how many such calls there were, hit or not.
int alcedo_faults_remove(int number);

/// How many such calls there were, hit or not.
int alcedo_faults_calls(int number);

/// How many calls hang now.
int alcedo_faults_hung(int number);

/// Waits until so many calls hang; returns 0 if they don't after so many milliseconds.
int alcedo_faults_wait(int number, int hung, int milliseconds);

/// The size of the longest name of a call, with its 0.
#define FAULT_NAME 32

/// Copies the name of the call that a fault has hit last, "" before.
void alcedo_faults_hit(int number, char name[FAULT_NAME]);

/// Puts all faults from now on into a new file, for processes that have its path in FAULTS_TABLE, but not for this one; returns 0,
/// or -1.
int alcedo_faults_share(const char *path);

/// As Dispatch's dispatch_main, for a program with these functions: its end of the main thread calls `close` where frames were that
/// never return, of which the address sanitizer forgets only those below a call in C.
void alcedo_faults_main(void) __attribute__((noreturn));

#endif
