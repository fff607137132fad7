import Logging
import ReorderEngine
import ReorderService

/// The sample list, which shows each feature once.
enum SampleList {
    static let list = "demo"

    /// Creates the sample list if the store has no lists. Another server may create it at the same
    /// time.
    ///
    /// A failure is logged only: the server is useful without the list.
    static func create(in service: ListService, _ logger: Logger) {
        do {
            try create(in: service)
        } catch ServiceError.listTaken {
            logger.info("another server created the sample list")
        } catch {
            let reason = (error as? ServiceError)?.reason ?? "\(error)"
            logger.warning("the sample list could not be created: \(reason)")
        }
    }

    private static func create(in service: ListService) throws {
        guard try service.isEmpty() else { return }
        _ = try service.write(WriteRequest(list: list, action: .create(try makeList())))
    }

    private static func makeList() throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(
                title: "Weekend", elementsOffset: 1, collapseSubElements: true),
            sections: [("market", "Market"), ("home", "Home"), ("some-day", "Some day")],
            tasks: [
                task("today", "Today first: this row stays on top", in: nil),
                task("fruit", "Fruit", in: "market"),
                task("apples", "Apples", in: "market", under: "fruit"),
                task("pears", "Pears", in: "market", under: "fruit", done: true),
                task("bread", "Bread", in: "market"),
                task("challah", "חלה ליום שישי", in: "market"),
                task("cheese", "Cheese", in: "market", collapsed: true),
                task("cow", "From cows", in: "market", under: "cheese"),
                task("goat", "From goats", in: "market", under: "cheese"),
                task("sheep", "From sheep", in: "market", under: "cheese"),
                task("mow", "Mow the lawn", in: "home"),
                task("rent", "Pay the rent (locked)", in: "home", locked: true),
                task("japanese", "日本語を勉強する", in: "some-day"),
                task(
                    "boat",
                    "Build a boat, having found out first whether it would fit through the cellar door",
                    in: "some-day"),
            ])
    }

    /// Task ids are unique across all lists, so the sample's ids have a prefix.
    private static func task(
        _ id: TaskID, _ title: String, in section: SectionID?, under parent: TaskID? = nil,
        collapsed: Bool = false, locked: Bool = false, done: Bool = false
    ) -> ReorderableList.Entry {
        ReorderableList.Entry(
            content: TaskContent(
                id: "\(list)-\(id)", title: title, collapsed: collapsed, locked: locked, done: done),
            section: section, parent: parent.map { "\(list)-\($0)" })
    }
}
