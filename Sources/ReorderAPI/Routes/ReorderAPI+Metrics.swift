import MicroHTTP
import ReorderMetrics
import ReorderService
import ReorderWebhooks

extension ReorderAPI {
    /// Renders the metrics in Prometheus' text format. The number of labels is limited. For
    /// example, the label of a route is its pattern, not the path.
    func getMetrics(_ request: Request) throws -> Job {
        .respond(
            Response(
                status: 200,
                headers: ["Content-Type": MetricsText.contentType, "Cache-Control": "no-store"],
                body: metrics(requests.metrics, service.metrics)))
    }

    private func metrics(_ requests: RequestMetrics, _ service: ServiceMetrics) -> [UInt8] {
        var text = MetricsText()
        text.begin(
            "reorderd_build_info", .gauge, "Always 1; the labels name the version and the store.")
        text.sample(1, [("version", build.version), ("store", build.store)])
        text.only(
            "reorderd_ready", .gauge, "1 if /readyz returns 200, otherwise 0.",
            service.isReadable && !isDraining ? 1 : 0)
        text.only(
            "reorderd_ready_for_writes", .gauge, "1 if /readyz/writes returns 200, otherwise 0.",
            service.isReady && !isDraining ? 1 : 0)
        text.requests(requests)
        text.service(service)
        text.store(service)
        text.webhooks(webhooks.metrics)
        text.process(.now)
        return text.bytes
    }
}

/// The program that serves the API.
package struct BuildInfo: Sendable {
    package var version: String
    /// `memory`, `file` or `postgres`.
    package var store: String

    package init(version: String, store: String) {
        self.version = version
        self.store = store
    }
}

private let nanosecondsInOneSecond = 1_000_000_000

extension MetricsText {
    fileprivate mutating func requests(_ metrics: RequestMetrics) {
        begin(
            "reorderd_requests_total", .counter,
            "Responses by route pattern, method and status; route (none) if no route matched.")
        for line in metrics.lines {
            for (status, count) in line.statuses.sorted(by: { $0.key < $1.key }) {
                sample(
                    count, line.labels + [("status", status == 0 ? "other" : "\(status)")])
            }
        }
        begin(
            "reorderd_request_duration_seconds", .histogram,
            "Seconds from the complete request until its response is ready to send.")
        for line in metrics.lines {
            histogram(line.nanoseconds, line.labels, unitsInOne: nanosecondsInOneSecond)
        }
        begin("reorderd_refusals_total", .counter, "Error responses, by problem code.")
        for (code, count) in metrics.refusals.sorted(by: { $0.key < $1.key }) {
            sample(count, [("code", code)])
        }
        only(
            "reorderd_ready_answers_total", .counter,
            "Reads of a list that were served from the response cache.", metrics.ready)
        only(
            "reorderd_connections", .gauge, "Open connections other than event streams.",
            metrics.connections)
        only("reorderd_streams", .gauge, "Open event streams.", metrics.streams)
    }

    fileprivate mutating func service(_ metrics: ServiceMetrics) {
        begin(
            "reorderd_commit_changes", .histogram,
            "Changes in one commit; 0 if it stored only responses.")
        histogram(metrics.commits.changes)
        begin(
            "reorderd_commit_duration_seconds", .histogram,
            "Seconds that the store took for one commit, including the sync.")
        histogram(metrics.commits.nanoseconds, unitsInOne: nanosecondsInOneSecond)
        only(
            "reorderd_commits_failed_total", .counter, "Commits that failed.",
            metrics.commits.failed)
        only("reorderd_cache_lists", .gauge, "Lists in memory.", metrics.cache.lists)
        only("reorderd_cache_bytes", .gauge, "Memory used by cached lists.", metrics.cache.bytes)
        only(
            "reorderd_cache_limit_bytes", .gauge, "Maximum memory for cached lists.",
            metrics.cache.limitBytes)
        only(
            "reorderd_cache_hits_total", .counter,
            "Uses of a list that was in memory.", metrics.cache.hits)
        only(
            "reorderd_cache_misses_total", .counter,
            "Uses of a list that had to be loaded from the store.",
            metrics.cache.misses)
        only(
            "reorderd_journal_changes_total", .counter,
            "Changes committed since the start.", metrics.commits.changes.sum)
    }

    fileprivate mutating func store(_ metrics: ServiceMetrics) {
        let usage = metrics.store
        if let bytes = usage.sizeBytes {
            only("reorderd_journal_bytes", .gauge, "Size of the store on disk.", bytes)
        }
        if let bytes = usage.freeBytes {
            only("reorderd_disk_free_bytes", .gauge, "Free space on the store's disk.", bytes)
        }
        if let count = usage.connections {
            only("reorderd_postgres_connections", .gauge, "Open connections to PostgreSQL.", count)
        }
        if let count = usage.connectionLimit {
            only(
                "reorderd_postgres_connections_limit", .gauge,
                "Maximum number of connections to PostgreSQL.", count)
        }
    }

    fileprivate mutating func webhooks(_ metrics: WebhookMetrics) {
        begin("reorderd_webhooks", .gauge, "Webhooks, by status.")
        sample(metrics.active, [("status", "active")])
        sample(metrics.disabled, [("status", "disabled")])
        begin(
            "reorderd_webhook_attempts_total", .counter,
            "Requests of this server to receivers, by result.")
        sample(metrics.delivered, [("result", "delivered")])
        sample(metrics.failed, [("result", "failed")])
        guard !metrics.receivers.isEmpty else { return }
        begin(
            "reorderd_webhook_failed_attempts", .gauge,
            "Failed attempts for the current event of a webhook; 0 if its receiver works.")
        for receiver in metrics.receivers {
            sample(
                receiver.failedAttempts,
                [("webhook", receiver.webhook), ("receiver", receiver.host)])
        }
    }

    /// Writes the process metrics under their standard names.
    fileprivate mutating func process(_ metrics: ProcessMetrics) {
        if let bytes = metrics.residentBytes {
            only("process_resident_memory_bytes", .gauge, "Resident memory.", bytes)
        }
        if let bytes = metrics.memoryLimitBytes {
            only(
                "reorderd_memory_limit_bytes", .gauge,
                "The memory that the process may use: that of its control group, or of the machine.",
                bytes)
        }
        if let count = metrics.openDescriptors {
            only("process_open_fds", .gauge, "Open file descriptors.", count)
        }
        if let count = metrics.maximumDescriptors {
            only("process_max_fds", .gauge, "Maximum number of open file descriptors.", count)
        }
        begin("process_cpu_seconds_total", .counter, "User and system CPU time.")
        sample(metrics.processorSeconds)
        if let seconds = metrics.startSeconds {
            begin("process_start_time_seconds", .gauge, "Start time, in seconds since 1970.")
            sample(seconds)
        }
    }
}

extension RequestMetrics.Line {
    fileprivate var labels: MetricsText.Labels {
        [("route", route ?? "(none)"), ("method", method?.rawValue ?? "other")]
    }
}
