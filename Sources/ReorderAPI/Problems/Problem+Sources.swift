import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ServiceError {
    /// What a client is told: one sentence.
    package var problemDetail: String { Problem(self).detail }
}

extension Problem {
    init(_ failure: HTTPFailure) {
        switch failure {
        case .notFound: self.init(.notFound, "There is nothing at this path.")
        case .methodNotAllowed(let allow):
            let methods = allow.map(\.rawValue).joined(separator: ", ")
            self.init(.methodNotAllowed, "This path answers \(methods).")
        case .bodyTooLarge(let limit):
            self.init(.bodyTooLarge, "A body has at most \(limit) bytes.")
        case .requestTimeout:
            self.init(.requestTimeout, "The request did not come in time.")
        case .badRequest(let reason):
            self.init(.badRequest, "The request is malformed: \(reason).")
        case .tooManyRequests:
            self.init(.rateLimited, "More requests than a client may send in this time.")
        case .tooManyBodies:
            self.init(.unavailable, "The server has as many large bodies at once as it takes.")
        case .tooManyResponses:
            self.init(
                .unavailable,
                "Responses that clients have not read yet take the memory that there is for them. Try again."
            )
        case .responseNotSent:
            self.init(
                .outcomeUnknown,
                "The request was handled, but its response is too large to be sent now. The same request "
                    + "with the same Idempotency-Key is done once, and its response sent again.")
        case .unavailable: self.init(.unavailable, "The server is stopping.")
        case .internalError: self.init(.internalError, "The server failed to answer.")
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
                .invalidBody, "A section before this one has the same id.",
                pointer: "/sections/\(index)/id")
        case .duplicateTask(let index):
            self.init(
                .invalidBody, "A task before this one has the same id.",
                pointer: "/tasks/\(index)/id")
        case .unknownSection(let index):
            self.init(
                .invalidBody, "The list has no section of this id.",
                pointer: "/tasks/\(index)/section")
        case .unknownParent(let index):
            self.init(
                .invalidBody, "No task before this one has this id.",
                pointer: "/tasks/\(index)/parent")
        case .sectionOfParentDiffers(let index):
            self.init(
                .invalidBody, "A subtask's section is that of its parent; leave it out.",
                pointer: "/tasks/\(index)/section")
        case .tooDeep(let index):
            self.init(
                .invalidBody, "Tasks nest at most \(ReorderableList.maximumLevels) levels.",
                pointer: "/tasks/\(index)/parent")
        }
    }

    init(_ error: ServiceError) {
        switch error {
        case .listNotFound(let id): self.init(.listNotFound, "There is no list \"\(id)\".")
        case .targetListNotFound(let id):
            self.init(.listNotFound, "There is no list \"\(id)\".", pointer: "/toList")
        case .taskNotFound(let id): self.init(.taskNotFound, "There is no task \"\(id)\".")
        case .listForbidden(let id): self.init(forbiddenList: id)
        case .refused(let refusal, let version, let tasks):
            self.init(refusal)
            self.version = version
            named = tasks
        case .listTaken(let id):
            self.init(.idTaken, "There is a list \"\(id)\" already.", pointer: "/id")
        case .taskTaken(let id):
            self.init(.idTaken, "There is a task \"\(id)\" already, maybe in another list.")
        case .dataTooLarge:
            self.init(
                .invalidBody,
                "Merged, the task's data would have over \(FormLimits.dataBytes) bytes or be nested "
                    + "over \(FormLimits.dataNesting) deep.", pointer: "/data")
        case .command(let index, let error):
            self.init(error)
            pointer = "/ops/\(index)"
            if case .dataTooLarge = error { pointer = "/ops/\(index)/set/data" }
        case .answerTooLarge(let limit):
            self.init(.invalidBody, "The answer to a batch tells at most \(limit) tasks.")
        case .targetListFull(let limit, let version, let tasks):
            self.init(ServiceError.listFull(limit: limit))
            self.version = version
            named = tasks
        case .listFull(let limit): self.init(.listFull, "A list holds at most \(limit) tasks.")
        case .sectionsFull(let limit):
            self.init(.listFull, "A list has at most \(limit) sections.")
        case .dragNotFound(let id):
            self.init(.dragNotFound, "There is no drag \"\(id)\", or it is over.")
        case .tooManyDrags(let limit, let isOfList):
            let whose = isOfList ? "this list" : "this server"
            self.init(.dragLimit, "Of \(whose) \(limit) drags are going on, as many as may.")
        case .undoConflict(let conflict, let version, let tasks):
            self.init(.undoConflict, conflict.reason, version: version)
            named = tasks
        case .undoOfTransfer(let other, let version):
            self.init(
                .undoConflict,
                "The change moved tasks between this list and \"\(other)\": move them back.",
                version: version)
        case .undoOvertaken:
            self.init(
                .unavailable,
                "The list was changed each time the undo was computed; nothing was undone. Try again."
            )
        case .tooManyUndos(let limit, let isOfList):
            let whose = isOfList ? "list" : "server"
            self.init(
                .unavailable,
                "The \(whose) has \(limit) undos running or waiting, which is the maximum. Try again."
            )
        case .historyGone(let version):
            self.init(
                .historyGone, "What the list was before this change is no longer kept.",
                version: version)
        case .versionMismatch(let version):
            self.init(
                .versionMismatch, "The list is not as If-Match or If-None-Match asks.",
                version: version)
        case .preconditionRequired(let version):
            self.init(
                .preconditionRequired, "Replacing a list needs If-Match with its version.",
                version: version)
        case .keyReused:
            self.init(
                .keyReused, "Another request was sent with this key, or another op with this id.")
        case .requestInProgress:
            self.init(
                .requestInProgress,
                "A request with this key is being done. Ask again for its answer.")
        case .refusedBefore(let result, let version):
            self =
                Problem(stored: result, version: version)
                ?? Problem(.internalError, "The op can't be read.")
        case .unavailable, .waiting:
            self.init(
                .unavailable, "The change could not be stored; nothing was changed. Try again.")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "The database was lost while a change was stored: whether it was made is not known. The "
                    + "same request with the same Idempotency-Key makes it once, and tells.")
        case .unreadable: self.init(.internalError, "The list can't be read.")
        }
    }

    /// Why something could not be read.
    init(reading error: ServiceError) {
        self.init(error)
        if case .unavailable = error { detail = "What is stored can't be read now. Try again." }
    }

    /// The problem of an op's result as it was kept, without the tasks, which may be elsewhere now, and
    /// with the list's version as it is now.
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
        case .taskNotFound(let id): self.init(.taskNotFound, "There is no task \"\(id)\" here.")
        case .sectionNotFound(let id):
            self.init(.sectionNotFound, "There is no section \"\(id)\" here.")
        case .idTaken(let id): self.init(.idTaken, "The id \"\(id)\" is taken.")
        case .anchorGone:
            self.init(.anchorGone, "None of the destinations exists any more.")
        case .rowNotFound(let row, let count):
            self.init(.anchorGone, "There is no row \(row): the list shows \(count) rows.")
        case .cycle: self.init(.cycle, "A task can't go into its own subtree.")
        case .locked: self.init(.locked, "A locked row can't be moved, deleted or displaced.")
        case .notSiblings:
            self.init(.notSiblings, "In this list tasks move among their siblings only.")
        case .depthLimit:
            self.init(
                .depthLimit, "Tasks nest at most \(ReorderableList.maximumLevels) levels.")
        }
    }
}
