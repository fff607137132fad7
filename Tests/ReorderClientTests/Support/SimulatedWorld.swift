import Foundation
import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// Devices, a network and a server in simulated time: everything follows from the seed.
final class SimulatedWorld {
    /// The network's faults: probabilities in percent.
    struct Weather {
        var seconds: ClosedRange<Double>
        var lostRequest = 0
        var lostAnswer = 0
        var repeatedRequest = 0
        var silence = 0
        var cutStream = 0

        static let fine = Weather(seconds: 0.01...0.05)
        static let bad = Weather(
            seconds: 0.005...2, lostRequest: 10, lostAnswer: 10, repeatedRequest: 10, silence: 3,
            cutStream: 3)
    }

    private enum Event {
        case wake(client: Int, life: Int)
        case arrive(client: Int, life: Int, Int, ClientRequest)
        case tell(client: Int, life: Int, Int, TransportEvent)
        case heartbeat(stream: Int)
        case perform(() throws -> Void)
    }

    private struct Stream {
        let client: Int
        let life: Int
        let request: Int
        var sent: Int
        var lastArrival: Double
        /// The peer is gone without closing the connection.
        var isSilent = false
        /// The stream has reported that the history was pruned.
        var isOver = false
    }

    let server: SimulatedServer
    var clients: [SimulatedClient]
    var weather = Weather.fine
    /// No request is answered before this time.
    var serverDownUntil = 0.0
    private(set) var now = 0.0
    private(set) var serverStarts = 1
    private(set) var repeatedRequests = 0
    private(set) var lostAnswers = 0
    var random: SeededGenerator
    private var events = EventQueue<Event>()
    private var streams: [Int: Stream] = [:]
    private var cancelled: Set<[Int]> = []
    private var lastStream = 0

    init(clients names: [String], seed: UInt64, list: ReorderableList) throws {
        random = SeededGenerator(seed: seed)
        server = try SimulatedServer(list)
        clients = []
        for name in names { clients.append(try SimulatedClient(name: name, seed: random.next())) }
        for client in clients.indices { update(client) { $0.machine.advance(to: 0) } }
    }

    /// Schedules an action.
    func plan(at time: Double, _ body: @escaping () throws -> Void) {
        events.add(.perform(body), at: time)
    }

    /// Lets time pass until the given time, or until the condition holds.
    func run(until time: Double, orUntil isEnough: () -> Bool = { false }) throws {
        while now < time, !isEnough(), let (moment, event) = events.next() {
            now = max(now, moment)
            try happen(event)
        }
    }

    /// Updates a device, then executes its machine's effects.
    func update<Value>(_ client: Int, _ body: (inout SimulatedClient) throws -> Value) rethrows
        -> Value
    {
        let value = try body(&clients[client])
        let life = clients[client].life
        for action in clients[client].takeEffects() {
            switch action {
            case .start(let id, let request, let isWrite):
                if isWrite { try? clients[client].storage.sync() }
                start(request, id, of: client)
            case .cancel(let id):
                cancelled.insert([client, life, id])
                streams = streams.filter { $1.client != client || $1.request != id }
            }
        }
        if let deadline = clients[client].machine.nextDeadline, deadline.isFinite {
            let moment = max(now, deadline)
            // Only one wake-up at a time: otherwise each would schedule another, without end.
            if clients[client].wakesAt != moment {
                clients[client].wakesAt = moment
                events.add(.wake(client: client, life: life), at: moment)
            }
        }
        return value
    }

    /// The device crashes and restarts immediately.
    func end(_ client: Int) throws {
        streams = streams.filter { $1.client != client }
        try update(client) { try $0.end(&random) }
        update(client) { $0.machine.advance(to: now) }
    }

    func restartServer(downSeconds: Double) throws {
        try server.restart()
        serverStarts += 1
        serverDownUntil = now + downSeconds
        for (id, stream) in streams where !stream.isSilent {
            tell(stream.client, stream.life, stream.request, .end(isComplete: false), delay())
            streams[id] = nil
        }
    }

    // MARK: The network

    private func delay() -> Double { Double.random(in: weather.seconds, using: &random) }

    private func start(_ request: ClientRequest, _ id: Int, of client: Int) {
        let life = clients[client].life
        guard now >= clients[client].offlineUntil, !random.chance(weather.lostRequest) else {
            if !random.chance(weather.silence) {
                tell(client, life, id, .end(isComplete: false), delay())
            }
            return
        }
        let copies = random.chance(weather.repeatedRequest) && request.method == "POST" ? 2 : 1
        repeatedRequests += copies - 1
        for _ in 0..<copies {
            events.add(
                .arrive(client: client, life: life, id, request), at: now + delay())
        }
    }

    private func tell(
        _ client: Int, _ life: Int, _ request: Int, _ event: TransportEvent, _ delay: Double
    ) {
        events.add(.tell(client: client, life: life, request, event), at: now + delay)
    }

    private func happen(_ event: Event) throws {
        switch event {
        case .wake(let client, let life):
            guard clients[client].life == life, clients[client].wakesAt == now else { return }
            clients[client].wakesAt = nil
            update(client) { $0.machine.advance(to: now) }
        case .arrive(let client, let life, let id, let request):
            try arrive(client, life, id, request)
        case .tell(let client, let life, let request, let event):
            guard clients[client].life == life, !cancelled.contains([client, life, request]) else {
                return
            }
            update(client) { $0.machine.receive(event, of: request, at: now) }
        case .heartbeat(let id):
            guard let stream = streams[id], !stream.isSilent else { return }
            send(Array(": \n\n".utf8), on: id)
            events.add(.heartbeat(stream: id), at: now + SyncMachine.heartbeatSeconds)
        case .perform(let body): try body()
        }
    }

    private func arrive(
        _ client: Int, _ life: Int, _ id: Int, _ request: ClientRequest
    ) throws {
        guard now >= serverDownUntil else {
            return tell(client, life, id, .end(isComplete: false), delay())
        }
        guard !request.target.hasSuffix("/events") else {
            return try open(client, life, id, request)
        }
        if random.chance(weather.silence) {
            tell(client, life, id, .head(status: 503, headers: ["retry-after": "1"]), 0.1)
            tell(client, life, id, .end(isComplete: true), 0.1)
            return
        }
        let answer = try server.answer(request)
        try updateStreams()
        guard !random.chance(weather.lostAnswer) else {
            lostAnswers += 1
            if !random.chance(weather.silence * 5) {
                tell(client, life, id, .end(isComplete: false), delay())
            }
            return
        }
        let delay = delay()
        tell(
            client, life, id,
            .head(status: answer.status, headers: ["content-type": "application/json"]), delay)
        tell(client, life, id, .bytes(answer.body), delay)
        tell(client, life, id, .end(isComplete: true), delay)
    }

    // MARK: Streams

    private func open(_ client: Int, _ life: Int, _ id: Int, _ request: ClientRequest) throws {
        let field = request.headers.first { $0.name == "Last-Event-ID" }?.value ?? ""
        #expect(field.hasSuffix(server.epochSuffix))
        let since = try #require(Int(field.prefix { $0 != "-" }))
        lastStream += 1
        streams[lastStream] = Stream(
            client: client, life: life, request: id, sent: since, lastArrival: now + delay())
        tell(
            client, life, id,
            .head(status: 200, headers: ["content-type": "text/event-stream"]),
            (streams[lastStream]?.lastArrival ?? now) - now)
        let hello = "retry: 500\nevent: hello\nid: \(since)\(server.epochSuffix)\ndata: {}\n\n"
        send(Array(hello.utf8), on: lastStream)
        events.add(.heartbeat(stream: lastStream), at: now + SyncMachine.heartbeatSeconds)
        try updateStreams()
    }

    /// Sends each stream the changes after its last one.
    func updateStreams() throws {
        let version = try server.snapshot().version
        for id in streams.keys.sorted() {
            guard let stream = streams[id], !stream.isOver, stream.sent < version else { continue }
            guard let changes = try server.changes(after: stream.sent) else {
                streams[id]?.isOver = true
                send(Array("event: refetch\ndata: {}\n\n".utf8), on: id)
                continue
            }
            var text: [UInt8] = []
            for change in changes {
                let id = "\(change.version)\(server.epochSuffix)"
                text += Array("event: change\nid: \(id)\ndata: ".utf8)
                text += change.bytes + Array("\n\n".utf8)
            }
            streams[id]?.sent = version
            send(text, on: id)
        }
    }

    private func send(_ bytes: [UInt8], on id: Int) {
        guard let stream = streams[id], !stream.isSilent else { return }
        if random.chance(weather.silence) {
            streams[id]?.isSilent = true
            return
        }
        let isCut = random.chance(weather.cutStream)
        var rest = bytes[...]
        if isCut { rest = rest.prefix(random.below(bytes.count)) }
        if now < clients[stream.client].offlineUntil { rest = [] }
        var arrival = stream.lastArrival
        while !rest.isEmpty {
            let piece = rest.prefix(random.chance(70) ? rest.count : 1 + random.below(rest.count))
            rest = rest.dropFirst(piece.count)
            arrival = max(arrival, now + delay())
            tell(
                stream.client, stream.life, stream.request, .bytes(Array(piece)), arrival - now)
        }
        streams[id]?.lastArrival = arrival
        guard isCut || now < clients[stream.client].offlineUntil else { return }
        tell(
            stream.client, stream.life, stream.request, .end(isComplete: false), arrival - now)
        streams[id] = nil
    }
}
