/// The principal of a request, as set by the authenticator.
package protocol Principal: AnyObject, Sendable {
    /// Identifies the principal for limits. All requests of a principal have the same name, and no
    /// two principals share a name. nil for an anonymous principal.
    var principalName: String? { get }

    /// The principal's name for people, in the log. nil for an anonymous principal.
    var displayName: String? { get }
}
