/*
 * Loaded into a process with LD_PRELOAD. Moves its wall clock by the number of microseconds in the file
 * named by CLOCK_OFFSET_FILE, which may change at any time. The monotonic clock is not changed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *offset;

__attribute__((constructor)) static void map_offset(void) {
  const char *name = getenv("CLOCK_OFFSET_FILE");
  int file = name ? open(name, O_RDONLY) : -1;
  void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) offset = memory;
}

/* Uses a system call, since looking up the real function may allocate, and the allocator reads the time. */
int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    long long nanos = time->tv_sec * 1000000000LL + time->tv_nsec + *offset * 1000LL;
    time->tv_sec = nanos / 1000000000LL;
    time->tv_nsec = nanos % 1000000000LL;
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
