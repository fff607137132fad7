#if canImport(UIKit) && !os(watchOS)
    import ReorderEngine
    import UIKit

    extension RowPath {
        init(_ path: IndexPath) { self.init(row: path.row, section: path.section) }
    }

    extension IndexPath {
        init(_ path: RowPath) { self.init(row: path.row, section: path.section) }
    }

    extension RowDisplay {
        typealias Snapshot = NSDiffableDataSourceSnapshot<DisplayedSection, TaskID>

        /// Displays the list, and all later states of it.
        func start(_ apply: @escaping (Snapshot, _ isAnimated: Bool) -> Void) {
            start { apply(Snapshot($0), $0.isAnimated) }
        }
    }

    extension NSDiffableDataSourceSnapshot<DisplayedSection, TaskID> {
        fileprivate init(_ update: RowDisplay.Update) {
            self.init()
            appendSections(update.order.sections.map { DisplayedSection(id: $0.id) })
            for section in update.order.sections {
                appendItems(section.rows, toSection: DisplayedSection(id: section.id))
            }
            reconfigureItems(update.changed)
        }
    }
#endif
