// The limit of this HTTP layer: libmicrohttpd used in the same way as by reorderd, without any work.
//
//   bare THREADS READ [WRITE [LOG]]
//
// READ and WRITE are files with one captured response each (status line, header
// fields, empty line, body). GET and HEAD get the first one. Other requests get the second one after
// their body was received. The files must not contain fields that libmicrohttpd adds (Content-Length,
// Date). With LOG this measures the limit of durable writes: each write appends RECORD bytes to that
// file, and gets its response after a sync that all waiting writes share. Its connection is suspended
// meanwhile. Prints its address when it listens.
#include <arpa/inet.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// The size of a move in reorderd's journal.
#define RECORD 200
// More than the number of connections.
#define MOST 4096

struct answer {
    unsigned status;
    struct MHD_Response *response;
};

static struct answer answers[2];

// A thread's daemon, and its connections whose writes are synced.
struct loop {
    struct MHD_Daemon *daemon;
    int wake;
    struct MHD_Connection *done[MOST];
    int count;
};

static int log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static struct waiting {
    struct loop *loop;
    struct MHD_Connection *connection;
} waiting[MOST];
static int waiting_count;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    char *bytes = NULL;
    size_t count = 0;
    for (;;) {
        bytes = realloc(bytes, count + 65537);
        if (!bytes) fail("memory");
        size_t got = fread(bytes + count, 1, 65536, file);
        count += got;
        if (got == 0) break;
    }
    fclose(file);
    bytes[count] = 0;
    *size = count;
    return bytes;
}

static struct answer read_answer(const char *path) {
    size_t size;
    char *line = read_file(path, &size), *end = line + size, *body = strstr(line, "\r\n\r\n");
    if (!body) fail("no empty line");
    body += 4;
    struct answer answer = {.status = (unsigned)atoi(line + strlen("HTTP/1.1 "))};
    answer.response =
        MHD_create_response_from_buffer((size_t)(end - body), body, MHD_RESPMEM_PERSISTENT);
    if (!answer.response) fail("response");
    for (line = strstr(line, "\r\n") + 2; line + 2 < body;) {
        char *stop = strstr(line, "\r\n"), *colon = strstr(line, ": ");
        if (!colon || colon > stop) fail("header");
        *colon = *stop = 0;
        MHD_add_response_header(answer.response, line, colon + 2);
        line = stop + 2;
    }
    return answer;
}

// The first call of a request has only its head. A response there would close the connection.
static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *target, const char *method,
    const char *version, const char *data, size_t *size, void **request) {
    static int begun, suspended;
    (void)target, (void)version, (void)data;
    if (!*request) {
        *request = &begun;
        return MHD_YES;
    }
    if (*size) {
        *size = 0;
        return MHD_YES;
    }
    int writes = *method != 'G' && *method != 'H';
    if (writes && log_file >= 0 && *request != &suspended) {
        *request = &suspended;
        MHD_suspend_connection(connection);
        pthread_mutex_lock(&lock);
        waiting[waiting_count++] = (struct waiting){context, connection};
        if (waiting_count == 1) pthread_cond_signal(&written);
        pthread_mutex_unlock(&lock);
        return MHD_YES;
    }
    const struct answer *answer = &answers[writes];
    return MHD_queue_response(connection, answer->status, answer->response);
}

static void *sync_writes(void *argument) {
    static struct waiting batch[MOST];
    static char records[MOST * RECORD];
    (void)argument;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (waiting_count == 0) pthread_cond_wait(&written, &lock);
        int count = waiting_count;
        memcpy(batch, waiting, (size_t)count * sizeof *batch);
        waiting_count = 0;
        pthread_mutex_unlock(&lock);
        if (write(log_file, records, (size_t)count * RECORD) < 0 || fdatasync(log_file))
            fail("log");
        pthread_mutex_lock(&lock);
        for (int index = 0; index < count; index++) {
            struct loop *loop = batch[index].loop;
            loop->done[loop->count++] = batch[index].connection;
            if (loop->count == 1) eventfd_write(loop->wake, 1);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *serve(void *argument) {
    struct loop *loop = argument;
    struct pollfd descriptors[] = {
        {MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN, 0},
        {loop->wake, POLLIN, 0}};
    for (;;) {
        MHD_run(loop->daemon);
        unsigned long long milliseconds;
        int timeout = -1;
        if (MHD_get_timeout(loop->daemon, &milliseconds) == MHD_YES) timeout = (int)milliseconds;
        if (timeout) poll(descriptors, 2, timeout);
        if (!descriptors[1].revents) continue;
        eventfd_t times;
        eventfd_read(loop->wake, &times);
        pthread_mutex_lock(&lock);
        for (int index = 0; index < loop->count; index++)
            MHD_resume_connection(loop->done[index]);
        loop->count = 0;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fputs("bare THREADS READ [WRITE]\n", stderr);
        return 64;
    }
    answers[0] = read_answer(arguments[2]);
    answers[1] = count > 3 ? read_answer(arguments[3]) : answers[0];
    if (count > 4) {
        log_file = open(arguments[4], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (log_file < 0) fail(arguments[4]);
    }

    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, SOMAXCONN)
        || getsockname(listener, (struct sockaddr *)&address, &size))
        fail("socket");

    for (int index = 0; index < atoi(arguments[1]); index++) {
        struct loop *loop = calloc(1, sizeof *loop);
        if (!loop) fail("memory");
        loop->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        loop->daemon = MHD_start_daemon(
            MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO, 0, NULL, NULL, handle, loop,
            MHD_OPTION_LISTEN_SOCKET, dup(listener), MHD_OPTION_CONNECTION_TIMEOUT, 60,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 << 10, MHD_OPTION_END);
        pthread_t thread;
        if (!loop->daemon || pthread_create(&thread, NULL, serve, loop)) fail("daemon");
    }
    pthread_t thread;
    if (log_file >= 0 && pthread_create(&thread, NULL, sync_writes, NULL)) fail("thread");
    printf("bare listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) pause();
}
