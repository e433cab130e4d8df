/* Preloaded into the program, lets the first writes to files that are still being made fail, as
   file systems of a network do: FAILING_WRITES=ERRNO:COUNT. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void* bytes, size_t size)
{
    static int left = -1, code = 0;
    if (left < 0 &&
        (!getenv("FAILING_WRITES") || sscanf(getenv("FAILING_WRITES"), "%d:%d", &code, &left) != 2))
        left = 0;
    char link[32], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (left > 0 && readlink(link, path, sizeof path - 1) > 0 && strstr(path, ".tmp.")) {
        --left;
        errno = code;
        return -1;
    }
    return syscall(SYS_write, file, bytes, size);
}
