/// The method and the path of a route.
package struct Route: Hashable, Sendable {
    package let method: HTTPMethod
    /// The pattern that was passed to `Router.on`, such as `/lists/:id/move`.
    package let pattern: String

    package init(method: HTTPMethod, pattern: String) {
        self.method = method
        self.pattern = pattern
    }
}
