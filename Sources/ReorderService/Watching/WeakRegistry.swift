import Synchronization

/// Shares objects by name. It holds weak references: an object exists while it is used elsewhere.
package final class WeakRegistry<Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var object: Object?
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let count = Atomic<Int>(0)

    package init() {}

    /// Returns the object with this name, and creates it if it does not exist.
    package func object(_ name: String, make: () -> Object) -> Object {
        entries.withLock { entries in
            if let object = entries[name]?.object { return object }
            let object = make()
            entries[name] = Entry(object: object)
            count.store(entries.count, ordering: .relaxed)
            return object
        }
    }

    /// The names of all existing objects.
    package var names: [String] { entries.withLock { Array($0.keys) } }

    /// Returns the object with this name, or nil if it does not exist.
    package func existing(_ name: String) -> Object? {
        guard !isEmpty else { return nil }
        return entries.withLock { $0[name]?.object }
    }

    /// All existing objects. Complexity: O(number).
    package var all: [Object] { entries.withLock { $0.values.compactMap(\.object) } }

    /// Removes a name. Called by the `deinit` of its object.
    package func remove(_ name: String) {
        // Released outside the lock, because `deinit` calls this function.
        let found = entries.withLock { entries in
            let object = entries[name]?.object
            // A new object with this name may exist by now.
            if object == nil { entries[name] = nil }
            count.store(entries.count, ordering: .relaxed)
            return object
        }
        withExtendedLifetime(found) {}
    }

    /// Whether no object exists. Takes no lock.
    package var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }
}
