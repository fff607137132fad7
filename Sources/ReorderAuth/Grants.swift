/// A scope, and the lists that it covers.
package struct Grant: Sendable, Equatable {
    package let scope: AccessScope
    package let lists: ListPatterns

    package init(_ scope: AccessScope, _ lists: ListPatterns = .all) {
        self.scope = scope
        self.lists = lists
    }
}

/// All that a token allows. The scope that it has for a list is the highest of the grants that cover
/// the list.
package struct Grants: Sendable, Equatable {
    /// At most one for each scope, in the order of the scopes.
    package let all: [Grant]
    package let readableLists: ListPatterns
    package let writableLists: ListPatterns
    package let administeredLists: ListPatterns

    /// Grants of the same scope become one, so equal grants are equal in whatever order they are
    /// written.
    package init(_ grants: [Grant]) {
        func lists(_ isIncluded: (AccessScope) -> Bool) -> ListPatterns {
            ListPatterns(unionOf: grants.filter { isIncluded($0.scope) }.map(\.lists))
        }
        let scopes = Set(grants.map(\.scope)).subtracting([.none])
        all = scopes.sorted().map { scope in Grant(scope, lists { $0 == scope }) }
        readableLists = lists { $0.includes(.read) }
        writableLists = lists { $0.includes(.write) }
        administeredLists = lists { $0.includes(.admin) }
    }

    package init(_ scope: AccessScope, _ lists: ListPatterns = .all) {
        self.init([Grant(scope, lists)])
    }

    /// Whether a scope is granted for at least one list.
    package func include(_ scope: AccessScope) -> Bool {
        all.contains { $0.scope.includes(scope) }
    }

    /// Whether a scope is granted for a list. Complexity: O(number of patterns).
    package func include(_ scope: AccessScope, for list: String) -> Bool {
        all.contains { $0.scope.includes(scope) && $0.lists.allow(list) }
    }

    /// Whether these grants allow all that the others allow.
    package func include(all others: Grants) -> Bool {
        others.all.allSatisfy { other in
            // The lists of a right of the server have no effect.
            guard other.scope != .metrics else { return include(.metrics) }
            let lists = all.filter { $0.scope.includes(other.scope) }.map(\.lists)
            return ListPatterns(unionOf: lists).includes(other.lists)
        }
    }
}
