import Synchronization
import Testing

@testable import MicroHTTP

@Suite(.serialized) struct StreamTests {
    let tape = EventSourceStub()

    @Test func aStreamSendsItsEventsAndEnds() throws {
        try withServer(tape.router()) { port, _ in
            for target in ["/tape", "/late"] {
                let (client, head) = try RawClient.open(target, port: port)
                #expect(head.status == 200)
                #expect(head["Transfer-Encoding"] == "chunked")
                #expect(head["Connection"] == "close")
                #expect(head["Content-Type"] == "text/plain")
                if target == "/tape" {
                    tape.append("one\n")
                    #expect(try client.read(until: "one\n\r\n") == "00000004\r\none\n\r\n")
                    tape.append("two\n")
                    #expect(try client.read(until: "two\n\r\n") == "00000004\r\ntwo\n\r\n")
                    tape.finish()
                    #expect(client.readToEnd() == "0\r\n\r\n")
                } else {
                    #expect(client.readToEnd().hasSuffix("two\n\r\n0\r\n\r\n"))
                }
            }
            tape.waitUntilOpen(0)
        }
    }

    @Test func anHTTP10StreamEndsWithItsConnection() throws {
        try withServer(tape.router()) { port, _ in
            let (client, head) = try RawClient.open("/tape", port: port, version: "1.0")
            #expect(head["Transfer-Encoding"] == nil)
            tape.append("one\n")
            #expect(try client.read(until: "\n") == "one\n")
            tape.finish()
            #expect(client.readToEnd() == "")
        }
    }

    @Test func aHeadRequestOpensNoStream() throws {
        try withServer(tape.router()) { port, _ in
            tape.append("one\n")
            let client = try RawClient(port: port)
            let head = try client.get("/tape", method: "HEAD")
            #expect(head.status == 200)
            tape.waitUntilOpen(0)
            #expect(client.readToEnd() == "")
        }
    }

    @Test func requestsAreServedWhileStreamsAreOpen() throws {
        try withServer(threadCount: 1, tape.router()) { port, _ in
            let streams = try (0..<20).map { _ in try RawClient.open("/tape", port: port).client }
            let client = try RawClient(port: port)
            for number in 0..<100 {
                tape.append("\(number)\n")
                #expect(try client.get("/lists/a").body == "list a")
            }
            for stream in streams { _ = try stream.read(until: "\n99\n") }
        }
    }

    @Test func noEventIsMissedOrRepeatedUnderLoad() throws {
        try withServer(tape.router()) { port, _ in
            let clients = try (0..<100).map { _ in try RawClient.open("/tape", port: port).client }
            let perThread = 300
            let threads = (0..<4).compactMap { thread in
                LoopThread { for number in 0..<perThread { tape.append("\(thread).\(number)\n") } }
            }
            for thread in threads { thread.join() }
            tape.finish()
            let texts = clients.map { client in
                client.readToEnd().split(separator: "\r\n").filter { $0.hasSuffix("\n") }.joined()
            }
            #expect(Set(texts).count == 1)
            let lines = (texts.first ?? "").split(separator: "\n")
            #expect(lines.count == 4 * perThread)
            #expect(Set(lines).count == lines.count)
            tape.waitUntilOpen(0)
        }
    }

    @Test func stoppingSendsTheLastEventOnEveryStream() throws {
        try withServer(tape.router()) { port, server in
            let clients = try (0..<100).map { _ in try RawClient.open("/tape", port: port).client }
            tape.waitUntilOpen(clients.count)
            tape.append("one\n")
            server.stop(graceSeconds: 60)
            for client in clients {
                let text = client.readToEnd()
                #expect(text.hasPrefix("00000004\r\none\n\r\n"))
                #expect(text.hasSuffix("00000004\r\nbye\n\r\n0\r\n\r\n"))
            }
            tape.waitUntilOpen(0)
        }
    }

    @Test func stoppingDoesNotWaitForAClientThatDoesNotRead() throws {
        try withServer(tape.router()) { port, server in
            let (client, _) = try RawClient.open("/tape", port: port)
            for _ in 0..<200 { tape.append(String(repeating: "x", count: 64 << 10)) }
            server.stop(graceSeconds: 0.1)
            tape.waitUntilOpen(0)
            withExtendedLifetime(client) {}
        }
    }

    @Test func aDisconnectedClientIsDetectedImmediately() throws {
        try withServer(tape.router()) { port, _ in
            var clients = try (0..<10).map { _ in try RawClient.open("/tape", port: port).client }
            tape.waitUntilOpen(10)
            clients.removeLast(4)
            tape.waitUntilOpen(6)
            clients[0].finishSending()
            tape.waitUntilOpen(5)
            tape.append("on\n")
            for client in clients[1...] { _ = try client.read(until: "on\n") }
        }
    }

    @Test func aClientThatDoesNotReadIsDisconnectedAndOthersContinue() throws {
        try withServer(threadCount: 1, tape.router(), configure: { $0.heartbeatSeconds = 0.5 }) {
            port, _ in
            let (slow, _) = try RawClient.open("/tape", port: port, receiveBufferBytes: 4 << 10)
            // A piece fits what the system keeps for a reader: so this one never keeps the server
            // waiting, however long it takes for each.
            let (quick, _) = try RawClient.open("/tape", port: port, receiveBufferBytes: 256 << 10)
            tape.waitUntilOpen(2)
            for number in 0..<60 {
                tape.append("\(number)\n" + String(repeating: "x", count: 16 << 10))
                _ = try quick.read(until: "\(number)\n")
            }
            tape.waitUntilOpen(1)
            tape.append("still here\n")
            _ = try quick.read(until: "still here\n")
            #expect(!slow.readToEnd().contains("still here"))
        }
    }

    @Test func aQuietStreamGetsHeartbeats() throws {
        try withServer(tape.router(), configure: { $0.heartbeatSeconds = 0.05 }) { port, _ in
            let (client, _) = try RawClient.open("/tape", port: port)
            for _ in 0..<3 { #expect(try client.read(until: ": \n\n").hasSuffix("4\r\n: \n\n")) }
            tape.append("one\n")
            _ = try client.read(until: "one\n")
        }
    }

    @Test func aStreamOpenedDuringTheStopSendsItsLastEvent() throws {
        let shelf = HeldResponders()
        let router = tape.router()
        router.on(.get, "/shelf") { shelf.put($0, $1) }
        let stream = tape.stream()
        try withServer(router) { port, server in
            let client = try RawClient(port: port)
            client.send("GET /shelf HTTP/1.1\r\nHost: a\r\n\r\n")
            let held = shelf.take(1)
            let stopping = LoopThread { server.stop(graceSeconds: 60) }
            while (try? RawClient(port: port)) != nil {}
            held[0].1.respond(Response(status: 200, headers: [:], stream: stream))
            #expect(try client.readHead().status == 200)
            #expect(client.readToEnd() == "00000004\r\nbye\n\r\n0\r\n\r\n")
            stopping?.join()
        }
    }
}

@Suite(.serialized) struct ExchangeTimeoutTests {
    @Test func aTimeoutFiresIfThereIsNoResponse() throws {
        let router = Router()
        router.on(.get, "/") { _, responder in
            responder.after(seconds: 0.01) { responder.respond(.text("late")) }
        }
        router.on(.get, "/early") { _, responder in
            responder.after(seconds: 3600) { responder.respond(.text("late")) }
            responder.respond(.text("early"))
        }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            for _ in 0..<20 {
                #expect(try client.get("/").body == "late")
                #expect(try client.get("/early").body == "early")
            }
        }
    }

    @Test func stoppingFiresAllTimeouts() throws {
        let shelf = HeldResponders()
        try withServer(shelf.router()) { port, server in
            let clients = try (0..<20).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /late/a HTTP/1.1\r\nHost: a\r\n\r\n") }
            for (_, responder) in shelf.take(clients.count) {
                responder.after(seconds: 3600) { responder.respond(.text("stopping")) }
            }
            server.stop(graceSeconds: 60)
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
