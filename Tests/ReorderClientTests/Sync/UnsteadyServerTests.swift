import Testing

@testable import ReorderClient

/// Servers that answer, but bring the client nowhere: it must not ask them without a pause, and must not lose anything.
@Suite struct UnsteadyServerTests {
    private static let events = "/lists/l/events"

    private func document(_ epoch: String, _ version: Int, _ task: String) -> String {
        #"{"id":"l","title":"","version":\#(version),"epoch":"\#(epoch)","#
            + #""tasks":[{"id":"\#(task)","title":""}]}"#
    }

    /// Answers the requests of some time.
    ///
    /// - Returns: the times of the requests that were answered, by their targets.
    private func live(
        _ client: inout MachineUnderTest, seconds: Double,
        answer: (inout MachineUnderTest, ClientRequest) throws -> Void
    ) throws -> [String: [Double]] {
        let start = client.now
        var times: [String: [Double]] = [:]
        var count = 0
        while client.now < start + seconds, count < 10_000 {
            if let request = client.requests.first?.request {
                times[request.target, default: []].append(client.now - start)
                try answer(&client, request)
                count += 1
            } else {
                client.pass(seconds: 0.05)
            }
        }
        return times
    }

    @Test func aStreamThatSaysHelloAndEndsIsOpenedAtGrowingIntervals() throws {
        var client = try MachineUnderTest()
        let times = try live(&client, seconds: 600) { client, _ in
            try client.openStream()
            try client.receive("hello", #"{"list":"l","version":3}"#)
            try client.cut(Self.events)
        }
        let streams = times[Self.events] ?? []
        #expect(streams.count < 25)
        let intervals = zip(streams.dropFirst(), streams).map { $0 - $1 }
        #expect(intervals.suffix(3).allSatisfy { 29...61 ~= $0 }, "\(intervals)")
    }

    /// A proxy can end each stream after some time. The next one begins soon.
    @Test func aStreamThatWasOpenForLongIsOpenedAgainAtOnce() throws {
        var client = try MachineUnderTest()
        for _ in 0..<10 {
            try client.openStream()
            for _ in 0..<4 {
                try client.receive("hello", #"{"list":"l","version":3}"#)
                client.pass(seconds: 15)
            }
            try client.cut(Self.events)
            client.pass(seconds: 0.5)
            #expect(client.request(Self.events) != nil)
        }
    }

    /// The proxy sends the requests to one or the other in turn. Both accept what is done, and neither is the list's past.
    @Test func twoStoresBehindOneAddressAreAskedAtGrowingIntervalsAndLoseNothing() throws {
        var client = try MachineUnderTest()
        client.make(["x", "y"])
        let epochs = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]
        var turn = 0
        var batches = 0
        let times = try live(&client, seconds: 600) { client, request in
            turn += 1
            let epoch = epochs[turn % 2]
            switch request.target {
            case Self.events:
                try client.openStream()
                try client.receive("refetch", "{}")
            case MachineUnderTest.batch:
                batches += 1
                // Never the one that the client has read last.
                let other = client.machine.local?.epoch == epochs[0] ? epochs[1] : epochs[0]
                let results = (client.batch ?? []).map { _ in #"{"status":200}"# }
                    .joined(separator: ",")
                try client.answer(
                    MachineUnderTest.batch, headers: ["etag": #""9-\#(other)""#],
                    body: #"{"version":9,"results":[\#(results)]}"#)
            default: try client.answer("/lists/l", body: document(epoch, 5 + turn % 2, epoch))
            }
        }
        #expect(client.machine.status.pending == 2 && client.refused.isEmpty)
        #expect(times.values.allSatisfy { $0.count < 100 }, "\(times.mapValues(\.count))")
        let ends = times.mapValues { times in times.count { $0 > 500 } }
        #expect(ends.values.allSatisfy { $0 < 20 }, "\(ends)")
        let shown = client.machine.local?.displayed.tasks.map(\.id).suffix(2)
        #expect(shown == ["x", "y"] && batches > 5)
    }
}
