/* Preloaded into the program, lets the first writes to files that are still being made fail, as
   file systems of a network do: FAILING_WRITES=ERRNO:COUNT. With FAILING_FOLDER=ERRNO no folder
   that has a checkpoint can be sent to disk. */
#define _GNU_SOURCE
#include <dirent.h>
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

int fsync(int file)
{
    const char* code = getenv("FAILING_FOLDER");
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    DIR* folder = code ? opendir(link) : NULL; /* null for a file */
    for (struct dirent* entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".chk") == 0) {
            closedir(folder);
            errno = atoi(code);
            return -1;
        }
    }
    if (folder)
        closedir(folder);
    return (int)syscall(SYS_fsync, file);
}
