/// Why authentication failed.
package enum Denial: Error, Equatable, Sendable {
    /// The request has no credentials of a supported kind.
    case missing
    /// The credentials are malformed.
    case malformed
    /// The token is unknown, or its signature is invalid.
    case unknown
    /// The signed token has expired, or is not valid yet.
    case expired
    case notYetValid
    /// The claims of the signed token are not valid. `reason` is a sentence, which can name a member of the token.
    case unusable(reason: String)
    /// The signed token has another issuer or audience.
    case otherIssuer
    case otherAudience
    /// The ticket for an event stream is invalid or has expired, or its token is revoked.
    case unknownTicket
}
