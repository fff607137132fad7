import ReorderAccess

/// What is told to those who are not let in (RFC 6750, section 3). Nothing of it tells what there is.
extension Problem {
    init(_ denial: Denial) {
        let reason =
            switch denial {
            case .missing: "The request needs a token: Authorization: Bearer …"
            case .malformed: "There is one Authorization field, with Bearer and a token in it."
            case .unknown: "The token is not known, or not signed as it must be."
            case .expired: "The token is over."
            case .notYetValid: "The token does not count yet."
            case .unusable: "The token's claims are not as they must be; exp is needed."
            case .otherIssuer: "The token is not of an issuer that counts here."
            case .otherAudience: "The token is not for this server."
            }
        self.init(.unauthorized, reason)
        challenge =
            denial == .missing
            ? Self.realm : #"\#(Self.realm), error="invalid_token", error_description="\#(reason)""#
    }

    /// The sender is known, and has too little.
    init(missing scope: AccessScope) {
        self.init(.forbidden, "The token's scope does not have \(scope.name).")
        challenge =
            #"\#(Self.realm), error="insufficient_scope", scope="reorderd:\#(scope.name)""#
    }

    /// The sender is known, and the list is none of those that the token is for.
    init(forbiddenList list: String) {
        self.init(.forbidden, "The token is not for the list \"\(list)\".")
        challenge = #"\#(Self.realm), error="insufficient_scope""#
    }

    private static let realm = #"Bearer realm="reorderd""#
}
