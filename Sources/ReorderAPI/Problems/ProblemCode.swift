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

    package var status: Int {
        switch self {
        case .badRequest, .invalidJSON: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .listNotFound, .taskNotFound, .sectionNotFound, .dragNotFound, .tokenNotFound,
            .shareNotFound, .webhookNotFound, .notFound:
            404
        case .methodNotAllowed: 405
        case .cycle, .locked, .notSiblings, .depthLimit, .maxDepth, .sectionFull, .parentFull,
            .levelNotPossible, .anchorGone, .idTaken, .listFull, .requestInProgress, .dragLimit,
            .tokenLimit, .shareLimit, .noAccessControl, .webhookLimit, .eventNotFailing,
            .orderLimit, .undoConflict:
            409
        case .requestTimeout: 408
        case .historyGone: 410
        case .versionMismatch: 412
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .misdirectedRequest: 421
        case .invalidBody, .invalidQuery, .keyReused: 422
        case .preconditionRequired: 428
        case .rateLimited: 429
        case .internalError: 500
        case .unavailable, .outcomeUnknown: 503
        }
    }

    var title: String {
        switch self {
        case .badRequest: "Bad request"
        case .invalidJSON: "Not valid JSON"
        case .unauthorized: "Not authenticated"
        case .forbidden: "Not allowed"
        case .listNotFound: "List not found"
        case .taskNotFound: "Task not found"
        case .sectionNotFound: "Section not found"
        case .dragNotFound: "Drag not found"
        case .tokenNotFound: "Token not found"
        case .shareNotFound: "Link not found"
        case .webhookNotFound: "Webhook not found"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .cycle: "Move into own subtree"
        case .locked: "Locked"
        case .notSiblings: "Not siblings"
        case .depthLimit: "Nested too deep"
        case .maxDepth: "Below the list's last level"
        case .sectionFull: "Section full"
        case .parentFull: "Parent full"
        case .levelNotPossible: "Level not possible"
        case .anchorGone: "Destination not found"
        case .idTaken: "Id in use"
        case .listFull: "List full"
        case .requestInProgress: "Request in progress"
        case .dragLimit: "Too many drags"
        case .tokenLimit: "Too many tokens"
        case .shareLimit: "Too many links"
        case .noAccessControl: "No access control"
        case .webhookLimit: "Too many webhooks"
        case .eventNotFailing: "Event does not fail"
        case .orderLimit: "Too many tasks to order"
        case .undoConflict: "Undo conflict"
        case .historyGone: "History no longer stored"
        case .versionMismatch: "Version mismatch"
        case .requestTimeout: "Request timeout"
        case .bodyTooLarge: "Body too large"
        case .unsupportedMediaType: "Unsupported media type"
        case .invalidBody: "Invalid body"
        case .invalidQuery: "Invalid query"
        case .misdirectedRequest: "Misdirected request"
        case .keyReused: "Key reused"
        case .preconditionRequired: "Precondition required"
        case .rateLimited: "Too many requests"
        case .internalError: "Internal error"
        case .unavailable: "Temporarily unavailable"
        case .outcomeUnknown: "Outcome unknown"
        }
    }
}
