import ReorderJSON

/// The state that the records of a file lead to.
struct RecordedState {
    private(set) var client: String?
    /// nil: the list was never fetched.
    private(set) var copy: ListCopy?
    private(set) var refusals: [Refused] = []
    /// Changes and removed operations that are not in `copy` yet: many are applied together, because each pass costs O(operations).
    private var changes: [ChangeDocument] = []
    private var removed: Set<String> = []
    /// The versions of answers that are not in `copy` yet.
    private var answered: [String: Int] = [:]

    /// O(records). Unreadable records of the server's state are skipped; the operations are kept.
    init(_ records: [OutboxRecord]) {
        var acknowledged: Set<String> = []
        for record in records {
            switch record {
            case .change, .operation, .removed, .answered, .refused: break
            default: update()
            }
            switch record {
            case .client(let id): client = id
            case .document(let json): replaceDocument(json)
            case .change(let json):
                if !removed.isEmpty || !answered.isEmpty { update() }
                if let change = try? ChangeDocument(json: json) { changes.append(change) }
            case .operation(let json):
                if let operation = try? PendingOperation(json: json) { copy?.add(operation) }
            case .sent: break
            case .settled(let count): copy?.removeFirst(count)
            case .answered(let id, let version): answered[id] = version
            case .unanswered: _ = copy?.forgetAnswers()
            case .removed(let id): removed.insert(id)
            case .discarded: copy?.discardWaiting()
            case .refused(let json):
                if let refusal = try? Refused(json: json) { refusals.append(refusal) }
            case .acknowledged(let id): acknowledged.insert(id)
            case .allAcknowledged: refusals = []
            }
        }
        update()
        refusals.removeAll { acknowledged.contains($0.id) }
    }

    private mutating func update() {
        if !changes.isEmpty { _ = copy?.receive(changes) }
        if !removed.isEmpty { copy?.remove(removed) }
        if !answered.isEmpty { copy?.answer(answered) }
        (changes, removed, answered) = ([], [], [:])
    }

    private mutating func replaceDocument(_ json: [UInt8]) {
        guard let (list, syncPoint) = try? SyncMachine.document(json) else { return }
        if copy == nil {
            copy = ListCopy(base: list, at: syncPoint)
        } else {
            _ = copy?.replaceBase(list, at: syncPoint)
        }
    }
}
