// swift-tools-version: 6.0
import Foundation
import PackageDescription

// The package for apps, with stand-ins for Apple's modules: it compiles the library's parts for Apple's systems and the examples on
// Linux, and tests them. `scripts/client-apple` puts the sources beside this manifest.
let standIns: [Target.Dependency] = ["UIKit", "SwiftUI"].filter { has("Sources/\($0)") }
    .map { .byName(name: $0) }
let examples = ["TasksUIKit", "GroceriesSwiftUI", "Snippets"].filter { has("Sources/\($0)") }

let package = Package(
    name: "client-apple",
    platforms: [.iOS(.v17), .macOS(.v14)],
    targets: [
        .target(name: "ReorderEngine"),
        .target(name: "ReorderJSON", dependencies: ["ReorderEngine"]),
        .target(
            name: "ReorderClient", dependencies: ["ReorderEngine", "ReorderJSON"] + standIns,
            resources: [.copy("PrivacyInfo.xcprivacy")]),
    ],
    swiftLanguageModes: [.v6]
)
if !standIns.isEmpty {
    package.targets += [.target(name: "UIKit"), .target(name: "SwiftUI", dependencies: ["UIKit"])]
}
let libraries: [Target.Dependency] = ["ReorderClient", "ReorderEngine"]
// They have the access of an app.
for name in examples {
    let dependencies = libraries + standIns
    package.targets.append(
        name == "Snippets"
            ? .target(name: name, dependencies: dependencies, packageAccess: false)
            : .executableTarget(name: name, dependencies: dependencies, packageAccess: false))
}
if has("Tests") {
    package.targets.append(
        .testTarget(
            name: "AdapterTests",
            dependencies: libraries + standIns + examples.map { .byName(name: $0) },
            // Swift Testing has additions for Apple's UIKit, which are not there.
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]))
}

func has(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(folder)")
}
