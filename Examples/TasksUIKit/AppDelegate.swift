import ReorderClient
import UIKit

@main final class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    // With a server: ReorderStore(server: url, account: "anna").
    let store = ReorderStore.inMemory([
        "tasks": """
        # Tasks
        - Read the manual
        - Install
        - Move house
          - Pack
            - Books
            - Dishes
          - Rent a van
        ## Garden
        - Plant beans
        ## Later
        """
    ])

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        let list = store.list("tasks")
        // The first two rows stay; a moved task hides its subtasks. `moves: .siblings` would allow moves only among brothers.
        list.update(SettingsUpdate(elementsOffset: 2, collapseSubElements: true))
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = UINavigationController(
            rootViewController: TasksController(list: list))
        window?.makeKeyAndVisible()
        return true
    }
}
