import Foundation
import Measuring
@testable import ReorderClient

/// Measures the Swift client: how long its calls hold the main actor, or how long it takes to send what waits.
///
///     client-benchmark calls [rows [waiting [name]]]
///     client-benchmark sending URL
@main struct ClientBenchmark {
    @MainActor static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let values = arguments.dropFirst()
        switch arguments.first {
        case "calls":
            let numbers = values.prefix(2).compactMap { Int($0) }
            try await Calls.measure(
                rows: numbers.first ?? 100_000, waiting: numbers.dropFirst().first ?? 8_000,
                name: values.dropFirst(2).first ?? "")
        case "sending":
            guard let server = values.first.flatMap({ URL(string: $0) }) else { fallthrough }
            try await Sending.measure(with: server)
        default: print("client-benchmark calls [rows [waiting [name]]] | sending URL")
        }
    }
}

extension Calls {
    /// - Parameter name: what the names of the calls contain.
    static func measure(rows: Int, waiting: Int, name: String) async throws {
        print("\(rows) rows, \(waiting) changes that wait")
        print("the longest hold of the main actor, ms".padding(48) + "     processor   with waits")
        for (name, prepare) in all.filter({ name.isEmpty || $0.0.contains(name) }) {
            var best: Hold?
            for _ in 0..<3 {
                let device = try await Device(rows: rows, waiting: waiting)
                let hold = try await prepare(device)
                if hold.processor < best?.processor ?? .infinity { best = hold }
                device.remove()
            }
            if let best { print(name.padding(48) + best.text) }
            fflush(nil)
        }
    }
}

extension String {
    func padding(_ width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}

/// How long the main actor was held.
struct Hold {
    /// The processor time of the longest part that other work of the main actor had to wait for, in milliseconds.
    var processor = 0.0
    /// The same with the time for which the main actor waited for other threads, and for the processor.
    var elapsed = 0.0

    var text: String {
        [processor, elapsed].map { String(format: "%13.2f", $0) }.joined()
    }

    fileprivate mutating func add(_ other: Hold) {
        processor = max(processor, other.processor)
        elapsed = max(elapsed, other.elapsed)
    }
}

/// The times of the thread of the main actor.
private struct Moment {
    let processor: Double
    let elapsed: Double
    /// On Linux, the main actor can continue on another thread.
    let thread = pthread_self()

    init() {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        processor = Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        clock_gettime(CLOCK_MONOTONIC, &time)
        elapsed = Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    func hold(since start: Moment) -> Hold {
        let time = elapsed - start.elapsed
        return Hold(
            processor: thread == start.thread ? processor - start.processor : time, elapsed: time)
    }
}

/// Measures calls that return at once: the longest of several.
@MainActor func longest(of count: Int, _ call: (Int) -> Void) -> Hold {
    var longest = Hold()
    for index in 0..<count {
        let start = Moment()
        call(index)
        longest.add(Moment().hold(since: start))
    }
    return longest
}

/// Measures work that the main actor does in parts: the longest part.
@MainActor func longestPart(
    of work: () async throws -> Void, until isDone: () -> Bool
) async throws -> Hold {
    var longest = Hold()
    var last = Moment()
    let beat = {
        let now = Moment()
        longest.add(now.hold(since: last))
        last = now
    }
    try await work()
    beat()
    while !isDone() {
        // Other work of the main actor comes before the rest.
        try await Task.sleep(for: .microseconds(100))
        beat()
    }
    return longest
}
