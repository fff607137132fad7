import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore

/// The state of a calendar that a client has (RFC 6578): a version of the list.
struct SyncToken: Sendable {
    let list: String
    let version: Int
    let epoch: String
    /// If the client has only a part of the tasks: the last one by id.
    var last: TaskID?

    init(_ list: String, _ version: Int, _ epoch: String, last: TaskID? = nil) {
        self.list = list
        self.version = version
        self.epoch = epoch
        self.last = last
    }

    var text: String {
        "urn:reorderd:\(list):\(version)-\(epoch)" + (last.map { ":\($0)" } ?? "")
    }

    init?(_ text: String) {
        let parts = text.trimmingBlanks().split(
            separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] == "urn", parts[1] == "reorderd" else { return nil }
        let state = parts[3].split(separator: "-", maxSplits: 1)
        guard state.count == 2, let version = Int(state[0]), version >= 0 else { return nil }
        self.init(
            String(parts[2]), version, String(state[1]),
            last: parts.count == 5 ? String(parts[4]) : nil)
    }
}

/// The content of a `sync-collection` report.
struct SyncRequest: Sendable {
    /// nil for all tasks.
    var token: SyncToken?
    var limit: Int?

    init(_ element: XMLElement) throws(DAVError) {
        let text = (element.child(.dav("sync-token"))?.text ?? "").trimmingBlanks()
        if !text.isEmpty {
            guard let token = SyncToken(text) else { throw Self.invalid }
            self.token = token
        }
        guard let limit = element.child(.dav("limit"))?.child(.dav("nresults"))?.text else {
            return
        }
        guard let limit = Int(limit.trimmingBlanks()), limit > 0 else {
            throw DAVError(400, "The limit must be a number from 1.")
        }
        self.limit = limit
    }

    static let invalid = DAVError(
        403, .dav("valid-sync-token"),
        "The token is not valid any more. Read the whole calendar again.")
    static let tooMany = DAVError(
        403, .dav("number-of-matches-within-limits"),
        "One change has more results than the limit. Ask again without a limit.")
}

extension CalendarRequest {
    /// Longer histories are read again as a whole.
    private static let maximumChanges = 10_000
    private static let maximumChangeBytes = 8 << 20

    func synchronize(
        _ list: String, _ sync: SyncRequest, _ selection: PropertySelection
    ) throws -> Job {
        guard let token = sync.token else {
            return try read(list) { [self] collection in
                try page(of: collection, after: "", [], [], sync, selection)
            }
        }
        guard token.list == list, token.epoch == service.epoch else { throw SyncRequest.invalid }
        // Beginning with the list, so that all changes until its version are durable.
        return try read(list) { [self] collection in
            let version = collection.version
            guard token.version <= version else { throw SyncRequest.invalid }
            if token.version == version, token.last == nil {
                return try respond([], [], nil, collection, selection)
            }
            let versioned = collection.versioned
            return .wait(
                for: { [service] in
                    service.changes(
                        of: list, after: token.version, limit: Self.maximumChanges,
                        bytes: Self.maximumChangeBytes, $0)
                }
            ) { [self] changes in
                .work(WorkerThreads.Size(tasks: versioned.list.count)) { [self] in
                    let touched = try TouchedTasks(changes, since: token, to: version, sync)
                    let collection = CalendarCollection(versioned, known)
                    // A change names neither the subtasks that it deletes, nor tasks that get another name by it.
                    guard touched.includesDeletion || collection.hasConflicts else {
                        return try answer(touched, nil, since: token, collection, sync, selection)
                    }
                    return .wait(
                        for: { [service] in service.pastList(list, at: token.version, $0) }
                    ) { [self] past in
                        guard let past else { throw SyncRequest.invalid }
                        return .work(WorkerThreads.Size(tasks: past.count)) { [self] in
                            try answer(
                                touched, CalendarIndex(of: past, former: nil), since: token,
                                CalendarCollection(versioned, known), sync, selection)
                        }
                    }
                }
            }
        }
    }

    /// Responds with what the changes have touched.
    ///
    /// - Parameter past: the tasks that the client has; nil if none has gone or has another name.
    private func answer(
        _ touched: TouchedTasks, _ past: CalendarIndex?, since token: SyncToken,
        _ collection: CalendarCollection, _ sync: SyncRequest, _ selection: PropertySelection
    ) throws -> Job {
        func isAtClient(_ task: CalendarTask) -> Bool { token.last.map { task.id <= $0 } ?? true }
        let present = collection.tasks.filter { task in
            isAtClient(task)
                && (touched.tasks.contains(task.id) || past?.renames(task) ?? false)
        }
        let gone = (past?.tasks ?? []).filter(isAtClient).map(\.name)
            .filter { collection.task(named: $0) == nil }.sorted()
        if let last = token.last {
            return try page(of: collection, after: last, present, gone, sync, selection)
        }
        let rest =
            touched.version < collection.version
            ? SyncToken(token.list, touched.version, token.epoch) : nil
        return try respond(present, gone, rest, collection, selection)
    }

    /// Responds with the tasks after an id, in the order of ids, and with others.
    private func page(
        of collection: CalendarCollection, after last: TaskID, _ changed: [CalendarTask],
        _ gone: [String], _ sync: SyncRequest, _ selection: PropertySelection
    ) throws(DAVError) -> Job {
        let tasks = collection.tasks.filter { $0.id > last }
        guard let limit = sync.limit, tasks.count + changed.count + gone.count > limit else {
            return try respond(changed + tasks, gone, nil, collection, selection)
        }
        let count = max(1, limit - changed.count - gone.count)
        let page = tasks.sorted { $0.id < $1.id }.prefix(count)
        let rest =
            page.count < tasks.count
            ? SyncToken(collection.id, collection.version, service.epoch, last: page.last?.id) : nil
        return try respond(changed + page, gone, rest, collection, selection)
    }

    /// - Parameter rest: the token of a response that is not complete.
    private func respond(
        _ tasks: [CalendarTask], _ gone: [String], _ rest: SyncToken?,
        _ collection: CalendarCollection, _ selection: PropertySelection
    ) throws(DAVError) -> Job {
        .respond(
            try multistatus { writer in
                for task in tasks {
                    write(selection, of: .task(task, list: collection.id), to: &writer)
                }
                for name in gone {
                    writer.missing(DAVPath.task(list: collection.id, name: name).href)
                }
                if rest != nil {
                    writer.element(.dav("response")) { writer in
                        writer.href(DAVPath.list(collection.id).href)
                        writer.element(
                            .dav("status"), text: "HTTP/1.1 507 Insufficient Storage")
                        writer.element(.dav("error")) {
                            $0.empty(.dav("number-of-matches-within-limits"))
                        }
                    }
                }
                let token =
                    rest ?? SyncToken(collection.id, collection.version, service.epoch)
                writer.element(.dav("sync-token"), text: token.text)
            })
    }
}

/// The tasks whose resources changes may have changed or removed.
private struct TouchedTasks: Sendable {
    var tasks: Set<TaskID> = []
    /// The version that the changes lead to.
    private(set) var version: Int
    /// Whether tasks were deleted, and perhaps their subtasks with them.
    private(set) var includesDeletion = false

    /// - Throws: if the changes are not known, or replace the list.
    init(
        _ stored: [StoredChange]?, since token: SyncToken, to last: Int, _ sync: SyncRequest
    ) throws(DAVError) {
        version = token.version
        let changes = stored?.filter { $0.version <= last } ?? []
        guard token.version + changes.count == last else { throw SyncRequest.invalid }
        for stored in changes {
            guard let change = try? ChangeDocument(json: stored.bytes), change.kind == nil else {
                throw SyncRequest.invalid
            }
            let former = self
            for operation in change.operations { try add(operation) }
            if token.last == nil, let limit = sync.limit, tasks.count > limit {
                guard !former.tasks.isEmpty else { throw SyncRequest.tooMany }
                self = former
                return
            }
            version = change.version
        }
    }

    private mutating func add(_ operation: ListOperation) throws(DAVError) {
        switch operation {
        case .move(let task, _, _, _), .update(let task, _), .collapse(let task, _):
            tasks.insert(task)
        case .delete(let task):
            tasks.insert(task)
            includesDeletion = true
        case .insert(let task): tasks.insert(task.id)
        case .list, .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete: break
        case .replace: throw SyncRequest.invalid
        }
    }
}
