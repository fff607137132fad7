/// Why nobody was recognised.
package enum Denial: Error, Equatable, Sendable {
    /// There are no credentials of a kind that is asked for.
    case missing
    /// There are some, and they are not what they must be.
    case malformed
    /// A token that is not known, or not signed as it must be.
    case unknown
    /// A signed token that ended, or has not begun.
    case expired
    case notYetValid
    /// A signed token whose claims are not as they must be.
    case unusable
    /// A signed token of another issuer, or for another audience.
    case otherIssuer
    case otherAudience
}
