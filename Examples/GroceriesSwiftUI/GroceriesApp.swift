import ReorderClient
import SwiftUI

@main
struct GroceriesApp: App {
    @State private var store = ReorderStore(
        server: URL(string: "https://lists.example.com") ?? .homeDirectory, account: "anna")

    var body: some Scene {
        WindowGroup {
            NavigationStack { GroceriesView(list: store.list("groceries")) }
        }
    }
}
