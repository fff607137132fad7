// Measures the time from a move to its event on the streams, and the cost of an open stream.
//
//   cc -O2 -o /tmp/streams Benchmarks/Streams/streams.c
//   reorderd serve --port 8080 --store file:/tmp/streams.db &
//   /tmp/streams 8080 5000 1 10 20      # port, streams, lists, moves a second, seconds
//
// One thread opens the streams, moves tasks at a steady rate, and records when each event arrives. Times
// begin at the move's response, which is sent after the sync, and at its request.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOVERS = 32, MAX_VERSIONS = 65536 };

struct socket_state {
    int descriptor, list, is_mover, is_busy, length;
    double sent;
    char text[4096];
};

static int port, streams, lists, rate, seconds;
static struct socket_state *states;
static double *sent_at, *answered_at;  // by list and version
static struct event { int list, version; double at; } *events;
static long event_count, event_room;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int open_socket(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (descriptor < 0 || connect(descriptor, (void *)&address, sizeof address)) fail("connect");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}

static void send_text(int descriptor, const char *text) {
    if (write(descriptor, text, strlen(text)) != (ssize_t)strlen(text)) fail("write");
}

// Reads the responses of the setup, one at a time.
static void ask(int descriptor, const char *request) {
    char answer[65536];
    send_text(descriptor, request);
    if (read(descriptor, answer, sizeof answer) <= 0) fail("read");
}

static void make_lists(void) {
    int descriptor = open_socket();
    for (int list = 0; list < lists; list++) {
        char request[512], body[256];
        snprintf(body, sizeof body,
                 "{\"title\":\"\",\"tasks\":[{\"id\":\"s%d.a\",\"title\":\"a\"},"
                 "{\"id\":\"s%d.b\",\"title\":\"b\"}]}", list, list);
        snprintf(request, sizeof request,
                 "PUT /lists/s%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s", list,
                 strlen(body), body);
        ask(descriptor, request);
    }
    close(descriptor);
}

static void move(struct socket_state *mover) {
    static int turn;
    char request[256], body[64];
    // Only one connection moves tasks of a list, so its versions are in the order of its moves.
    int own = (lists - (int)(mover - states) % MOVERS + MOVERS - 1) / MOVERS;
    mover->list = (int)(mover - states) % MOVERS + MOVERS * (turn++ % own);
    snprintf(body, sizeof body, "{\"fromRow\":0,\"toRow\":1}");
    snprintf(request, sizeof request,
             "POST /lists/s%d/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n%s",
             mover->list, strlen(body), body);
    mover->is_busy = 1;
    mover->sent = now();
    send_text(mover->descriptor, request);
}

static void take_answer(struct socket_state *mover, double at) {
    char *tag = strstr(mover->text, "ETag: \"");
    if (!tag || !strstr(mover->text, "\"collapsed\":[]}")) return;
    int version = atoi(tag + 7);
    if (version < MAX_VERSIONS / lists) {
        sent_at[mover->list * (MAX_VERSIONS / lists) + version] = mover->sent;
        answered_at[mover->list * (MAX_VERSIONS / lists) + version] = at;
    }
    mover->is_busy = 0;
    mover->length = 0;
}

static void take_events(struct socket_state *stream, double at) {
    char *rest = stream->text, *end;
    while ((end = strstr(rest, "\n\n"))) {
        *end = 0;
        char *id = strstr(rest, "id: ");
        if (id && strstr(rest, "event: change") && event_count < event_room)
            events[event_count++] = (struct event){stream->list, atoi(id + 4), at};
        rest = end + 2;
    }
    stream->length -= rest - stream->text;
    memmove(stream->text, rest, stream->length + 1);
}

static int compare(const void *left, const void *right) {
    double difference = *(double *)left - *(double *)right;
    return (difference > 0) - (difference < 0);
}

static void tell(const char *name, double *times, long count) {
    if (!count) return;
    qsort(times, count, sizeof *times, compare);
    printf("%s: median %.2f ms, 99th %.2f ms, most %.2f ms\n", name, times[count / 2] * 1e3,
           times[count * 99 / 100] * 1e3, times[count - 1] * 1e3);
}

int main(int count, char **arguments) {
    if (count != 6) return fprintf(stderr, "port streams lists moves-a-second seconds\n"), 1;
    port = atoi(arguments[1]), streams = atoi(arguments[2]), lists = atoi(arguments[3]);
    rate = atoi(arguments[4]), seconds = atoi(arguments[5]);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int movers = lists < MOVERS ? lists : MOVERS, epoll = epoll_create1(0);
    states = calloc(MOVERS + streams, sizeof *states);
    sent_at = calloc(MAX_VERSIONS, sizeof *sent_at);
    answered_at = calloc(MAX_VERSIONS, sizeof *answered_at);
    event_room = (long)(streams / lists + 1) * rate * (seconds + 2);
    events = calloc(event_room, sizeof *events);
    make_lists();
    for (int index = 0; index < MOVERS + streams; index++) {
        if (index >= movers && index < MOVERS) continue;
        struct socket_state *state = &states[index];
        state->is_mover = index < MOVERS;
        state->list = (index - MOVERS) % lists;
        state->descriptor = open_socket();
        if (!state->is_mover) {
            char request[128];
            snprintf(request, sizeof request, "GET /lists/s%d/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     state->list);
            ask(state->descriptor, request);
        }
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
        epoll_ctl(epoll, EPOLL_CTL_ADD, state->descriptor, &event);
    }
    fprintf(stderr, "%d streams are open\n", streams);
    double start = now() + 1, end = start + seconds;
    long moves = 0;
    while (now() < end + 1) {
        for (int index = 0; index < movers; index++)
            if (!states[index].is_busy && now() < end && now() >= start + (double)moves / rate)
                move(&states[index]), moves++;
        struct epoll_event ready[256];
        int found = epoll_wait(epoll, ready, 256, 1);
        for (int index = 0; index < found; index++) {
            struct socket_state *state = &states[ready[index].data.u32];
            ssize_t got = read(state->descriptor, state->text + state->length,
                               sizeof state->text - 1 - state->length);
            if (got <= 0) return fprintf(stderr, "a connection ended\n"), 1;
            double at = now();
            state->length += got;
            state->text[state->length] = 0;
            if (state->is_mover) take_answer(state, at);
            else take_events(state, at);
        }
    }
    double *after_answer = calloc(event_count + 1, sizeof(double));
    double *after_request = calloc(event_count + 1, sizeof(double));
    long known = 0;
    for (long index = 0; index < event_count; index++) {
        struct event *event = &events[index];
        int place = event->list * (MAX_VERSIONS / lists) + event->version;
        if (event->version >= MAX_VERSIONS / lists || !answered_at[place]) continue;
        after_answer[known] = event->at - answered_at[place];
        after_request[known++] = event->at - sent_at[place];
    }
    printf("%d streams on %d lists, %ld moves in %d s, %ld events\n", streams, lists, moves,
           seconds, event_count);
    tell("event after the move's answer", after_answer, known);
    tell("event after the move's request", after_request, known);
    return 0;
}
