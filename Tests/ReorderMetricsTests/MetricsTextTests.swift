import Glibc
import Synchronization
import Testing

@testable import ReorderMetrics

@Suite struct MetricsTextTests {
    private func text(_ write: (inout MetricsText) -> Void) -> String {
        var text = MetricsText()
        write(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func aValueOnABoundBelongsToItsBucket() {
        let bounds = BucketBounds([1, 10, 100])
        for (value, bucket) in [
            (0, 0), (1, 0), (2, 1), (10, 1), (11, 2), (100, 2), (101, 3), (.max, 3),
        ] {
            #expect(bounds.bucket(of: value) == bucket, "\(value)")
        }
    }

    @Test func aHistogramsBucketsAreCumulative() {
        let histogram = Histogram(BucketBounds([1_000_000, 500_000_000]))
        for value in [1_000_000, 400_000_000, 500_000_001, 2] { histogram.record(value) }
        #expect(histogram.distribution.count == 4)
        #expect(
            text {
                $0.begin("a_seconds", .histogram, "Times.")
                $0.histogram(
                    histogram.distribution, [("route", "/")], unitsInOne: 1_000_000_000)
            } == """
                # HELP a_seconds Times.
                # TYPE a_seconds histogram
                a_seconds_bucket{route="/",le="0.001"} 2
                a_seconds_bucket{route="/",le="0.5"} 3
                a_seconds_bucket{route="/",le="+Inf"} 4
                a_seconds_sum{route="/"} 0.901000003
                a_seconds_count{route="/"} 4

                """)
    }

    @Test func labelsAreEscaped() {
        #expect(
            text {
                $0.begin("a_total", .counter, "All.")
                $0.sample(1, [("a", "\\ \" \n"), ("b", "")])
                $0.sample(-2)
            } == #"""
                # HELP a_total All.
                # TYPE a_total counter
                a_total{a="\\ \" \n",b=""} 1
                a_total -2

                """#)
    }

    @Test func aConcurrentCounterLosesNothing() {
        let counter = StripedCounter()
        let ready = Atomic(0)
        let threads = (0..<8).map { _ in
            Worker {
                ready.add(1, ordering: .relaxed)
                while ready.load(ordering: .relaxed) < 8 { sched_yield() }
                for _ in 0..<10_000 { counter.add() }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.value == 80_000)
    }

    @Test func theProcessStatisticsAreRead() {
        // More than other tests can close between two readings of the shared process.
        let descriptors = (0..<200).map { _ in dup(0) }
        defer { for descriptor in descriptors { close(descriptor) } }
        let metrics = ProcessMetrics.now
        #expect((metrics.openDescriptors ?? 0) >= 200)
        #expect((metrics.residentBytes ?? 0) > 1 << 20)
        #expect((metrics.maximumDescriptors ?? 0) > 5)
        #expect(metrics.processorSeconds > 0)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let start = metrics.startSeconds ?? 0
        // Both values, and the system's start, are rounded to a second or less.
        #expect(start > Double(now.tv_sec) - 86_400 && start < Double(now.tv_sec) + 5)
    }
}

/// A thread of the operating system.
private struct Worker {
    private let handle: pthread_t

    init(_ body: @escaping @Sendable () -> Void) {
        final class Body {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        var handle = pthread_t()
        pthread_create(
            &handle, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(Body(body)).toOpaque())
        self.handle = handle
    }

    func join() { pthread_join(handle, nil) }
}
