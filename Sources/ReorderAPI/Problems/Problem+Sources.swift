import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ServiceError {
    /// One sentence for people, as in a problem document.
    package var problemDetail: String { Problem(self).detail }

    package var problemStatus: Int { Problem(self).code.status }
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
        case .codedBody:
            self.init(.unsupportedMediaType, "Send the body without Content-Encoding.")
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

    /// A problem with a part of the body. The detail begins with the place, because people do not
    /// see the pointer.
    private init(_ code: ProblemCode, at pointer: String, _ sentence: String) {
        self.init(code, (pointer.isEmpty ? "" : "\(pointer): ") + sentence, pointer: pointer)
    }

    init(invalidIDInPath id: String) {
        self.init(
            .invalidBody,
            "The id in the path, \"\(id.prefix(100))\", is not valid. \(Identifier.rule)")
    }

    init(_ error: JSONError) {
        self.init(.invalidJSON, at: error.pointer, error.description)
    }

    init(_ error: JSONTypeError) {
        self.init(.invalidBody, at: error.pointer, error.description)
    }

    /// - Parameter hasLines: whether each task is a line of its own, where the pointer begins.
    init(_ error: ReorderableList.DocumentError, hasLines: Bool = false) {
        func task(_ index: Int, _ member: String) -> String {
            hasLines ? "/\(member)" : "/tasks/\(index)/\(member)"
        }
        let (pointer, sentence) =
            switch error {
            case .duplicateSection(let index):
                ("/sections/\(index)/id", "An earlier section has the same id.")
            case .duplicateTask(let index):
                (task(index, "id"), "An earlier task has the same id.")
            case .unknownSection(let index):
                (task(index, "section"), "The list has no section with this id.")
            case .unknownParent(let index): (task(index, "parent"), "No earlier task has this id.")
            case .sectionOfParentDiffers(let index):
                (task(index, "section"), "A subtask is in its parent's section. Omit section.")
            case .tooDeep(let index):
                (
                    task(index, "parent"),
                    "Tasks can be nested at most \(ReorderableList.maximumLevels) levels deep."
                )
            }
        self.init(.invalidBody, at: pointer, sentence)
    }

    /// The detail names the line, and the pointer begins at the value of the line.
    init(_ fault: ListLines.Fault) {
        switch fault.reason {
        case .notJSON(let error): self.init(error)
        case .wrongType(let error): self.init(error)
        case .wrongDocument(let error): self.init(error, hasLines: true)
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

    /// - Parameter ops: the ops of a batch.
    init(_ error: ServiceError, in ops: BatchOps = BatchOps()) {
        switch error {
        case .listNotFound(let id): self.init(.listNotFound, "List \"\(id)\" does not exist.")
        case .targetListNotFound(let id):
            self.init(.listNotFound, "List \"\(id)\" does not exist.", pointer: "/toList")
        case .taskNotFound(let id): self.init(.taskNotFound, "Task \"\(id)\" does not exist.")
        case .listForbidden(let id): self.init(forbiddenList: id)
        case .listReadOnly(let id): self.init(missing: .write, for: id)
        case .refused(let refusal, let version, let tasks):
            self.init(refusal, of: tasks)
            self.version = version
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
            let place = ops.pointer(to: index)
            pointer = place
            if case .dataTooLarge(let ofSection) = error {
                pointer = place + (ofSection ? "/data" : "/set/data")
            }
        case .responseTooLarge(let limit):
            self.init(
                .invalidBody,
                "The response to this batch would contain more than \(limit) tasks, or more than "
                    + "16 MiB of titles and data.")
        case .tooManyToSort(let limit):
            self.init(
                .orderLimit,
                "The request would order more than \(limit) tasks. Order one section, or the subtasks of "
                    + "one task, at a time.")
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
        case .dragOfOtherClient(let id):
            self.init(
                .forbidden,
                "Start a drag of your own. Only the client that started drag \"\(id)\" can move, drop or "
                    + "cancel it.")
        case .tooManyToExamine:
            self.init(
                .orderLimit,
                "The order needs more tasks than a page can examine. Choose a part of the list with "
                    + "section or parent, or a list, or omit order.")
        case .tooManyDrags(let limit, let isOfList):
            let owner = isOfList ? "list" : "server"
            self.init(.dragLimit, "The \(owner) already has the maximum of \(limit) drags.")
        case .undoConflict(let conflict, let version, let tasks):
            self.init(.undoConflict, conflict.reason, version: version)
            named = tasks
        case .undoOfTransfer(let version):
            // Without the other list, which the client may not be allowed to read.
            self.init(
                .undoConflict,
                "The change moved tasks between this list and another one. Move them back instead.",
                version: version)
        case .tooManyUndos(let limit, let isOfList):
            let owner = isOfList ? "list" : "server"
            self.init(
                .unavailable,
                "The \(owner) already has the maximum of \(limit) running or waiting undos, pages of "
                    + "history, and moves by rows of earlier versions. Try again."
            )
        case .historyGone(let wanted, let current):
            self.init(
                .historyGone,
                // See RequestedVersion.
                wanted == .max
                    ? "The list has no such version in this store's epoch. Fetch the list."
                    : wanted > current
                        ? "The list has no version \(wanted). Its current version is \(current)."
                        : "The list's state at this version is no longer stored.", version: current)
        case .versionMismatch(let precondition, let version, let exists):
            self.init(
                .versionMismatch,
                precondition == .absent
                    ? "The list exists, so If-None-Match: * does not hold."
                    : exists
                        ? "If-Match does not have the list's current ETag. The list is at version "
                            + "\(version)."
                        : "The list does not exist, so If-Match does not hold.",
                version: version)
        case .preconditionRequired(let version):
            self.init(
                .preconditionRequired,
                "To replace a list, send If-Match with its ETag, or If-Match: *.",
                version: version)
        case .keyReused(let opID):
            self.init(
                .keyReused,
                opID.map { "The opId \"\($0)\" was used for a different op." }
                    ?? "The Idempotency-Key was used for a different request.")
        case .requestInProgress:
            self.init(
                .requestInProgress,
                "A request with the same Idempotency-Key, or with the same opId, is in progress. Repeat "
                    + "this request later.")
        case .refusedBefore(let result, let version):
            self =
                Problem(stored: result, version: version)
                ?? Problem(.internalError, "The op's stored result can't be read.")
        case .unavailable:
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
}
