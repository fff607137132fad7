import ReorderMetrics
import Synchronization

/// Counts a router's requests. Each event loop has its own counters. A reader adds up the counters
/// of all loops.
package final class RequestRecorder: Sendable {
    private let parts = Mutex<[LoopMetrics]>([])

    package init() {}

    /// Creates the counters of a loop.
    func part(of routes: [Route]) -> LoopMetrics {
        let part = LoopMetrics(routes: routes)
        parts.withLock { $0.append(part) }
        return part
    }

    /// The open connections of each event loop.
    var connectionsOfLoops: [Int] { parts.withLock { $0.map(\.connections) } }

    /// The counts until now. Complexity: O(routes · event loops).
    package var metrics: RequestMetrics {
        let parts = parts.withLock { $0 }
        var metrics = RequestMetrics()
        for part in parts {
            metrics.ready += part.ready
            metrics.connections += part.connections
            metrics.streams += part.streams
            metrics.refusals.merge(part.refusals) { $0 + $1 }
        }
        // All parts belong to one router, so they have the same rows.
        guard let first = parts.first else { return metrics }
        for slot in 0..<first.slots {
            var line = first.line(at: slot)
            for part in parts { part.add(slot, to: &line) }
            if !line.statuses.isEmpty { metrics.lines.append(line) }
        }
        return metrics
    }
}

/// The requests until now.
package struct RequestMetrics: Sendable {
    /// The requests of one route and one method.
    package struct Line: Sendable {
        /// The route's pattern; nil for requests without a route.
        package var route: String?
        /// nil for methods that no route has.
        package var method: HTTPMethod?
        /// The number of responses by status; 0 stands for all other statuses.
        package var statuses: [Int: Int] = [:]
        /// See `AccessLogEntry.seconds`.
        package var nanoseconds = Distribution(.requestNanoseconds)
    }

    package var lines: [Line] = []
    /// By `Response.refusal`.
    package var refusals: [String: Int] = [:]
    /// Responses from the cache (`Router.onCached`).
    package var ready = 0
    /// Open connections, without those that became streams.
    package var connections = 0
    package var streams = 0
}

/// The counters of one event loop: a row of cells for each route and method. Only this loop writes
/// to them.
final class LoopMetrics: Sendable {
    private static let statuses = [
        200, 201, 204, 207, 304, 308, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 421,
        422,
        428, 429, 500, 503,
    ]
    /// Requests without a route have a row for each of these methods, and one row for all other
    /// methods.
    private static let methods = HTTPMethod.known
    /// The index of each status from 0 to 599 in a row; 0 for all other statuses.
    private let places: [UInt8] = {
        var places = [UInt8](repeating: 0, count: 600)
        for (index, status) in statuses.enumerated() { places[status] = UInt8(index + 1) }
        return places
    }()

    private let bounds = BucketBounds.requestNanoseconds
    private let sum: Int
    private let rowCount: Int
    private static let firstBucket = statuses.count + 1

    let slots: Int
    /// The rows, and after them three cells: cached responses, open connections, open streams.
    private let cells: CounterRow
    private let routes: [Route]
    private let tail: Int
    /// Refusals are rare, and only readers contend for the lock.
    private let refused = Mutex<[String: Int]>([:])

    init(routes: [Route]) {
        self.routes = routes
        sum = Self.firstBucket + bounds.bucketCount
        rowCount = sum + 1
        // Two rows for each route, for its own method and for HEAD. Then the rows of requests
        // without a route.
        slots = 2 * routes.count + Self.methods.count + 1
        tail = slots * rowCount
        cells = CounterRow(count: tail + 3)
    }

    /// The route and method of a row, with zero counts.
    func line(at slot: Int) -> RequestMetrics.Line {
        guard slot < 2 * routes.count else {
            let method = slot - 2 * routes.count
            return RequestMetrics.Line(
                route: nil, method: method < Self.methods.count ? Self.methods[method] : nil)
        }
        let route = routes[slot / 2]
        return RequestMetrics.Line(
            route: route.pattern, method: slot % 2 == 0 ? route.method : .head)
    }

    // MARK: On the loop's thread

    /// The response and the request are not changed; they are `inout` because copies are slower.
    func count(_ response: inout Response, _ request: inout Request, nanoseconds: Int) {
        let row = slot(request.method, request.routeIndex) * rowCount
        let status = response.status
        let place = places.indices.contains(status) ? Int(places[status]) : 0
        cells.add(1, to: row + place)
        cells.add(1, to: row + Self.firstBucket + bounds.bucket(of: nanoseconds))
        cells.add(nanoseconds, to: row + sum)
        if request.isReady { cells.add(1, to: tail) }
        if let refusal = response.refusal { refused.withLock { $0[refusal, default: 0] += 1 } }
    }

    func setOpen(connections: Int, streams: Int) {
        cells.set(connections, at: tail + 1)
        cells.set(streams, at: tail + 2)
    }

    private func slot(_ method: HTTPMethod, _ route: Int?) -> Int {
        guard let route else {
            return 2 * routes.count + (Self.methods.firstIndex(of: method) ?? Self.methods.count)
        }
        return 2 * route + (method == .head ? 1 : 0)
    }

    // MARK: On any thread

    var ready: Int { cells[tail] }
    var connections: Int { cells[tail + 1] }
    var streams: Int { cells[tail + 2] }
    var refusals: [String: Int] { refused.withLock { $0 } }

    func add(_ slot: Int, to line: inout RequestMetrics.Line) {
        let row = slot * rowCount
        for place in 0..<Self.firstBucket where cells[row + place] > 0 {
            line.statuses[place == 0 ? 0 : Self.statuses[place - 1], default: 0] +=
                cells[row + place]
        }
        for bucket in 0..<bounds.bucketCount {
            line.nanoseconds.counts[bucket] += cells[row + Self.firstBucket + bucket]
        }
        line.nanoseconds.sum &+= cells[row + sum]
    }
}
