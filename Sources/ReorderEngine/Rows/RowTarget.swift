/// A place between the visible rows of a list, as a table view reports it.
package enum RowTarget: Sendable, Equatable {
    /// The row that the first moved task has afterwards, counted in the whole list. A row past the
    /// end means the end.
    ///
    /// At the border of two sections, the task stays with the row that it passes: if it moves down,
    /// it gets the section of the row above; if it moves up, that of the row below. In its own row
    /// it keeps its section. A task that is not visible in the list gets the section of the row
    /// below, or at the end that of the row above.
    case row(Int)
    /// The row that the first moved task has afterwards, counted in the whole list, in this section.
    case rowInSection(Int, SectionID?)
    /// An index path: the section, and the row in it that the first moved task has afterwards. A
    /// row past the end of the section means its end.
    case path(SectionID?, row: Int)
    /// The row before which to insert, counted in the whole list with the moved rows, as SwiftUI's
    /// `onMove` passes it. At the border of two sections the rule of `row` applies.
    case offset(Int)
    /// The row in a section before which to insert, counted with the moved rows.
    case offsetInSection(SectionID?, Int)
}

/// A place between the visible rows, and the level there.
package struct RowDestination: Sendable, Equatable {
    /// The place between the rows.
    package var target: RowTarget
    /// The depth that the moved tasks get; nil means the lowest of their depths, or the nearest that
    /// is possible.
    package var level: Int?

    /// Creates a destination.
    package init(_ target: RowTarget, level: Int? = nil) {
        self.target = target
        self.level = level
    }
}
