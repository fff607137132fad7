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
        /// By a member, ascending: the order of a search by this value.
        case data(DataOrder)
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
    /// - Parameter tag: a tag of BCP 47, such as `de` or `sv-SE`. Upper and lower case make no difference.
    package static func locale(_ tag: String) -> Locale? {
        guard tag.utf8.count <= maximumTagBytes else { return nil }
        // With the usual script: in Taiwan, the order of Chinese texts is that of traditional characters.
        let complete = Locale.Language(identifier: tag).maximalIdentifier
        let parts = complete.replacing("_", with: "-").split(separator: "-")
        let prefixes = parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
        return ([tag] + prefixes).lazy.compactMap { known[$0.lowercased()] }.first
            .map(Locale.init(identifier:))
    }

    /// The longest tag that RFC 5646, section 4.4.1, recommends to support.
    package static let maximumTagBytes = 35
    /// The identifiers of locales, by their tags in lower case. Others would stay in a cache of Foundation.
    private static let known = Dictionary(
        Locale.availableIdentifiers.map { ($0.replacing("_", with: "-").lowercased(), $0) },
        uniquingKeysWith: { first, _ in first })

    /// Returns the new order of tasks, as their indices. Tasks without the property come last, also in
    /// the descending order.
    func order(_ tasks: [TaskContent]) -> [Int] {
        switch property {
        case .title(let locale):
            // The beginnings, because such comparisons are slow: 10,000 titles of 4 KiB with the same beginning
            // would take half a minute.
            sorted(tasks.map { String(Substring($0.title.utf8.comparedBeginning)) }) {
                $0.compare(
                    $1, options: [.caseInsensitive, .numeric], range: nil, locale: locale)
                    == .orderedAscending
            }
        case .done: sorted(tasks.map { $0.done ? 1 : 0 }, by: <)
        case .createdAt: sorted(tasks.map(\.stamps.createdAt), by: <)
        case .completedAt: sorted(tasks.map(\.stamps.completedAt), by: <)
        case .data(let order): sorted(tasks.map { $0.withData(order.key(of:)) }, by: <)
        }
    }

    /// The indices of the values in their order. Equal values stay in theirs, because `sorted` is stable.
    private func sorted<Value>(
        _ values: [Value?], by isLess: (Value, Value) -> Bool
    ) -> [Int] {
        values.indices.sorted { one, other in
            guard let first = values[one] else { return false }
            guard let second = values[other] else { return true }
            return isDescending ? isLess(second, first) : isLess(first, second)
        }
    }
}
