import MicroHTTP
import ReorderAPI
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService

/// One request, and what its handlers need.
final class CalendarRequest: Sendable {
    let request: Request
    let path: DAVPath
    let service: ListService
    /// nil if everything is allowed.
    let access: TokenAccess?
    let known: KnownLists

    init(
        _ request: Request, _ path: DAVPath, _ service: ListService, _ access: TokenAccess?,
        _ known: KnownLists
    ) {
        self.request = request
        self.path = path
        self.service = service
        self.access = access
        self.known = known
    }

    func begin() throws -> Job {
        switch (request.method, path) {
        case (.get, .task(let list, let name)), (.head, .task(let list, let name)):
            return try getTask(named: name, of: list)
        case (.get, _), (.head, _): return try getCollection()
        case (.put, .task(let list, let name)): return try putTask(named: name, of: list)
        case (.delete, .task(let list, let name)): return try deleteTask(named: name, of: list)
        case (.delete, .list(let list)): return try deleteList(list)
        case (.other("PROPFIND"), _): return try findProperties()
        case (.other("REPORT"), .list(let list)): return try report(on: list)
        case (.other("REPORT"), .principal), (.other("REPORT"), .root):
            return try reportPrincipals()
        case (.other("PROPPATCH"), _): return try setProperties()
        case (.other("MKCALENDAR"), .list(let list)):
            return try createList(list, isCalendar: true)
        case (.other("MKCOL"), .list(let list)): return try createList(list, isCalendar: false)
        case (.other("MKCALENDAR"), _), (.other("MKCOL"), _):
            throw DAVError(403, "Calendars can be created only in \(DAVPath.home.href).")
        case (.other("COPY"), .task(let list, let name)):
            return try copyTask(named: name, of: list)
        case (.other("MOVE"), .task(let list, let name)):
            return try moveTask(named: name, of: list)
        default:
            throw notAllowed
        }
    }

    private var notAllowed: DAVError {
        var error = DAVError(405, "This resource does not support the method.")
        error.headers["Allow"] = DAV.methods.map(\.rawValue).joined(separator: ", ")
        return error
    }

    // MARK: Lists

    var readableLists: ListPatterns { access?.grants.readableLists ?? .all }

    func mayRead(_ list: String) -> Bool { readableLists.allow(list) }
    func mayWrite(_ list: String) -> Bool { access?.grants.writableLists.allow(list) ?? true }

    /// See `WriteRequest.rights`.
    private var rights: (any ListRights)? {
        guard let access, access.grants.writableLists != .all else { return nil }
        return access
    }

    /// Reads a list, makes its keys ascend, and continues on a worker.
    ///
    /// - Parameters:
    ///   - showsKeys: whether the response depends on the keys.
    ///   - looks: about how often the work looks at each task.
    ///   - isShort: whether the rest of the work does not grow with the list.
    func read(
        _ id: String, showsKeys: Bool = true, looks: Int = 1, attempt: Int = 0,
        isShort: @escaping @Sendable (CalendarCollection) -> Bool = { _ in false },
        _ next: @escaping @Sendable (CalendarCollection) throws -> Job
    ) throws -> Job {
        guard mayRead(id) else { throw DAVError.notFound }
        return .wait(for: { [service] in service.versionedListIfAny(of: id, $0) }) { [self] list in
            guard let list else { throw DAVError.notFound }
            guard list.list.count <= DAV.maximumTasks else { throw DAVError.tooManyTasks }
            let now = service.now
            let ascends = !showsKeys || known.ascend(in: id, at: list.version, now: now)
            let isShort = ascends && isShort(CalendarCollection(list, known))
            return try onWorker(list.list.count * looks, unless: isShort) { [self] in
                let collection = CalendarCollection(list, known)
                if ascends { return try next(collection) }
                let repair = LabelRepair(of: collection, now: now)
                guard !repair.commands.isEmpty else {
                    known.note(id, ascendsAt: list.version, until: repair.nextCheck)
                    return try next(collection)
                }
                return try write(repair, to: list, attempt) { [self] in
                    try read(id, looks: looks, attempt: attempt + 1, next)
                }
            }
        }
    }

    /// Work that grows with a list is done by a worker.
    private func onWorker(
        _ tasks: Int, unless isShort: Bool, _ work: @escaping Job.Next
    ) throws -> Job {
        isShort ? try work() : .work(WorkerThreads.Size(tasks: tasks), work)
    }

    /// More would exceed the limits of a batch.
    static let commandsAtOnce = 2_000
    private static let maximumAttempts = 40

    /// Stores new keys. They are not the content of any client, so each may cause it.
    private func write(
        _ repair: LabelRepair, to list: VersionedList, _ attempt: Int, _ next: @escaping Job.Next
    ) throws -> Job {
        guard attempt < Self.maximumAttempts else { throw ServiceError.unavailable }
        let commands = repair.commands.prefix(Self.commandsAtOnce)
        let isWhole = commands.count == repair.commands.count
        let batch = Batch(Array(commands), .atomic)
        let write = WriteRequest(
            list: list.id, action: .batch(batch),
            precondition: .versions([SeenVersion(list.version)]))
        return .wait { [service, known] proceed in
            service.write(write, as: NoRenderer()) { outcome in
                proceed {
                    switch outcome {
                    case .success(.result(let result)) where isWhole:
                        known.note(
                            list.id, ascendsAt: result.version, until: repair.nextCheck)
                        return try next()
                    case .success, .failure(.versionMismatch): return try next()
                    case .failure(let error): throw error
                    }
                }
            }
        }
    }

    // MARK: Changes

    /// What a change does.
    enum Change {
        case respond(Response)
        /// Makes the keys ascend, and decides again.
        case repair
        case write(WriteRequest.Action, then: @Sendable (WriteResult) throws -> Job)
    }

    /// Why a change is decided again.
    struct Attempt {
        var count = 0
        /// Whether the id of the new task is used in another list.
        var isTaken = false
    }

    /// Reads a list, decides on a worker, and writes on the condition that the list has not changed; otherwise
    /// decides again.
    ///
    /// - Parameters:
    ///   - isShort: whether the decision takes a time that does not grow with the list.
    ///   - decide: gets nil if the list does not exist.
    func change(
        _ id: String, _ attempt: Attempt = Attempt(),
        isShort: @escaping @Sendable (CalendarCollection) -> Bool = { _ in false },
        _ decide: @escaping @Sendable (CalendarCollection?, Attempt) throws -> Change
    ) throws -> Job {
        guard mayRead(id) else { throw DAVError.notFound }
        guard mayWrite(id) else { throw ServiceError.listReadOnly(id) }
        return .wait(for: { [service] in service.versionedListIfAny(of: id, $0) }) { [self] list in
            guard let list else {
                return try perform(decide(nil, attempt), nil, id, attempt, decide)
            }
            let isShort = isShort(CalendarCollection(list, known))
            return try onWorker(list.list.count, unless: isShort) { [self] in
                let collection = CalendarCollection(list, known)
                return try perform(decide(collection, attempt), list, id, attempt, decide)
            }
        }
    }

    private func perform(
        _ change: Change, _ list: VersionedList?, _ id: String, _ attempt: Attempt,
        _ decide: @escaping @Sendable (CalendarCollection?, Attempt) throws -> Change
    ) throws -> Job {
        let (action, next): (WriteRequest.Action, @Sendable (WriteResult) throws -> Job)
        switch change {
        case .respond(let response): return .respond(response)
        case .repair:
            return try read(id) { [self] _ in
                try self.change(id, Attempt(count: attempt.count + 1), decide)
            }
        case .write(let written, let then): (action, next) = (written, then)
        }
        let write = WriteRequest(
            list: id, action: action,
            precondition: list.map { .versions([SeenVersion($0.version)]) } ?? .absent,
            author: access?.author, rights: rights)
        return .wait { [self] proceed in
            service.write(write, as: NoRenderer()) { [self] outcome in
                proceed { [self] in
                    switch outcome {
                    case .success(.result(let result)): return try next(result)
                    case .success: throw ServiceError.unavailable
                    case .failure(let error):
                        var attempt = attempt
                        attempt.count += 1
                        guard attempt.count < Self.maximumAttempts else {
                            throw ServiceError.unavailable
                        }
                        switch error {
                        case .versionMismatch:
                            return try self.change(id, attempt, decide)
                        case .command(_, .taskTaken), .taskTaken:
                            attempt.isTaken = true
                            return try self.change(id, attempt, decide)
                        default: throw DAVError(error, isRead: false)
                        }
                    }
                }
            }
        }
    }

    // MARK: Conditions

    /// Checks `If-Match` and `If-None-Match` of a change. Conditions in `If` never hold, because there are no locks.
    ///
    /// - Parameter tag: of the task; nil if it does not exist.
    func checkConditions(_ tag: @autoclosure () -> String?) throws(DAVError) {
        guard !request.headers.contains("If") else { throw .preconditionFailed }
        let wanted = request.headers.all("If-Match")
        let unwanted = request.headers.all("If-None-Match")
        guard !wanted.isEmpty || !unwanted.isEmpty else { return }
        let tag = tag()
        if !wanted.isEmpty {
            let tags = EntityTagList.tags(in: wanted.joined(separator: ","))
            guard let tag, tags.contains("*") || tags.contains(tag[...]) else {
                throw .preconditionFailed
            }
        }
        if !unwanted.isEmpty, let tag {
            let tags = EntityTagList.tags(in: unwanted.joined(separator: ","))
            guard !tags.contains("*"), !tags.contains(tag[...]) else { throw .preconditionFailed }
        }
    }

    /// Checks that a calendar can have another task.
    func checkRoom(in collection: CalendarCollection) throws(DAVError) {
        guard collection.list.count < DAV.maximumTasks else { throw .tooManyTasks }
    }

    var body: XMLElement? {
        get throws(DAVError) {
            guard !request.body.isEmpty else { return nil }
            do { return try XMLReader.read(request.body) } catch { throw .badXML(error) }
        }
    }

    /// The value of `Depth`; nil for infinity.
    var depth: Int? {
        get throws(DAVError) {
            switch request.headers["Depth"]?.lowercased() {
            case "0": return 0
            case "1": return 1
            case nil, "infinity": return nil
            default: throw DAVError(400, "Depth must be 0, 1 or infinity.")
            }
        }
    }
}
