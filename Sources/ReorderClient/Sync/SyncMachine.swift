import ReorderEngine
import ReorderJSON

/// Keeps a list the same as the server's: decides what to send when, and what an answer means.
///
/// A value without clock, threads or network: it is told what happened and at what time (in seconds
/// from anywhere), and what it wants done is in `actions`. So one program runs it in an app, and
/// another runs twenty of them through a bad day in a second.
///
/// Two sides, each with at most one request at a time. Reading: the document where it is needed, then
/// the stream of events, or the long poll where no stream gets through. Writing: one batch, again and
/// again until it is answered.
struct SyncMachine: Sendable {
    /// What is to be done. Requests have numbers, under which their events are told.
    enum Action: Sendable {
        /// - isWrite: whatever was added to the journal must be on the disk first.
        case start(Int, ClientRequest, isWrite: Bool)
        case cancel(Int)
    }

    let list: String
    let client: String
    private(set) var model: ListModel?
    /// To be taken by whoever runs the machine, after each call.
    private(set) var actions: [Action] = []
    /// The rows that changed since they were last taken.
    private(set) var touched = TouchedRows.operations([])
    /// What the server refused and nobody was told of yet, the oldest first.
    private(set) var refusals: [WaitingRefusal] = []
    private(set) var connection = ConnectionStatus.connecting

    var journal: Journal
    var random: any RandomNumberGenerator & Sendable
    var reading = Reading.waiting(until: 0)
    var writing = Writing.waiting(until: 0)
    var readingBackOff = BackOff()
    var writingBackOff = BackOff()
    /// The base can't take a change: the document is needed.
    var needsDocument = false
    /// No stream gets through: polls until then.
    var pollsUntil = 0.0
    var silentStreams = 0
    private var nextRequest = 0
    private(set) var isStopped = false

    enum Reading: Sendable {
        case waiting(until: Double)
        case document(Exchange)
        case changes(Exchange)
        case events(Exchange, EventStreamParser)
    }

    enum Writing: Sendable {
        case waiting(until: Double)
        case batch(Exchange)
    }

    /// A request under way, and what came of it so far.
    struct Exchange: Sendable {
        let id: Int
        var deadline: Double
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Of a stream: whether anything came at all.
        var hasBytes = false
    }

    /// Opens what the storage holds.
    ///
    /// - Parameter newClient: the client's name where the storage has none yet.
    init(
        list: String, storage: any JournalStorage, newClient: String,
        random: any RandomNumberGenerator & Sendable
    ) throws {
        self.list = list
        self.random = random
        var (journal, records) = try Journal.open(storage)
        var client: String?
        var model: ListModel?
        var refusals: [WaitingRefusal] = []
        for record in records {
            // What can't be read any more makes the rest of the server's part void, not the queue.
            switch record {
            case .client(let id): client = id
            case .document(let json):
                guard let document = try? Self.document(json) else { continue }
                let (list, place) = (document.list, document.place)
                if model == nil {
                    model = ListModel(base: list, at: place)
                } else {
                    _ = model?.replaceBase(list, at: place)
                }
            case .change(let json):
                guard let change = try? ChangeDocument(json: json) else { continue }
                _ = model?.receive([change], client: client ?? "")
            case .operation(let json):
                guard let operation = try? PendingOperation(json: json) else { continue }
                model?.restore(operation)
            case .sent(let count, let isInBase):
                _ = model?.begin(.init(count: count, isInBase: isInBase))
            case .settled(let count): _ = model?.settle(count)
            case .refused(let json):
                if let refusal = try? WaitingRefusal(json: json) { refusals.append(refusal) }
            case .told: refusals = []
            }
        }
        self.client = client ?? newClient
        self.model = model
        self.refusals = refusals.suffix(Self.mostRefusals)
        if client == nil { try journal.add(.client(newClient), to: { [] }) }
        self.journal = journal
    }

    /// The list of a document, and where it stands.
    static func document(_ json: [UInt8]) throws -> (list: ReorderableList, place: ListPlace) {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        var place = ListPlace(version: 0)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": place.version = try reader.readCount()
            case "epoch": place.epoch = try reader.readString()
            default: break
            }
        }
        return (try ListDocument(json: json).makeList(), place)
    }

    /// The list and version of a document.
    static func list(_ json: [UInt8]) throws -> (ReorderableList, version: Int) {
        let document = try document(json)
        return (document.list, document.place.version)
    }

    /// The records that stand for all that is known.
    var state: [JournalRecord] {
        var records = [JournalRecord.client(client)]
        guard let model else { return records }
        records.append(
            .document(
                ListDocument.json(
                    id: list, version: model.version, epoch: model.epoch, of: model.base)))
        for operation in model.pending { records.append(.operation(Self.json(operation))) }
        if let batch = model.batch {
            records.append(.sent(count: batch.count, isInBase: batch.isInBase))
        }
        for refusal in refusals { records.append(.refused(refusal.json())) }
        return records
    }

    static func json(_ operation: PendingOperation) -> [UInt8] {
        var writer = JSONWriter()
        writer.operation(operation)
        return writer.bytes
    }

    // MARK: For who runs it

    /// Takes what is to be done.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// Takes the rows that changed.
    mutating func takeTouched() -> TouchedRows {
        defer { touched = .operations([]) }
        return touched
    }

    /// Forgets `waitingRefusals`: somebody was told of all of them.
    mutating func refusalsWereTold() {
        guard !refusals.isEmpty else { return }
        refusals = []
        note(.told)
    }

    /// Ends whatever is under way. Nothing more is started.
    mutating func stop() {
        isStopped = true
        for id in [readingRequest, writingRequest] {
            if let id { actions.append(.cancel(id)) }
        }
        reading = .waiting(until: .infinity)
        writing = .waiting(until: .infinity)
        connection = .offline
    }

    /// Tries again at once: the device has a network again, or the app came to the front.
    mutating func retryNow(at now: Double) {
        guard !isStopped else { return }
        if case .waiting = reading { reading = .waiting(until: now) }
        if case .waiting = writing { writing = .waiting(until: now) }
        pollsUntil = 0
        advance(to: now)
    }

    // MARK: For the parts of the machine

    mutating func change(_ body: (inout ListModel) -> TouchedRows) {
        guard var model else { return }
        self.model = nil
        defer { self.model = model }
        touched.add(body(&model))
    }

    mutating func note(_ record: JournalRecord) {
        let current = self
        journal.note(record, of: { current.state })
    }

    mutating func begin(with model: ListModel) {
        self.model = model
        touched = .all
    }

    mutating func setConnection(_ status: ConnectionStatus) { connection = status }

    /// Keeps refusals until somebody is told. One that is known already comes from an operation that
    /// was sent again, because the app ended between this and the operation's removal.
    mutating func refuse(_ refused: [WaitingRefusal]) {
        let known = Set(refusals.map(\.operation.id))
        for refusal in refused where !known.contains(refusal.operation.id) {
            refusals.append(refusal)
            note(.refused(refusal.json()))
        }
        refusals.removeFirst(max(0, refusals.count - Self.mostRefusals))
    }

    mutating func start(
        _ request: ClientRequest, at now: Double, isWrite: Bool = false
    ) -> Exchange {
        nextRequest += 1
        actions.append(.start(nextRequest, request, isWrite: isWrite))
        return Exchange(id: nextRequest, deadline: now + request.timeoutSeconds)
    }

    mutating func cancel(_ exchange: Exchange) { actions.append(.cancel(exchange.id)) }

    var readingRequest: Int? {
        switch reading {
        case .waiting: nil
        case .document(let exchange), .changes(let exchange), .events(let exchange, _): exchange.id
        }
    }

    var writingRequest: Int? {
        if case .batch(let exchange) = writing { return exchange.id }
        return nil
    }
}

extension TouchedRows {
    mutating func add(_ other: TouchedRows) {
        switch other {
        case .operations(let operations): add(operations)
        case .all: self = .all
        }
    }
}
