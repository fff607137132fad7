import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ServiceError {
    /// One sentence for people, as in a problem document.
    package var problemDetail: String { Problem(self).detail }
}

extension Problem {
    init(_ failure: HTTPFailure) {
        switch failure {
        case .notFound: self.init(.notFound, "No resource exists at this path.")
        case .methodNotAllowed(let allow):
            let methods = allow.map(\.rawValue).joined(separator: ", ")
            self.init(.methodNotAllowed, "This path supports \(methods).")
        case .bodyTooLarge(let limit):
            self.init(.bodyTooLarge, "The body is larger than \(limit) bytes, the maximum.")
        case .contentTooLarge(let limit):
            self.init(
                .bodyTooLarge,
                "The list takes more than \(limit) bytes of the server's memory, the maximum for bodies."
            )
        case .bodyTooCompressed:
            self.init(
                .bodyTooCompressed,
                "The body is more than 20 times as large as its compressed form. Send it uncompressed."
            )
        case .requestTimeout:
            self.init(.requestTimeout, "The request was not received in time.")
        case .badRequest(let reason):
            self.init(.badRequest, "The request is malformed: \(reason).")
        case .tooManyRequests:
            self.init(.rateLimited, "Too many requests in a short time. Wait, then try again.")
        case .tooManyBodies:
            self.init(
                .unavailable,
                "The server is receiving too many large request bodies. Try again.")
        case .tooManyResponses:
            self.init(
                .unavailable,
                "The server is sending too many large responses. Try again."
            )
        case .responseNotSent:
            self.init(
                .outcomeUnknown,
                "The request was handled, but its response is too large to send now. To get it, "
                    + "repeat the request with the same Idempotency-Key. It is not applied twice.")
        case .unavailable: self.init(.unavailable, "The server is stopping.")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "The server is stopping. The change may or may not be stored. Repeat the request "
                    + "with the same Idempotency-Key: it is applied once.")
        }
    }

    init(_ error: JSONError) {
        self.init(.invalidJSON, error.description, pointer: error.pointer)
    }

    init(_ error: JSONTypeError) {
        self.init(.invalidBody, error.description, pointer: error.pointer)
    }

    init(_ error: ReorderableList.DocumentError) {
        switch error {
        case .duplicateSection(let index):
            self.init(
                .invalidBody, "An earlier section has the same id.",
                pointer: "/sections/\(index)/id")
        case .duplicateTask(let index):
            self.init(
                .invalidBody, "An earlier task has the same id.",
                pointer: "/tasks/\(index)/id")
        case .unknownSection(let index):
            self.init(
                .invalidBody, "The list has no section with this id.",
                pointer: "/tasks/\(index)/section")
        case .unknownParent(let index):
            self.init(
                .invalidBody, "No earlier task has this id.",
                pointer: "/tasks/\(index)/parent")
        case .sectionOfParentDiffers(let index):
            self.init(
                .invalidBody, "A subtask is in its parent's section. Omit section.",
                pointer: "/tasks/\(index)/section")
        case .tooDeep(let index):
            self.init(
                .invalidBody,
                "Tasks can be nested at most \(ReorderableList.maximumLevels) levels deep.",
                pointer: "/tasks/\(index)/parent")
        }
    }

    /// The detail names the line, and the pointer begins at the value of the line.
    init(_ fault: ListLines.Fault) {
        switch fault.reason {
        case .notJSON(let error): self.init(error)
        case .wrongType(let error): self.init(error)
        case .wrongDocument(let error):
            self.init(error)
            // A task is a line of its own.
            if let pointer, pointer.hasPrefix("/tasks/") {
                self.pointer = pointer.lastIndex(of: "/").map { String(pointer[$0...]) }
            }
        case .lineTooLong(let limit):
            self.init(.bodyTooLarge, "The line is longer than \(limit) bytes, the maximum.")
        case .tooManyTasks(let limit): self.init(ServiceError.listFull(limit: limit))
        }
        name(line: fault.line)
    }

    /// Names the line of the fault, for a body that has lines.
    mutating func name(line: Int) {
        detail = "Line \(line): \(detail)"
        self.line = line
    }

    init(_ error: ServiceError) {
        switch error {
        case .listNotFound(let id): self.init(.listNotFound, "List \"\(id)\" does not exist.")
        case .targetListNotFound(let id):
            self.init(.listNotFound, "List \"\(id)\" does not exist.", pointer: "/toList")
        case .taskNotFound(let id): self.init(.taskNotFound, "Task \"\(id)\" does not exist.")
        case .listForbidden(let id): self.init(forbiddenList: id)
        case .refused(let refusal, let version, let tasks):
            self.init(refusal)
            self.version = version
            named = tasks
        case .listTaken(let id):
            self.init(.idTaken, "List \"\(id)\" already exists.", pointer: "/id")
        case .listNotInBin(let id):
            self.init(
                .listNotFound,
                "List \"\(id)\" is not in the bin. It was not deleted, or can't be restored any more."
            )
        case .listNotDeleted(let id):
            self.init(
                .idTaken,
                "List \"\(id)\" exists, so it can't be restored.")
        case .taskTaken(let id):
            self.init(.idTaken, "Task \"\(id)\" already exists, possibly in another list.")
        case .dataTooLarge:
            self.init(
                .invalidBody,
                "The merged data would exceed \(FormLimits.dataBytes) bytes or be nested "
                    + "more than \(FormLimits.dataNesting) levels deep.", pointer: "/data")
        case .command(let index, let error):
            self.init(error)
            pointer = "/ops/\(index)"
            if case .dataTooLarge(let ofSection) = error {
                pointer = "/ops/\(index)" + (ofSection ? "/data" : "/set/data")
            }
        case .responseTooLarge(let limit):
            self.init(
                .invalidBody,
                "The response to this batch would contain more than \(limit) tasks, or more than "
                    + "16 MiB of titles and data.")
        case .targetListFull(let limit, let version, let tasks):
            self.init(ServiceError.listFull(limit: limit))
            self.version = version
            named = tasks
        case .listFull(let limit):
            self.init(.listFull, "The list would exceed the maximum of \(limit) tasks.")
        case .sectionsFull(let limit):
            self.init(.listFull, "The list would exceed the maximum of \(limit) sections.")
        case .dragNotFound(let id):
            self.init(.dragNotFound, "Drag \"\(id)\" does not exist or has ended.")
        case .tooManyDrags(let limit, let isOfList):
            let owner = isOfList ? "list" : "server"
            self.init(.dragLimit, "The \(owner) already has the maximum of \(limit) drags.")
        case .undoConflict(let conflict, let version, let tasks):
            self.init(.undoConflict, conflict.reason, version: version)
            named = tasks
        case .undoOfTransfer(let other, let version):
            self.init(
                .undoConflict,
                "The change moved tasks between this list and \"\(other)\". Move them back instead.",
                version: version)
        case .undoOvertaken:
            self.init(
                .unavailable,
                "The list changed each time the undo was computed. Nothing was undone. Try again."
            )
        case .tooManyUndos(let limit, let isOfList):
            let owner = isOfList ? "list" : "server"
            self.init(
                .unavailable,
                "The \(owner) already has the maximum of \(limit) running or waiting undos and moves by "
                    + "rows of earlier versions. Try again."
            )
        case .historyGone(let wanted, let current):
            self.init(
                .historyGone,
                wanted > current
                    ? "The list has no version \(wanted). Its current version is \(current)."
                    : "The list's state at this version is no longer stored.", version: current)
        case .versionMismatch(let version):
            self.init(
                .versionMismatch, "The precondition in If-Match or If-None-Match does not hold.",
                version: version)
        case .preconditionRequired(let version):
            self.init(
                .preconditionRequired, "To replace a list, send If-Match with its version.",
                version: version)
        case .keyReused:
            self.init(
                .keyReused,
                "The Idempotency-Key was used for a different request, or an opId was used for a "
                    + "different op.")
        case .requestInProgress:
            self.init(
                .requestInProgress,
                "A request with this key is in progress. Repeat this request later.")
        case .refusedBefore(let result, let version):
            self =
                Problem(stored: result, version: version)
                ?? Problem(.internalError, "The op's stored result can't be read.")
        case .unavailable, .waiting:
            self.init(
                .unavailable, "The change could not be stored. Nothing was changed. Try again.")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "The database connection was lost during the commit. The change may or may not "
                    + "be stored. Repeat the request with the same Idempotency-Key: it is applied once."
            )
        case .unreadable: self.init(.internalError, "The list can't be read.")
        }
    }

    /// The problem of a failed read.
    init(reading error: ServiceError) {
        self.init(error)
        if case .unavailable = error { detail = "The stored data can't be read now. Try again." }
    }

    /// Restores the problem of an op's stored result. It has the list's current version, and omits
    /// the tasks, which may have changed since.
    private init?(stored result: [UInt8], version: Int) {
        guard let text = try? JSONText(checking: result, maximumDepth: FormLimits.nesting * 2)
        else { return nil }
        var (code, detail): (ProblemCode?, String?)
        var hasVersion = false
        var reader = JSONReader(text)
        do throws(JSONTypeError) {
            try reader.beginObject()
            while let name = reader.nextMember() {
                guard case "problem" = name else { continue }
                try reader.beginObject()
                while let name = reader.nextMember() {
                    switch name {
                    case "code": code = ProblemCode(rawValue: try reader.readString())
                    case "detail": detail = try reader.readString()
                    case "version":
                        hasVersion = true
                        reader.skip()
                    default: continue
                    }
                }
            }
        } catch {
            return nil
        }
        guard let code, let detail else { return nil }
        self.init(code, detail, version: hasVersion ? version : nil)
        isReplayed = true
    }

    private init(_ refusal: Refusal) {
        switch refusal {
        case .taskNotFound(let id):
            self.init(.taskNotFound, "Task \"\(id)\" does not exist in this list.")
        case .sectionNotFound(let id):
            self.init(.sectionNotFound, "Section \"\(id)\" does not exist in this list.")
        case .idTaken(let id): self.init(.idTaken, "The id \"\(id)\" is already in use.")
        case .anchorGone:
            self.init(.anchorGone, "None of the given destinations exists any more.")
        case .rowNotFound(let row, let count):
            let rows = count == 1 ? "is 1 visible row" : "are \(count) visible rows"
            self.init(.anchorGone, "Row \(row) does not exist: there \(rows).")
        case .rowNotInSection(let row, let section, let rows):
            let place = section.map { "section \"\($0)\"" } ?? "the tasks without a section"
            self.init(
                .anchorGone,
                "Row \(row) is not in \(place): there, the task can have \(rows.text("row")).")
        case .levelNotPossible(let level, let levels):
            self.init(
                .levelNotPossible,
                "Level \(level) is not possible there: the task can have \(levels.text("level")).")
        case .cycle: self.init(.cycle, "A task can't be moved into its own subtree.")
        case .locked: self.init(.locked, "A locked row can't be moved, deleted or displaced.")
        case .notSiblings:
            self.init(.notSiblings, "In this list, tasks can only be moved among their siblings.")
        case .depthLimit:
            self.init(
                .depthLimit,
                "Tasks can be nested at most \(ReorderableList.maximumLevels) levels deep.")
        }
    }
}

extension ClosedRange<Int> {
    /// For example "row 2" or "rows 2 to 4".
    fileprivate func text(_ noun: String) -> String {
        lowerBound == upperBound
            ? "\(noun) \(lowerBound)" : "\(noun)s \(lowerBound) to \(upperBound)"
    }
}
