import ReorderEngine
import ReorderJSON

/// The state machine that keeps a list in sync with the server: it decides when to send which
/// request, and interprets the responses.
///
/// It is a value without clock, threads or network. Events and times (in seconds, from any origin)
/// are passed in; the requests to start are in `effects`. An app runs it with a real network, and
/// tests run twenty of them over a simulated one.
///
/// Reading and writing are independent, with at most one active request each. Reading fetches the
/// document if needed, then uses the event stream, or long polls if streams fail. Writing sends what
/// waits until it gets an answer. `Answer` says what an answer means.
package struct SyncMachine: Sendable {
    /// A task for the runner. Requests have numbers, which identify their events.
    package enum Effect: Sendable {
        /// - isWrite: whether everything in the outbox must be synced first.
        case start(Int, ClientRequest, isWrite: Bool)
        case cancel(Int)
        /// Most of the outbox is history: rewrite it without blocking calls of the app.
        case rewriteFile
    }

    let list: String
    let client: String
    /// The author of this client, as the last `hello` had it; nil if the server did not say.
    var author: String?
    package private(set) var local: LocalList?
    /// Whether the person sees the subtasks of a task hidden; nil: all tasks are seen as stored.
    private(set) var folds: [TaskID: Bool]?
    /// The displayed list as the person sees it; nil without folds.
    private var folded: ReorderableList?
    /// The runner takes these after each call.
    private(set) var effects: [Effect] = []
    /// The rows that changed since they were last taken.
    private(set) var touched = TouchedRows.operations([])
    /// The tasks that pending operations name.
    private(set) var waiting = WaitingTasks()
    /// The refusals that the app has not acknowledged yet, oldest first.
    package private(set) var refusals: [Refused] = [] {
        didSet {
            refusalChanges += 1
            hasNews = true
        }
    }
    /// How often the refusals have changed, so far.
    package private(set) var refusalChanges = 0
    /// Whether the refusals or the drags have changed since this was last taken.
    private var hasNews = false
    private(set) var connection = ConnectionStatus.connecting
    /// Why the last request failed; nil if it succeeded.
    var problem: ConnectionProblem?
    /// Why the server does not accept changes with this token; nil if it does.
    var lock: ConnectionProblem?
    /// The time at which the server last confirmed the version of the list.
    var heardAt: Double?

    var outbox: Outbox
    var random: any RandomNumberGenerator & Sendable
    var reading = RequestState.waiting(until: 0)
    var writing = RequestState.waiting(until: 0)
    var readingBackoff = Backoff()
    var writingBackoff = Backoff()
    /// Counts the reads that were answered early and brought nothing new.
    var idleReads = Backoff()
    /// The base can't apply a change, so the document must be fetched.
    var needsDocument = false
    /// The time until which the client polls, because streams fail.
    var pollsUntil = 0.0
    var silentStreams = 0
    private var nextRequest = 0
    private(set) var isStopped = false
    /// Whether the list has no server: its operations are final at once.
    let isLocal: Bool
    /// The drags of other clients, by their ids.
    var drags: [String: OtherDrag] = [:] { didSet { hasNews = true } }
    /// The last steps that were taken over from an inbox, so that the app can undo its own ones.
    var adopted: [AppliedStep] = []
    /// The number of times, so far, that what waits could not be sent.
    var writingFailures = 0
    /// The number of times, so far, that the list could not be read.
    var readingFailures = 0
    /// The maximum number of steps in the next batch, after the server has rejected a longer one.
    var maximumSteps = Int.max

    /// Restores the state from the storage.
    ///
    /// - Parameter newClient: the client id to use if the storage has none.
    package init(
        list: String, storage: any OutboxStorage, newClient: String,
        random: any RandomNumberGenerator & Sendable
    ) throws {
        self.list = list
        self.random = random
        var (outbox, records) = try Outbox.open(storage)
        let state = RecordedState(records)
        isLocal = false
        client = state.client ?? newClient
        local = state.copy.map { LocalList($0) }
        refusals = state.refusals.suffix(Self.maximumRefusals)
        if state.client == nil { try outbox.append(.client(newClient)) }
        self.outbox = outbox
        _ = waiting.follow(local?.pending[...] ?? [])
    }

    /// A list without a server, in memory.
    ///
    /// - Parameter content: nil: the list does not exist.
    init(local content: ReorderableList?, list: String, storage: any OutboxStorage) throws {
        (self.list, client, random, isLocal) = (list, "", SystemRandomNumberGenerator(), true)
        outbox = try Outbox.open(storage).outbox
        local = content.map { LocalList(base: $0, at: SyncPoint(version: 1)) }
        connection = content == nil ? .gone : .online
        reading = .waiting(until: .infinity)
        writing = .waiting(until: .infinity)
    }

    // MARK: For the runner

    /// Returns and clears the effects.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// Returns and clears the changed rows.
    package mutating func takeTouched() -> TouchedRows {
        defer { touched = .operations([]) }
        return touched
    }

    /// Returns whether the refusals or the drags of others have changed since this was last called.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    mutating func request(_ effect: Effect) { effects.append(effect) }

    /// Cancels the active requests and starts no more.
    package mutating func stop() {
        isStopped = true
        for active in [reading.active, writing.active] {
            if let active { cancel(active) }
        }
        reading = .waiting(until: .infinity)
        writing = .waiting(until: .infinity)
        connection = .offline
    }

    // MARK: For the machine's extensions

    mutating func change(_ body: (inout LocalList) -> TouchedRows) {
        guard var local else { return }
        self.local = nil
        touched.add(body(&local))
        touched.add(waiting.follow(local.pending[...]))
        self.local = local
        fold()
    }

    mutating func begin(with local: LocalList) {
        self.local = local
        touched = .all
        _ = waiting.follow(local.pending[...])
        fold()
    }

    // MARK: Folds

    /// The list as the person sees it: the displayed list, with the folds of the person. O(1).
    var shown: ReorderableList? { folds == nil ? local?.displayed : folded }

    /// The same; an empty list if the list is not loaded.
    var newest: ReorderableList { shown ?? ReorderableList(settings: ListSettings(title: "")) }

    /// Sets the folds of the person. O(k log n) for k folds; later changes of the list also cost that.
    mutating func fold(_ folds: [TaskID: Bool]) {
        guard folds != self.folds else { return }
        let before = self.folds ?? [:]
        let changed = Set(before.keys).union(folds.keys).filter { before[$0] != folds[$0] }
        touched.add(changed.map { ListOperation.collapse(task: $0, collapsed: true) })
        self.folds = folds
        fold()
    }

    private mutating func fold() {
        guard let folds else { return }
        folded = local?.displayed
        folded?.fold(folds)
    }

    mutating func setConnection(_ status: ConnectionStatus) {
        // Without the server, nothing says that the list exists again.
        connection = status == .offline && connection == .gone ? .gone : status
        if status == .online { problem = nil }
    }

    /// Whether no operation waits for an answer.
    var isSettled: Bool { local?.waitingCount ?? 0 == 0 }

    /// Whether the outbox has nothing that is worth keeping.
    var isEmpty: Bool { local == nil && refusals.isEmpty }

    /// The state of the synchronization. The version is 0 until the list is loaded.
    var status: ListStatus {
        let isLocked = lock != nil && (connection == .online || connection == .connecting)
        return ListStatus(
            connection: isLocked ? .unauthorized : connection,
            pending: local?.waitingCount ?? 0, version: local?.version ?? 0,
            problem: isLocked ? lock : problem)
    }

    // MARK: Refusals

    /// The maximum number of unacknowledged refusals; beyond it the oldest are dropped.
    private static let maximumRefusals = 10_000

    /// Stores refusals until they are acknowledged. A refusal that is known already is skipped: the
    /// app ended before it removed the operation, and the operation was sent again.
    mutating func refuse(_ refused: [Refused]) {
        let known = Set(refusals.map(\.id))
        for refusal in refused where !known.contains(refusal.id) {
            refusals.append(refusal)
            appendRecord(.refused(refusal.json()))
        }
        refusals.removeFirst(max(0, refusals.count - Self.maximumRefusals))
    }

    /// Removes refusals that the app has handled. O(refusals).
    mutating func acknowledge(_ ids: Set<String>) {
        let known = refusals.map(\.id).filter(ids.contains)
        guard !known.isEmpty else { return }
        refusals.removeAll { ids.contains($0.id) }
        guard !refusals.isEmpty else { return appendRecord(.allAcknowledged) }
        for id in known { appendRecord(.acknowledged(id)) }
    }

    mutating func start(
        _ content: ActiveRequest.Content, _ request: ClientRequest, at now: Double,
        isWrite: Bool = false
    ) -> RequestState {
        nextRequest += 1
        effects.append(.start(nextRequest, request, isWrite: isWrite))
        return .active(
            ActiveRequest(
                id: nextRequest, content, timeoutSeconds: request.timeoutSeconds, at: now))
    }

    mutating func cancel(_ active: ActiveRequest) { effects.append(.cancel(active.id)) }
}
