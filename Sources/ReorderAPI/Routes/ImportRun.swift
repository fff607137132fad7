import MicroHTTP
import ReorderEngine
import ReorderImportExport
import ReorderJSON
import ReorderService
import Synchronization

/// The import of one file over HTTP. It checks all lists, one after another; if all can be imported, it
/// writes all at once.
final class ImportRun: Sendable {
    /// What the import does with a list, for the response.
    struct Entry: Sendable {
        var id: String
        var outcome: ImportPlan.Outcome
        /// The list after the import, and its version; in a dry run, its version before.
        var list: ReorderableList
        var version: Int
    }

    private struct State {
        var plan: ImportPlan
        var entries: [Entry] = []
    }

    private let api: ReorderAPI
    private let request: Request
    private let options: ImportOptions
    private let format: ListFileFormat
    private let targets: [ImportOptions.Target]
    private let remarks: [ImportRemark]
    /// The jobs of the request use it, one after another.
    private let state: Mutex<State>

    /// Reads the file. O(its length).
    ///
    /// - Throws: also if the client may not write one of the lists.
    init(_ request: Request, _ options: ImportOptions, _ api: ReorderAPI) throws {
        let (format, targets) = try options.read(request.body, makeID: api.makeID)
        for target in targets { try request.rights?.checkWriting(target.id) }
        self.targets = targets
        remarks = targets.flatMap(\.imported.remarks)
        (self.api, self.request, self.options, self.format) = (api, request, options, format)
        state = Mutex(State(plan: ImportPlan(replaces: options.replaces)))
    }

    /// Checks the lists from this index on.
    func check(from index: Int = 0) -> Job {
        guard index < targets.count else { return options.isDryRun ? respond() : write() }
        let target = targets[index]
        return .wait(for: { [api] in api.service.versionedListIfAny(of: target.id, $0) }) {
            [self] current in
            .work(WorkerThreads.Size(tasks: target.imported.list.entryCount)) { [self] in
                try check(target, over: current)
                return check(from: index + 1)
            }
        }
    }

    /// Blocks until the store responds.
    private func check(
        _ target: ImportOptions.Target, over current: VersionedList?
    ) throws(Problem) {
        let imported = target.imported
        let result = state.withLock { state in
            Result { () throws(ImportRefusal) in
                let outcome = try state.plan.add(
                    imported, id: target.id, from: format, over: current, api.service)
                let list =
                    switch outcome {
                    case .unchanged: current?.list
                    // The list is read again after it was written.
                    case .created, .replaced:
                        options.isDryRun ? planned(imported.list, over: current?.list) : nil
                    }
                state.entries.append(
                    Entry(
                        id: target.id, outcome: outcome, list: list ?? imported.list,
                        version: current?.version ?? 0))
            }
        }
        if case .failure(let refusal) = result { throw Problem(refusal) }
    }

    /// A list as it would be after the import.
    private func planned(
        _ list: ReorderableList, over current: ReorderableList?
    ) -> ReorderableList {
        let stamp = ChangeStamp(time: api.service.now, author: request.tokenAccess?.author)
        var list = list
        list.completeStamps(replacing: current, stamp)
        if current != nil { list.times.updatedAt = stamp.time }
        return list
    }

    /// Writes the lists that are not in the store yet. If one write fails, the others are not undone: the
    /// same request then finds them unchanged.
    private func write() -> Job {
        let writes = state.withLock { state in
            targets.compactMap { target in
                state.plan.write(of: target.imported.list, id: target.id).map { write in
                    WriteRequest(
                        list: target.id, action: write.action, precondition: write.precondition,
                        client: request.clientID, author: request.tokenAccess?.author,
                        rights: request.rights)
                }
            }
        }
        return .wait { [self] proceed in
            all(writes, { api.service.write($0, as: NoRenderer(), $1) }) { outcomes in
                proceed { [self] in
                    switch outcomes {
                    case .success: return read()
                    case .failure(.unavailable) where writes.count == 1:
                        throw ServiceError.unavailable
                    case .failure: throw Problem.partlyImported
                    }
                }
            }
        }
    }

    /// Reads the lists that were written, from this index on.
    private func read(from index: Int = 0) -> Job {
        guard index < targets.count else { return respond() }
        guard state.withLock({ $0.entries[index].outcome }) != .unchanged else {
            return read(from: index + 1)
        }
        return .wait(
            for: { [api, targets] in
                api.service.versionedListIfAny(of: targets[index].id, $0)
            }
        ) { [self] written in
            if let written {
                state.withLock { state in
                    state.entries[index].list = written.list
                    state.entries[index].version = written.version
                }
            }
            return read(from: index + 1)
        }
    }

    private func respond() -> Job {
        let entries = state.withLock { $0.entries }
        let count = entries.reduce(0) { $0 + $1.list.entryCount }
        return .work(WorkerThreads.Size(tasks: count)) { [self] in
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("format")
            writer.string(format.rawValue)
            writer.name("dryRun")
            writer.bool(options.isDryRun)
            writer.name("lists")
            writer.beginArray()
            for entry in entries {
                writer.entry(entry, epoch: request.prefersMinimal ? nil : api.service.epoch)
            }
            writer.endArray()
            writer.remarks(remarks)
            writer.endObject()
            var response = Response.json(
                headers: ["Cache-Control": "no-store"], writer.takeBytes())
            if request.prefersMinimal { response.applyMinimal() }
            return .respond(response)
        }
    }
}

extension JSONWriter {
    /// - Parameter epoch: nil omits the document.
    fileprivate mutating func entry(_ entry: ImportRun.Entry, epoch: String?) {
        let list = entry.list
        beginObject()
        name("id")
        string(entry.id)
        name("title")
        string(list.settings.title)
        name("outcome")
        switch entry.outcome {
        case .created: string("created")
        case .unchanged: string("unchanged")
        case .replaced: string("replaced")
        }
        name("version")
        int(entry.version)
        name("count")
        int(list.count)
        name("sectionCount")
        int(list.sectionCount)
        name("doneCount")
        int(list.tasks.count { $0.content.done })
        if let epoch {
            name("document")
            raw(
                ListDocument.json(
                    id: entry.id, version: entry.version, epoch: epoch, of: list,
                    showsOffsetLock: true))
        }
        endObject()
    }

    /// The maximum number of remarks in a response.
    fileprivate static let maximumRemarks = 1_000

    fileprivate mutating func remarks(_ remarks: [ImportRemark]) {
        name("remarks")
        beginArray()
        for remark in remarks.prefix(Self.maximumRemarks) {
            beginObject()
            name("kind")
            switch remark.kind {
            case .leftOut: string("left_out")
            case .shortened: string("shortened")
            case .changed: string("changed")
            }
            name("text")
            string(remark.what)
            name("firstLine")
            int(remark.lines.lowerBound)
            name("lastLine")
            int(remark.lines.upperBound)
            endObject()
        }
        endArray()
        name("moreRemarks")
        int(max(0, remarks.count - Self.maximumRemarks))
    }
}

extension Problem {
    fileprivate static var partlyImported: Problem {
        Problem(
            .outcomeUnknown,
            "Repeat the request: it imports what is missing. A list was changed meanwhile, or the store did "
                + "not respond, so some lists may not be imported.")
    }

    fileprivate init(_ refusal: ImportRefusal) {
        switch refusal {
        case .listTwice(let id):
            self.init(.invalidBody, "The file has the list \"\(id)\" twice.")
        case .taskTwice(let id):
            self.init(.invalidBody, "The file has the task \"\(id)\" in two lists.")
        case .listExists(let id):
            self.init(
                .idTaken,
                "List \"\(id)\" already exists, with other content. To replace it, repeat the request "
                    + "with replace=true.")
            list = id
        case .refused(let error, let id):
            self.init(error)
            list = id
        }
    }
}
