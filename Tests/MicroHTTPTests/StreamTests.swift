import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

@Suite(.serialized) struct StreamTests {
    let source = EventSourceStub()

    @Test func aStreamSendsItsEventsAndEnds() throws {
        try withServer(source.router()) { port, _ in
            for target in ["/source", "/late"] {
                let (client, head) = try RawClient.open(target, port: port)
                #expect(head.status == 200)
                #expect(head["Transfer-Encoding"] == "chunked")
                #expect(head["Connection"] == "close")
                #expect(head["Content-Type"] == "text/plain")
                if target == "/source" {
                    source.append("one\n")
                    #expect(try client.read(until: "one\n\r\n") == "00000004\r\none\n\r\n")
                    source.append("two\n")
                    #expect(try client.read(until: "two\n\r\n") == "00000004\r\ntwo\n\r\n")
                    source.finish()
                    #expect(client.readToEnd() == "0\r\n\r\n")
                } else {
                    #expect(client.readToEnd().hasSuffix("two\n\r\n0\r\n\r\n"))
                }
            }
            try source.waitUntilOpen(0)
        }
    }

    /// So news costs the same for any number of streams, and nothing for a loop without them.
    @Test func aLoopWatchesATopicOnceWhileItHasStreams() throws {
        try withServer(threadCount: 2, source.router()) { port, _ in
            #expect(source.watchCount == 0)
            let clients = try (0..<20).map { _ in try RawClient.open("/source", port: port).client
            }
            source.append("one\n")
            for client in clients { _ = try client.read(until: "one\n") }
            #expect((1...2).contains(source.watchCount))
            source.finish()
            for client in clients { _ = client.readToEnd() }
            try waitUntil { source.watchCount == 0 }
        }
    }

    @Test func anHTTP10StreamEndsWithItsConnection() throws {
        try withServer(source.router()) { port, _ in
            let (client, head) = try RawClient.open("/source", port: port, version: "1.0")
            #expect(head["Transfer-Encoding"] == nil)
            source.append("one\n")
            #expect(try client.read(until: "\n") == "one\n")
            source.finish()
            #expect(client.readToEnd() == "")
        }
    }

    @Test func aHeadRequestOpensNoStream() throws {
        try withServer(source.router()) { port, _ in
            source.append("one\n")
            let client = try RawClient(port: port)
            let head = try client.get("/source", method: "HEAD")
            #expect(head.status == 200)
            try source.waitUntilOpen(0)
            #expect(client.readToEnd() == "")
        }
    }

    @Test func requestsAreServedWhileStreamsAreOpen() throws {
        try withServer(threadCount: 1, source.router()) { port, _ in
            let streams = try (0..<20).map { _ in try RawClient.open("/source", port: port).client }
            let client = try RawClient(port: port)
            for number in 0..<100 {
                source.append("\(number)\n")
                #expect(try client.get("/lists/a").body == "list a")
            }
            for stream in streams { _ = try stream.read(until: "\n99\n") }
        }
    }

    @Test func noEventIsMissedOrRepeatedUnderLoad() throws {
        try withServer(source.router()) { port, _ in
            let clients = try (0..<100).map { _ in try RawClient.open("/source", port: port).client
            }
            let perThread = 300
            let threads = (0..<4).compactMap { thread in
                LoopThread {
                    for number in 0..<perThread { source.append("\(thread).\(number)\n") }
                }
            }
            for thread in threads { thread.join() }
            source.finish()
            let texts = clients.map { client in
                client.readToEnd().split(separator: "\r\n").filter { $0.hasSuffix("\n") }.joined()
            }
            #expect(Set(texts).count == 1)
            let lines = (texts.first ?? "").split(separator: "\n")
            #expect(lines.count == 4 * perThread)
            #expect(Set(lines).count == lines.count)
            try source.waitUntilOpen(0)
        }
    }

    @Test func stoppingSendsTheLastEventOnEveryStream() throws {
        try withServer(source.router()) { port, server in
            let clients = try (0..<100).map { _ in try RawClient.open("/source", port: port).client
            }
            try source.waitUntilOpen(clients.count)
            source.append("one\n")
            server.stop(graceSeconds: hangSeconds)
            for client in clients {
                let text = client.readToEnd()
                #expect(text.hasPrefix("00000004\r\none\n\r\n"))
                #expect(text.hasSuffix("00000004\r\nbye\n\r\n0\r\n\r\n"))
            }
            try source.waitUntilOpen(0)
        }
    }

    @Test func stoppingDoesNotWaitForAClientThatDoesNotRead() throws {
        try withServer(source.router()) { port, server in
            let (client, _) = try RawClient.open("/source", port: port)
            for _ in 0..<200 { source.append(String(repeating: "x", count: 64 << 10)) }
            server.stop(graceSeconds: 0.1)
            try source.waitUntilOpen(0)
            withExtendedLifetime(client) {}
        }
    }

    @Test func aDisconnectedClientIsDetectedBeforeTheNextHeartbeat() throws {
        try withServer(source.router()) { port, _ in
            var clients = try (0..<10).map { _ in try RawClient.open("/source", port: port).client }
            try source.waitUntilOpen(10)
            clients.removeLast(4)
            try source.waitUntilOpen(6)
            clients[0].finishSending()
            try source.waitUntilOpen(5)
            source.append("on\n")
            for client in clients[1...] { _ = try client.read(until: "on\n") }
        }
    }

    @Test func aClientThatDoesNotReadIsDisconnectedAndOthersContinue() throws {
        let clock = TestClock()
        try withServer(threadCount: 1, clock: clock, source.router()) { port, _ in
            let (slow, _) = try RawClient.open("/source", port: port, receiveBufferBytes: 4 << 10)
            let (quick, _) = try RawClient.open("/source", port: port)
            try source.waitUntilOpen(2)
            for number in 0..<60 {
                source.append("\(number)\n" + String(repeating: "x", count: 16 << 10))
                _ = try quick.read(until: "\(number)\n")
            }
            let seconds = HTTPServerConfiguration().heartbeatSeconds
            try clock.advance(seconds: seconds - 1, port: port)
            #expect(source.open == 2)
            try clock.advance(seconds: 1, port: port)
            #expect(source.open == 1)
            source.append("still here\n")
            _ = try quick.read(until: "still here\n")
            #expect(!slow.readToEnd().contains("still here"))
        }
    }

    @Test func aQuietStreamGetsHeartbeats() throws {
        let clock = TestClock()
        try withServer(threadCount: 1, clock: clock, source.router()) { port, _ in
            let (client, _) = try RawClient.open("/source", port: port)
            for _ in 0..<3 {
                try clock.advance(seconds: 14, port: port)
                #expect(!client.hasData())
                try clock.advance(seconds: 1, port: port)
                #expect(try client.read(until: "\n\n\r\n") == "00000004\r\n: \n\n\r\n")
            }
            source.append("one\n")
            _ = try client.read(until: "one\n")
        }
    }

    @Test func aStreamOpenedDuringTheStopSendsItsLastEvent() throws {
        let responders = HeldResponders()
        let router = source.router()
        router.on(.get, "/responders") { responders.put($0, $1) }
        let stream = source.stream()
        try withServer(router) { port, server in
            let client = try RawClient(port: port)
            client.send("GET /responders HTTP/1.1\r\nHost: a\r\n\r\n")
            let held = try responders.take(1)
            let stopping = LoopThread { server.stop(graceSeconds: hangSeconds) }
            try waitUntil { (try? RawClient(port: port)) == nil }
            held[0].1.respond(Response(status: 200, headers: [:], stream: stream))
            #expect(try client.readHead().status == 200)
            #expect(client.readToEnd() == "00000004\r\nbye\n\r\n0\r\n\r\n")
            stopping?.join()
        }
    }
}

@Suite(.serialized) struct ExchangeTimeoutTests {
    @Test func aTimeoutFiresIfThereIsNoResponse() throws {
        let router = Router.echo()
        router.on(.get, "/late") { _, responder in
            responder.after(seconds: 10) { responder.respond(.text("late")) }
        }
        router.on(.get, "/early") { _, responder in
            responder.after(seconds: 10) { responder.respond(.text("late")) }
            responder.respond(.text("early"))
        }
        let clock = TestClock()
        try withServer(threadCount: 1, clock: clock, router) { port, _ in
            let client = try RawClient(port: port)
            for _ in 0..<20 {
                client.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
                try clock.advance(port: port)
                try clock.advance(seconds: 9, port: port)
                #expect(!client.hasData())
                try clock.advance(seconds: 1, port: port)
                #expect(try client.readAnswer().body == "late")
                #expect(try client.get("/early").body == "early")
            }
        }
    }

    @Test func stoppingFiresAllTimeouts() throws {
        let responders = HeldResponders()
        try withServer(responders.router()) { port, server in
            let clients = try (0..<20).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            for (_, responder) in try responders.take(clients.count) {
                responder.after(seconds: 3600) { responder.respond(.text("stopping")) }
            }
            server.stop(graceSeconds: hangSeconds)
            for client in clients { #expect(try client.readAnswer().body == "stopping") }
        }
    }

    @Test func deadlinesExpireInOrder() {
        final class Time: Timed {
            var deadline = 0
            var deadlinePlace = -1
            init(_ deadline: Int) { self.deadline = deadline }
            func deadlinePassed(at _: Int) {}
        }
        let queue = DeadlineQueue()
        let times = (0..<200).map { Time($0 * 7919 % 200) }
        for time in times { queue.insert(time) }
        for time in times where time.deadline % 3 == 0 { queue.remove(time) }
        for time in times where time.deadline % 3 == 0 { queue.remove(time) }
        var passed: [Int] = []
        while let time = queue.popPassed(at: 150) { passed.append(time.deadline) }
        #expect(passed == (0...150).filter { $0 % 3 != 0 })
        #expect(queue.first == 151)
    }
}
