#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift cannot call of Linux: variadic functions, macros of sendmsg, and system calls without a wrapper.
// Functions return -1 and set errno where they fail, unless they say otherwise.

// MARK: - Channel

/// Two ends of a channel that keeps messages apart, neither of which a program started later inherits.
///
/// The first is the program's, which waits a second for room at the most.
int alcedo_channel(int ends[2]);

/// Sends one message of a head and a tail, with a descriptor unless that is -1; waits for room.
int alcedo_send(int socket, const void *head, size_t head_count, const void *tail, size_t tail_count, int descriptor);

/// Sends one message of a head and a tail without `sendmsg`, which could also send descriptors; waits for room.
///
/// SIGPIPE has to be ignored.
int alcedo_send_bytes(int socket, const void *head, size_t head_count, const void *tail, size_t tail_count);

/// Receives one message; returns its bytes, 0 at the end of the channel.
///
/// `descriptor` is NULL where none is expected, else becomes the one that came, or -1. A message that is larger than the
/// buffer, or brings more descriptors, fails with EBADMSG; what came is closed.
ssize_t alcedo_receive(int socket, void *buffer, size_t capacity, int *descriptor);

/// Waits until the descriptor can be read or has ended; returns 0 after so many milliseconds, whatever signals come.
int alcedo_wait_readable(int descriptor, int milliseconds);

// MARK: - Memory

/// Memory of so many zero bytes in a descriptor's file, whose size is final.
int alcedo_shared_memory(size_t count);

/// Memory that holds a copy of `bytes` and never changes again.
int alcedo_frozen_memory(const void *bytes, size_t count);

/// Makes the content final; fails with EBUSY while somebody could write to it.
int alcedo_freeze_memory(int descriptor);

/// Maps `count` bytes, to be written or read only; NULL where that fails, or the memory is smaller.
void *alcedo_map(int descriptor, size_t count, int writable);

// MARK: - Processes

/// Starts a program with the channel as descriptor 3 and nothing else but /dev/null as 0 to 2; returns its process id.
///
/// It is in a process group of its own, so that an interrupt from the keyboard does not reach it.
pid_t alcedo_spawn(const char *path, char *const arguments[], char *const environment[], int socket);

/// A descriptor of a child; -1 on kernels before 5.3.
int alcedo_process_descriptor(pid_t process);

/// The path that this process was started by; NULL where the system does not give it.
const char *alcedo_started_path(void);

/// Kills a child, by its descriptor if there is one.
void alcedo_kill(pid_t process, int descriptor);

/// Whether a child has ended within so many milliseconds; reaps it then and sets its exit status and the signal that ended it.
///
/// Both are -1 where somebody else has reaped it.
int alcedo_reap(pid_t process, int descriptor, int milliseconds, int *status, int *signal);

// MARK: - Restricting oneself

/// The version of Landlock; 0 where there is none.
int alcedo_landlock_version(void);

/// Denies this thread and those it starts all files, but reading those below `paths`, which ends with NULL.
int alcedo_landlock(const char *const paths[]);

/// Gives up ever to have more privileges; this process cannot be traced or dumped any more.
int alcedo_give_up_privileges(void);

/// Lowers both values of a limit; `resource` is one of RLIMIT_….
int alcedo_limit(int resource, uint64_t value);

/// Closes all descriptors from `first` on.
void alcedo_close_from(int first);

/// Ends the process as soon as the other end of the channel is closed, whatever other threads do.
int alcedo_end_with(int socket);

/// Whether this was compiled with the address or thread sanitizer, which need more of the system than a sandbox allows.
int alcedo_is_sanitized(void);

extern const int alcedo_limit_address_space;
extern const int alcedo_limit_cpu;
extern const int alcedo_limit_core;
extern const int alcedo_limit_file_size;
extern const int alcedo_limit_files;
