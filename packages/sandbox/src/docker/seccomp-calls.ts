/**
 * The calls of the kernel that a build, a test or a script needs, by what they are for; all others
 * fail with EPERM. Narrower than what Docker allows by itself: nothing of io_uring (it works around
 * this very filter), of other processes' memory, of keys, tracing, namespaces, mounts, modules,
 * clocks, handles to files, memory policies and 32-bit machines. Names as in `syscalls(2)`.
 */
export const allowedCalls: Readonly<Record<string, string>> = {
  files: `open openat openat2 creat close close_range read write pread64 pwrite64 readv writev preadv
    pwritev preadv2 pwritev2 lseek truncate ftruncate fallocate fadvise64 readahead sendfile splice
    tee vmsplice copy_file_range fsync fdatasync sync syncfs sync_file_range flock fcntl dup dup2
    dup3 ioctl pipe pipe2`,
  names: `stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink
    readlinkat link linkat symlink symlinkat unlink unlinkat rename renameat renameat2 mkdir mkdirat
    rmdir mknod mknodat chdir fchdir getcwd getdents getdents64 umask chmod fchmod fchmodat fchmodat2
    chown fchown lchown fchownat utime utimes utimensat futimesat`,
  attributes: `getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr
    fsetxattr removexattr lremovexattr fremovexattr`,
  waiting: `poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
    epoll_pwait2 eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime
    inotify_init inotify_init1 inotify_add_watch inotify_rm_watch io_setup io_destroy io_submit
    io_cancel io_getevents io_pgetevents`,
  memory: `brk mmap munmap mremap mprotect madvise mincore msync mlock mlock2 mlockall munlock
    munlockall memfd_create membarrier pkey_alloc pkey_free pkey_mprotect remap_file_pages cachestat
    map_shadow_stack mseal`,
  processes: `fork vfork execve execveat exit exit_group wait4 waitid getpid getppid gettid getpgid
    getpgrp setpgid getsid setsid prctl arch_prctl set_tid_address set_robust_list get_robust_list
    rseq futex futex_waitv futex_wake futex_wait futex_requeue restart_syscall uname sysinfo getcpu
    getrusage getrlimit setrlimit prlimit64 getpriority setpriority ioprio_get ioprio_set times
    pidfd_open pidfd_send_signal process_mrelease seccomp landlock_create_ruleset landlock_add_rule
    landlock_restrict_self capget capset`,
  scheduling: `sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_setparam
    sched_getscheduler sched_setscheduler sched_getattr sched_setattr sched_get_priority_max
    sched_get_priority_min sched_rr_get_interval`,
  identity: `getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid
    setregid setresuid setresgid setgroups setfsuid setfsgid`,
  signals: `kill tkill tgkill pause alarm rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending
    rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo sigaltstack`,
  time: `time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep getitimer setitimer
    timer_create timer_settime timer_gettime timer_getoverrun timer_delete`,
  sockets: `bind connect listen accept accept4 shutdown getsockname getpeername getsockopt setsockopt
    sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg`,
  'memory, messages and locks shared with each other': `shmget shmat shmdt shmctl semget semop
    semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive
    mq_notify mq_getsetattr`,
  random: 'getrandom',
};
