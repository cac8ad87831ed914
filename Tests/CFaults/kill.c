#include "CFaults.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int alcedo_run_and_kill(void (*body)(void *), void *context, int microseconds)
{
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        // A copy that crashes ends at once, as one that is killed: the runtime's handler would start a program that writes
        // a report, and that waits for ever once its process is killed. Swift's Mutex may crash in a copy, as it keeps the
        // identifier of the thread that was copied.
        const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
        for (unsigned i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
        body(context);
        _exit(0);
    }
    struct timespec pause = {0, microseconds * 1000L};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    return waitpid(child, NULL, 0) == child ? 0 : -1;
}
