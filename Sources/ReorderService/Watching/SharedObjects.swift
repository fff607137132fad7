import Synchronization

/// Objects by their names, each for as long as someone holds it.
package final class SharedObjects<Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var object: Object?
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let count = Atomic<Int>(0)

    package init() {}

    /// The object of that name, made where nobody holds one.
    package func object(_ name: String, make: () -> Object) -> Object {
        entries.withLock { entries in
            if let object = entries[name]?.object { return object }
            let object = make()
            entries[name] = Entry(object: object)
            count.store(entries.count, ordering: .relaxed)
            return object
        }
    }

    /// The names of all that someone holds.
    package var names: [String] { entries.withLock { Array($0.keys) } }

    /// The object of that name, where someone holds it.
    package func existing(_ name: String) -> Object? {
        guard !isEmpty else { return nil }
        return entries.withLock { $0[name]?.object }
    }

    /// All that someone holds. Complexity: O(number).
    package var all: [Object] { entries.withLock { $0.values.compactMap(\.object) } }

    /// Forgets a name, once nobody holds its object: for the object's `deinit`.
    package func forget(_ name: String) {
        // Whatever is found is released outside the lock: its `deinit` comes here again.
        let found = entries.withLock { entries in
            let object = entries[name]?.object
            // Another one may have been made meanwhile.
            if object == nil { entries[name] = nil }
            count.store(entries.count, ordering: .relaxed)
            return object
        }
        withExtendedLifetime(found) {}
    }

    /// Whether nobody holds any. Costs no lock.
    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }
}
