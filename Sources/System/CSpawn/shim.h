#include <spawn.h>
#include <sys/ptrace.h>
#include <unistd.h>

// glibc declares these with its extensions only, which Swift imports it without.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// Swift imports neither of these.
static inline pid_t alcedo_fork(void) { return fork(); }
static inline int alcedo_trace(pid_t process) { return (int)ptrace(PTRACE_SEIZE, process, NULL, NULL); }
