import MicroHTTP
import ReorderMetrics
import ReorderService

extension ReorderAPI {
    /// What is counted, as Prometheus reads it. Labels take the values that this program has and no
    /// others: routes by their patterns, never by their paths, so their number is bounded.
    func getMetrics(_ call: Call) throws -> Response {
        Response(
            status: 200,
            headers: ["Content-Type": MetricsText.contentType, "Cache-Control": "no-store"],
            body: Self.metrics(requests.figures, service.figures))
    }

    private static func metrics(_ requests: RequestFigures, _ service: ServiceFigures) -> [UInt8] {
        var text = MetricsText()
        text.requests(requests)
        text.service(service)
        text.process(.now)
        return text.bytes
    }
}

private let nanosecondsInOneSecond = 1_000_000_000

extension MetricsText {
    fileprivate mutating func requests(_ figures: RequestFigures) {
        begin(
            "reorderd_requests_total", .counter,
            "Answers by the route's pattern, method and status; without a route: (none).")
        for line in figures.lines {
            for (status, count) in line.statuses.sorted(by: { $0.key < $1.key }) {
                sample(
                    count, line.labels + [("status", status == 0 ? "other" : "\(status)")])
            }
        }
        begin(
            "reorderd_request_duration_seconds", .histogram,
            "From the loop's turn in which a request was complete until its answer could be sent.")
        for line in figures.lines {
            histogram(line.nanoseconds, line.labels, unitsInOne: nanosecondsInOneSecond)
        }
        begin("reorderd_refusals_total", .counter, "Answers that refused, by the problem's code.")
        for (code, count) in figures.refusals.sorted(by: { $0.key < $1.key }) {
            sample(count, [("code", code)])
        }
        only(
            "reorderd_ready_answers_total", .counter,
            "Reads of a list that were answered with what was kept ready.", figures.ready)
        only(
            "reorderd_connections", .gauge, "Open connections, without event streams.",
            figures.connections)
        only("reorderd_streams", .gauge, "Open event streams.", figures.streams)
    }

    fileprivate mutating func service(_ figures: ServiceFigures) {
        begin(
            "reorderd_commit_changes", .histogram,
            "Changes that became durable together; none where only answers did.")
        histogram(figures.commits.changes)
        begin(
            "reorderd_commit_duration_seconds", .histogram,
            "What the store took to make them durable, sync included.")
        histogram(figures.commits.nanoseconds, unitsInOne: nanosecondsInOneSecond)
        only(
            "reorderd_commits_failed_total", .counter, "Commits that failed.",
            figures.commits.failed)
        only("reorderd_cache_lists", .gauge, "Lists in memory.", figures.cache.lists)
        only("reorderd_cache_bytes", .gauge, "What they take.", figures.cache.bytes)
        only(
            "reorderd_cache_limit_bytes", .gauge, "What they may take.", figures.cache.limitBytes)
        only(
            "reorderd_cache_hits_total", .counter,
            "How often a list was in memory when it was needed.", figures.cache.hits)
        only(
            "reorderd_cache_misses_total", .counter, "How often one was read from the store.",
            figures.cache.misses)
        only(
            "reorderd_journal_changes_total", .counter,
            "Changes that were made durable since the start.", figures.commits.changes.sum)
        if let bytes = figures.storeBytes {
            only("reorderd_journal_bytes", .gauge, "What the store takes on disk.", bytes)
        }
    }

    /// By the names that all programs use.
    fileprivate mutating func process(_ figures: ProcessFigures) {
        if let bytes = figures.residentBytes {
            only("process_resident_memory_bytes", .gauge, "Resident memory.", bytes)
        }
        if let count = figures.openDescriptors {
            only("process_open_fds", .gauge, "Open file descriptors.", count)
        }
        if let count = figures.maximumDescriptors {
            only("process_max_fds", .gauge, "How many may be open.", count)
        }
        begin("process_cpu_seconds_total", .counter, "User and system time.")
        sample(figures.processorSeconds)
        if let seconds = figures.startSeconds {
            begin("process_start_time_seconds", .gauge, "When it started, since 1970.")
            sample(seconds)
        }
    }
}

extension RequestFigures.Line {
    fileprivate var labels: MetricsText.Labels {
        [("route", route ?? "(none)"), ("method", method?.rawValue ?? "other")]
    }
}
