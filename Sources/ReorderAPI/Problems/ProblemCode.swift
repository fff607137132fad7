/// All error codes, with their statuses and titles.
package enum ProblemCode: String, CaseIterable, Sendable {
    case badRequest = "bad_request"
    case invalidJSON = "invalid_json"
    case unauthorized
    case forbidden
    case listNotFound = "list_not_found"
    case taskNotFound = "task_not_found"
    case sectionNotFound = "section_not_found"
    case dragNotFound = "drag_not_found"
    case tokenNotFound = "token_not_found"
    case shareNotFound = "share_not_found"
    case webhookNotFound = "webhook_not_found"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case cycle
    case locked
    case notSiblings = "not_siblings"
    case depthLimit = "depth_limit"
    case maxDepth = "max_depth"
    case sectionFull = "section_full"
    case parentFull = "parent_full"
    case levelNotPossible = "level_not_possible"
    case anchorGone = "anchor_gone"
    case idTaken = "id_taken"
    case listFull = "list_full"
    case requestInProgress = "request_in_progress"
    case dragLimit = "drag_limit"
    case tokenLimit = "token_limit"
    case shareLimit = "share_limit"
    case noAccessControl = "no_access_control"
    case webhookLimit = "webhook_limit"
    case eventNotFailing = "event_not_failing"
    case orderLimit = "order_limit"
    case undoConflict = "undo_conflict"
    case historyGone = "history_gone"
    case versionMismatch = "version_mismatch"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case invalidBody = "invalid_body"
    case invalidQuery = "invalid_query"
    case misdirectedRequest = "misdirected_request"
    case keyReused = "key_reused"
    case preconditionRequired = "precondition_required"
    case rateLimited = "rate_limited"
    case internalError = "internal_error"
    case unavailable
    case outcomeUnknown = "outcome_unknown"

    package var status: Int { entry.status }

    var title: String { entry.title }

    private var entry: (status: Int, title: String) {
        switch self {
        case .badRequest: (400, "Bad request")
        case .invalidJSON: (400, "Not valid JSON")
        case .unauthorized: (401, "Not authenticated")
        case .forbidden: (403, "Not allowed")
        case .listNotFound: (404, "List not found")
        case .taskNotFound: (404, "Task not found")
        case .sectionNotFound: (404, "Section not found")
        case .dragNotFound: (404, "Drag not found")
        case .tokenNotFound: (404, "Token not found")
        case .shareNotFound: (404, "Link not found")
        case .webhookNotFound: (404, "Webhook not found")
        case .notFound: (404, "Not found")
        case .methodNotAllowed: (405, "Method not allowed")
        case .cycle: (409, "Move into own subtree")
        case .locked: (409, "Locked")
        case .notSiblings: (409, "Not siblings")
        case .depthLimit: (409, "Nested too deep")
        case .maxDepth: (409, "Below the list's last level")
        case .sectionFull: (409, "Section full")
        case .parentFull: (409, "Parent full")
        case .levelNotPossible: (409, "Level not possible")
        case .anchorGone: (409, "Destination not found")
        case .idTaken: (409, "Id in use")
        case .listFull: (409, "List full")
        case .requestInProgress: (409, "Request in progress")
        case .dragLimit: (409, "Too many drags")
        case .tokenLimit: (409, "Too many tokens")
        case .shareLimit: (409, "Too many links")
        case .noAccessControl: (409, "No access control")
        case .webhookLimit: (409, "Too many webhooks")
        case .eventNotFailing: (409, "Event does not fail")
        case .orderLimit: (409, "Too many tasks to order")
        case .undoConflict: (409, "Undo conflict")
        case .historyGone: (410, "History no longer stored")
        case .versionMismatch: (412, "Version mismatch")
        case .requestTimeout: (408, "Request timeout")
        case .bodyTooLarge: (413, "Body too large")
        case .unsupportedMediaType: (415, "Unsupported media type")
        case .invalidBody: (422, "Invalid body")
        case .invalidQuery: (422, "Invalid query")
        case .misdirectedRequest: (421, "Misdirected request")
        case .keyReused: (422, "Key reused")
        case .preconditionRequired: (428, "Precondition required")
        case .rateLimited: (429, "Too many requests")
        case .internalError: (500, "Internal error")
        case .unavailable: (503, "Temporarily unavailable")
        case .outcomeUnknown: (503, "Outcome unknown")
        }
    }
}
