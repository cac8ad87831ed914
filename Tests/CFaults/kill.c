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
        body(context);
        _exit(0);
    }
    struct timespec pause = {0, microseconds * 1000L};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    return waitpid(child, NULL, 0) == child ? 0 : -1;
}
