// Event streams of one list, while another connection sends moves at a steady rate.
//
//   streams PORT STREAMS MOVES_A_SECOND SECONDS VERSION REQUESTS EVENTS_TARGET
//
// VERSION is the list's current version, or the current place of a feed of many lists; REQUESTS is a file in the format of load.lua. Each stream must
// receive every later version, in order. The delay of an event begins when its move is sent. Prints JSON.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// A number is stored as its 8 highest bits and the number of dropped bits, so it is at most 1 % off.
enum { BUCKETS = 64 << 8, LINE = 40 };

struct stream {
    int socket, length;
    char line[LINE];
    int has_begun;
    long version;
};

static long histogram[BUCKETS], events, lost, first_version, sent;
static double *sent_at;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void count_delay(uint64_t microseconds) {
    int cut = 0;
    for (; microseconds >= 256; microseconds >>= 1) cut++;
    histogram[cut << 8 | microseconds]++;
}

static double percentile(double share) {
    long left = (long)(events * share);
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        if ((left -= histogram[bucket]) < 0)
            return (double)((uint64_t)(bucket & 255) << (bucket >> 8));
    return 0;
}

static int open_connection(int port) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address))
        fail("connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connection;
}

static void send_all(int connection, const char *bytes, size_t count) {
    while (count) {
        ssize_t done = send(connection, bytes, count, MSG_NOSIGNAL);
        if (done < 0) fail("send");
        bytes += done, count -= (size_t)done;
    }
}

// The number in an event's id: a version, or the position in a feed of many lists, which begins with p.
static long number(const char *id) { return atol(id + strspn(id, " p")); }

static void take_line(struct stream *stream, double time) {
    stream->line[stream->length] = 0;
    if (!strncmp(stream->line, "HTTP/1.1 ", 9)) {
        if (strncmp(stream->line + 9, "200", 3)) {
            fprintf(stderr, "a stream was answered %s\n", stream->line);
            exit(1);
        }
        stream->has_begun = 1;
    } else if (!strncmp(stream->line, "id:", 3)) {
        long version = number(stream->line + 3), index = version - first_version - 1;
        if (index < 0 || index >= sent) return;
        lost += version - stream->version - 1;
        stream->version = version;
        events++;
        count_delay((uint64_t)((time - sent_at[index]) * 1e6));
    }
}

static void receive(struct stream *stream) {
    static char bytes[65536];
    for (;;) {
        ssize_t count = recv(stream->socket, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            fputs("a stream ended\n", stderr);
            exit(1);
        }
        double time = now();
        for (ssize_t index = 0; index < count; index++) {
            if (bytes[index] == '\n') {
                take_line(stream, time);
                stream->length = 0;
            } else if (stream->length < LINE - 1) {
                stream->line[stream->length++] = bytes[index];
            }
        }
        if (count < (ssize_t)sizeof bytes) return;
    }
}

// The requests in the format of load.lua: for each one its length, a line feed, and its bytes.
static char **read_requests(const char *path, size_t **lengths, long *count) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    char **requests = NULL;
    size_t length;
    for (*count = 0; fscanf(file, "%zu", &length) == 1; ++*count) {
        fgetc(file);
        requests = realloc(requests, (size_t)(*count + 1) * sizeof *requests);
        *lengths = realloc(*lengths, (size_t)(*count + 1) * sizeof **lengths);
        (*lengths)[*count] = length;
        requests[*count] = malloc(length);
        if (fread(requests[*count], 1, length, file) != length) fail(path);
    }
    fclose(file);
    return requests;
}

int main(int count, char **arguments) {
    if (count != 8) {
        fputs("streams PORT STREAMS MOVES_A_SECOND SECONDS VERSION REQUESTS EVENTS_TARGET\n", stderr);
        return 64;
    }
    int port = atoi(arguments[1]), stream_count = atoi(arguments[2]);
    double rate = atof(arguments[3]), seconds = atof(arguments[4]);
    first_version = number(arguments[5]);
    size_t *lengths = NULL;
    long request_count;
    char **requests = read_requests(arguments[6], &lengths, &request_count);
    sent_at = calloc((size_t)(rate * seconds) + 2, sizeof *sent_at);

    char head[4096];
    snprintf(
        head, sizeof head, "GET %s HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: %s\r\n\r\n",
        arguments[7], arguments[5]);
    struct stream *streams = calloc((size_t)stream_count, sizeof *streams);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    for (int index = 0; index < stream_count; index++) {
        struct stream *stream = &streams[index];
        stream->version = first_version;
        stream->socket = open_connection(port);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = stream};
        epoll_ctl(poller, EPOLL_CTL_ADD, stream->socket, &event);
        send_all(stream->socket, head, strlen(head));
    }
    int mover = open_connection(port), is_answered = 1;
    struct epoll_event mover_event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poller, EPOLL_CTL_ADD, mover, &mover_event);

    int begun = 0;
    double start = 0, deadline = now() + 30;
    for (;;) {
        double time = now();
        if (!start && begun == stream_count) start = time;
        if (start && is_answered && time < start + seconds && time >= start + sent / rate) {
            sent_at[sent] = time;
            send_all(mover, requests[sent % request_count], lengths[sent % request_count]);
            sent++;
            is_answered = 0;
        }
        if (start && time >= start + seconds) {
            int left = 0;
            for (int index = 0; index < stream_count; index++)
                left += streams[index].version < first_version + sent;
            if ((!left && is_answered) || time > start + seconds + 10) break;
        }
        if (!start && time > deadline) {
            fprintf(stderr, "%d of %d streams began\n", begun, stream_count);
            return 1;
        }
        struct epoll_event ready[256];
        int ready_count = epoll_wait(poller, ready, 256, 1);
        for (int index = 0; index < ready_count; index++) {
            if (ready[index].data.ptr) {
                receive(ready[index].data.ptr);
                continue;
            }
            char answer[65536];
            ssize_t got = recv(mover, answer, sizeof answer - 1, 0);
            if (got <= 0 || strncmp(answer, "HTTP/1.1 200", 12)) {
                fprintf(stderr, "a move was answered %.*s\n", (int)(got > 0 ? got : 0), answer);
                return 1;
            }
            is_answered = 1;
        }
        if (!start) {
            begun = 0;
            for (int index = 0; index < stream_count; index++) begun += streams[index].has_begun;
        }
    }
    for (int index = 0; index < stream_count; index++)
        lost += first_version + sent - streams[index].version;
    printf(
        "{\"streams\":%d,\"moves\":%ld,\"events\":%ld,\"lost\":%ld,\"p50_us\":%.0f,\"p99_us\":%.0f,"
        "\"max_us\":%.0f}\n",
        stream_count, sent, events, lost, percentile(0.5), percentile(0.99), percentile(1 - 1e-12));
}
