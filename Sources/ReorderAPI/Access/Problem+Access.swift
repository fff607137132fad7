import ReorderAuth

/// The problem documents for missing or insufficient credentials (RFC 6750, section 3). They don't
/// reveal which lists exist.
extension Problem {
    init(_ denial: Denial) {
        let reason =
            switch denial {
            case .missing: "A token is required: send Authorization: Bearer …"
            case .malformed:
                "The request must have exactly one Authorization field, of the form Bearer …"
            case .unknown: "The token is unknown, or its signature is invalid."
            case .expired: "The token has expired."
            case .notYetValid: "The token is not valid yet."
            case .unusable(let reason): "The token can't be used. \(reason)"
            case .otherIssuer: "The token's issuer is not accepted by this server."
            case .otherAudience: "The token's audience is not this server."
            case .unknownTicket:
                "The ticket is invalid or has expired. Make a new one with POST /event-tickets."
            }
        self.init(.unauthorized, reason)
        challenge =
            denial == .missing
            ? Self.realm
            : #"\#(Self.realm), error="invalid_token", error_description="\#(Self.quotable(reason))""#
    }

    /// ASCII without quotes and backslashes, as RFC 6750, section 3 requires. A reason can name a member of the token.
    private static func quotable(_ reason: String) -> String {
        String(
            String.UnicodeScalarView(
                reason.unicodeScalars.map {
                    (" "..."~").contains($0) && $0 != "\"" && $0 != "\\" ? $0 : "'"
                }))
    }

    /// The token is valid, but its scope is too small.
    init(missing scope: AccessScope) {
        self.init(forbidden: "The token's scope does not include \(scope.name).", needs: scope)
    }

    /// The token is valid and covers the list, but its scope for the list is too small.
    init(missing scope: AccessScope, for list: String) {
        self.init(
            forbidden: "The token's scope for list \"\(list)\" does not include \(scope.name).",
            needs: scope)
    }

    /// The token is valid, but does not grant access to the list.
    init(forbiddenList list: String) {
        self.init(forbidden: "The token does not grant access to list \"\(list)\".")
    }

    /// The token is limited to certain lists, and the client leaves the id of a new list to the server.
    static var newListWithoutID: Problem {
        Problem(
            forbidden:
                "The token is limited to certain lists, and the server would choose another id. Send an "
                + "id that the token covers.")
    }

    static var linkNotEnough: Problem {
        Problem(
            forbidden:
                "With a link to a list, a client can read it or change what is in it, and no more.")
    }

    private init(forbidden detail: String, needs scope: AccessScope? = nil) {
        self.init(.forbidden, detail)
        let needed = scope.map { #", scope="reorderd:\#($0.name)""# } ?? ""
        challenge = #"\#(Self.realm), error="insufficient_scope"\#(needed)"#
    }

    private static let realm = #"Bearer realm="reorderd""#
}
