import Foundation
import ReorderEngine
import ReorderJSON

/// An order of siblings by a property. Equal ones keep their order.
package struct TaskSorting: Sendable {
    package enum Property: Sendable {
        /// By the rules of a language; upper and lower case make no difference, and numbers are
        /// ordered by their values.
        case title(Locale)
        /// Open tasks come first.
        case done
        case createdAt
        case completedAt
        /// The value of a member: false, true, numbers, and then texts by their code points.
        case data(DataPath)
    }

    package var property: Property
    package var isDescending: Bool

    /// The maximum number of tasks that a request orders.
    package static let maximumTasks = 10_000

    package init(_ property: Property, isDescending: Bool = false) {
        self.property = property
        self.isDescending = isDescending
    }

    /// A language for the order of titles; nil if it is unknown. Of a language in an unknown region, the rules of
    /// the language apply.
    ///
    /// - Parameter tag: a tag of BCP 47, such as `de` or `sv-SE`. Upper and lower case are equal.
    package static func locale(_ tag: String) -> Locale? {
        guard tag.utf8.count <= maximumTagBytes else { return nil }
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        for count in (0...parts.count).reversed() where count > 0 {
            let identifier = known[parts.prefix(count).joined(separator: "_").lowercased()]
            if let identifier { return Locale(identifier: identifier) }
        }
        return nil
    }

    /// The longest tag that RFC 5646, section 4.4.1, recommends to support.
    package static let maximumTagBytes = 35
    /// The identifiers of the known locales, by themselves in lower case.
    private static let known = Dictionary(
        Locale.availableIdentifiers.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)

    /// Returns the new order of tasks, as their indices. Tasks without the property come last, also in
    /// the descending order.
    func order(_ tasks: [TaskContent]) -> [Int] {
        switch property {
        case .title(let locale):
            sorted(tasks.map(\.title)) {
                $0.compare(
                    $1, options: [.caseInsensitive, .numeric], range: nil, locale: locale)
                    == .orderedAscending
            }
        case .done: sorted(tasks.map { $0.done ? 1 : 0 }, by: <)
        case .createdAt: sorted(tasks.map(\.stamps.createdAt), by: <)
        case .completedAt: sorted(tasks.map(\.stamps.completedAt), by: <)
        case .data(let path):
            sorted(tasks.map { task in task.withData { $0.flatMap(path.scalar(in:)) } }, by: <)
        }
    }

    private func sorted<Value>(
        _ values: [Value?], by isLess: (Value, Value) -> Bool
    ) -> [Int] {
        values.indices.sorted { one, other in
            guard let first = values[one] else { return values[other] == nil && one < other }
            guard let second = values[other] else { return true }
            if isDescending ? isLess(second, first) : isLess(first, second) { return true }
            return !(isDescending ? isLess(first, second) : isLess(second, first)) && one < other
        }
    }
}
