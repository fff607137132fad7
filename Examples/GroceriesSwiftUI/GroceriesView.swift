import ReorderClient
import SwiftUI

/// A shared list with sections and subtasks: rows are moved, folded, done, deleted, renamed and found.
struct GroceriesView: View {
    let list: LiveList
    @State private var newTitle = ""
    @State private var searchText = ""
    @State private var found: [LiveList.Row] = []

    var body: some View {
        List {
            if searchText.isEmpty {
                ForEach(list.sections) { section in
                    Section(section.title) {
                        ForEach(section.rows) { GroceryRow(list: list, row: $0) }
                            .onMove { list.move($0, to: $1, in: section) }
                            .onDelete { list.delete($0, in: section) }
                    }
                }
                TextField("New", text: $newTitle).onSubmit(create)
            } else {
                ForEach(found) { GroceryRow(list: list, row: $0) }
            }
        }
        .searchable(text: $searchText)
        .task(id: searchText) { found = await list.rows(matching: searchText) }
        .navigationTitle(list.title)
        .toolbar { EditButton() }
        .following(list)
    }

    private func create() {
        if list.create(newTitle) != nil { newTitle = "" }
    }
}

struct GroceryRow: View {
    let list: LiveList
    let row: LiveList.Row

    var body: some View {
        HStack {
            Button(row.title) { list.setCompleted(row.id, !row.isCompleted) }
                .opacity(row.isCompleted || row.isDraggedByOthers ? 0.5 : 1)
            Spacer()
            if row.isWaiting { Image(systemName: "clock") }
            if row.hasSubtasks {
                Button(row.isCollapsed ? "Show" : "Hide") { list.toggleCollapsed(row.id) }
            }
        }
        .padding(.leading, CGFloat(row.level) * 24)
        .moveDisabled(row.isLocked)
        .deleteDisabled(row.isLocked)
    }
}

struct GroceriesView_Previews: PreviewProvider {
    static var previews: some View {
        GroceriesView(
            list: ReorderStore.inMemory(["groceries": "- Milk\n- Fruit\n  - Apples"])
                .list("groceries"))
    }
}
