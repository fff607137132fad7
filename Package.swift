// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "reorderd",
    // To work on the libraries that apps use; the server runs on Linux. Apps use the package of clients/swift.
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "reorderd", targets: ["reorderd"]),
        // For Benchmarks.
        .library(name: "ReorderEngine", targets: ["ReorderEngine"]),
        .library(name: "ReorderClient", targets: ["ReorderClient"]),
    ],
    // Exact versions: only the server and the tests use these. The libraries for apps have no dependencies.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        // Tests only: to read openapi.yaml.
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // The HTTP server and its C libraries. Does not depend on lists.
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // The server's memory allocator; to link it is enough.
        .systemLibrary(
            name: "CTCMalloc", pkgConfig: "libtcmalloc_minimal",
            providers: [.apt(["libgoogle-perftools-dev"])]),
        .target(
            name: "MicroHTTP", dependencies: ["CMicroHTTPD", "CGnuTLS", "CZlib", "ReorderMetrics"]),

        // Counters, and their text for Prometheus.
        .target(name: "ReorderMetrics"),

        // The rules, and their JSON forms. No I/O.
        .target(name: "ReorderEngine"),
        .target(name: "ReorderJSON", dependencies: ["ReorderEngine"]),
        // Lists from and to other programs' files.
        .target(name: "ReorderImportExport", dependencies: ["ReorderEngine", "ReorderJSON"]),

        // The library for apps: the same rules, applied at once, and synchronized with the server.
        .target(name: "ReorderClient", dependencies: ["ReorderEngine", "ReorderJSON"]),

        // The stores. They do not depend on each other.
        .target(name: "ReorderStore"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "CSQLite", "ReorderStore", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),

        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "PostgresStore", dependencies: ["CPostgres", "ReorderStore"]),

        // Digests and signatures, by GnuTLS.
        .target(name: "ReorderCrypto", dependencies: ["CGnuTLS"]),

        // Credentials and their grants. Depends neither on HTTP nor on lists.
        .target(name: "ReorderAuth", dependencies: ["ReorderCrypto", "ReorderJSON"]),

        // One writer for each list; above it HTTP; above that the process.
        .target(
            name: "ReorderService",
            dependencies: [
                "ReorderEngine", "ReorderJSON", "ReorderMetrics", "ReorderStore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // The delivery of changes to other servers, and the requests to them, by libcurl.
        .target(
            name: "ReorderWebhooks",
            dependencies: [
                "ReorderAuth", "ReorderCrypto", "ReorderJSON", "ReorderService", "ReorderStore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .target(
            name: "WebhookSockets", dependencies: ["CCurl", "ReorderService", "ReorderWebhooks"]),

        // The contract, the web page's files and the JavaScript client's, for WebPage.
        .target(name: "CEmbeddedFiles"),
        .target(
            name: "WebPage", dependencies: ["CEmbeddedFiles", "MicroHTTP"],
            exclude: ["Bundle", "Files"]),
        .target(
            name: "ReorderAPI",
            dependencies: [
                "MicroHTTP", "ReorderAuth", "ReorderCrypto", "ReorderImportExport",
                "ReorderService", "ReorderJSON", "ReorderMetrics", "ReorderWebhooks", "WebPage",
            ]),
        // The lists as calendars of tasks, for apps with CalDAV.
        .target(
            name: "ReorderCalDAV",
            dependencies: [
                "MicroHTTP", "ReorderAPI", "ReorderAuth", "ReorderCrypto", "ReorderEngine",
                "ReorderImportExport", "ReorderJSON", "ReorderService", "ReorderStore",
                "ReorderWebhooks",
            ]),
        .executableTarget(
            name: "reorderd",
            dependencies: [
                "ReorderAPI", "ReorderAuth", "ReorderCalDAV", "ReorderCrypto", "ReorderService",
                "ReorderImportExport", "ReorderEngine",
                "ReorderJSON", "ReorderStore", "SQLiteStore", "PostgresStore", "MicroHTTP",
                "CTCMalloc", "ReorderWebhooks", "WebhookSockets",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // The example of a command-line client, which a test runs.
        .executableTarget(
            name: "reorder", dependencies: ["ReorderClient"], path: "Examples/reorder",
            packageAccess: false),

        // Shared by tests of random operations.
        .target(name: "RandomRuns", path: "Tests/RandomRuns"),
        // A trivial implementation of the rules, and random requests.
        .target(
            name: "ListModel", dependencies: ["RandomRuns", "ReorderEngine", "ReorderJSON"],
            path: "Tests/ListModel"),
        // All small lists, and a model of drops in them.
        .target(
            name: "SmallLists", dependencies: ["RandomRuns", "ReorderEngine"],
            path: "Tests/SmallLists"),
        // Whole servers in one thread and in simulated time; `scripts/simulate` runs them.
        .target(
            name: "Simulation",
            dependencies: [
                "Gunzip", "ListModel", "MicroHTTP", "RandomRuns", "ReorderAPI", "ReorderAuth",
                "ReorderClient", "ReorderCrypto", "ReorderEngine",
                "ReorderJSON", "ReorderService", "ReorderStore", "ReorderWebhooks",
                "SimulatedDisk", "SQLiteStore", "StoreTesting",
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/Simulation", exclude: ["README.md", "Seeds", "seeded-bugs"]),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate"),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation"]),
        // A disk in memory that loses what was not synced.
        .target(
            name: "SimulatedDisk",
            dependencies: [
                "RandomRuns", "SQLiteStore", .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], path: "Tests/SimulatedDisk"),
        // The targets of the fuzzers in Fuzzing, and a test with their inputs.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "MicroHTTP", "ReorderAPI", "ReorderAuth", "ReorderCalDAV", "ReorderCrypto",
                "ReorderImportExport", "ReorderJSON", "ReorderService", "ReorderStore",
                "SigningKeys",
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/FuzzTargets"),
        .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets"]),
        // Keys to sign tokens, as an issuer does.
        .target(name: "SigningKeys", dependencies: ["CGnuTLS"], path: "Tests/SigningKeys"),
        // A store that passes its calls to another one, for stores that fail or wait.
        .target(
            name: "StoreTesting",
            dependencies: [
                "ReorderService", "ReorderStore", "Waiting",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/StoreTesting"),
        // Waits of tests, whose time limit only a hang reaches.
        .target(name: "Waiting", path: "Tests/Waiting"),
        // An HTTP client that sends exactly the given bytes.
        .target(name: "RawHTTP", dependencies: ["Waiting"], path: "Tests/RawHTTP"),
        // Decompresses responses, as clients do.
        .target(name: "Gunzip", dependencies: ["CZlib"], path: "Tests/Gunzip"),
        // A PostgreSQL of the tests' own.
        .target(
            name: "PostgresTesting", dependencies: ["Waiting"], path: "Tests/PostgresTesting"),
        // The executable as a process.
        .target(name: "ProcessTesting", dependencies: ["Waiting"], path: "Tests/ProcessTesting"),
        .testTarget(
            name: "MicroHTTPTests", dependencies: ["Gunzip", "MicroHTTP", "RawHTTP", "Waiting"]),
        .testTarget(name: "ReorderMetricsTests", dependencies: ["ReorderMetrics"]),
        .testTarget(
            name: "ReorderAuthTests",
            dependencies: ["ReorderAuth", "ReorderCrypto", "SigningKeys"]),
        .testTarget(
            name: "ReorderCryptoTests", dependencies: ["ReorderCrypto", "SigningKeys"]),
        .testTarget(
            name: "ReorderEngineTests",
            dependencies: [
                "ListModel", "RandomRuns", "ReorderEngine", "ReorderJSON", "SmallLists",
            ]),
        .testTarget(
            name: "ReorderJSONTests", dependencies: ["RandomRuns", "ReorderJSON", "ReorderEngine"]),
        .testTarget(
            name: "ReorderClientTests",
            dependencies: [
                "reorder", "ProcessTesting", "RandomRuns", "ReorderClient", "ReorderEngine",
                "ReorderJSON",
                "ReorderAPI", "Simulation", "SmallLists",
                "ReorderAuth", "ReorderService",
                "ReorderStore", "SQLiteStore", "StoreTesting", "MicroHTTP", "Waiting",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ReorderImportExportTests",
            dependencies: ["RandomRuns", "ReorderImportExport", "ReorderEngine", "ReorderJSON"]),
        .testTarget(
            name: "ReorderCalDAVTests",
            dependencies: [
                "MicroHTTP", "RandomRuns", "ReorderAPI", "ReorderAuth", "ReorderCalDAV",
                "ReorderEngine", "ReorderJSON", "ReorderService", "ReorderStore",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ReorderStoreTests",
            dependencies: [
                "RandomRuns", "PostgresTesting", "ReorderStore", "SimulatedDisk", "SQLiteStore",
                "PostgresStore", "Waiting", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "ReorderServiceTests",
            dependencies: [
                "ListModel", "RandomRuns", "ReorderService", "ReorderStore", "StoreTesting",
                "ReorderEngine",
                "ReorderJSON", "Waiting", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ReorderWebhooksTests",
            dependencies: [
                "RandomRuns", "ReorderAuth", "ReorderService", "ReorderStore", "ReorderWebhooks",
                "ReorderEngine", "ReorderJSON", "StoreTesting", "Waiting", "WebhookSockets",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ReorderAPITests",
            dependencies: [
                "Gunzip", "ReorderWebhooks",
                "RandomRuns", "RawHTTP", "PostgresTesting", "ProcessTesting", "PostgresStore",
                "ReorderAPI",
                "ReorderAuth",
                "ReorderCrypto", "ReorderService", "ReorderStore", "StoreTesting",
                "SQLiteStore",
                "MicroHTTP",
                "ReorderEngine", "ReorderJSON", "WebPage", "Waiting",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// scripts/test sets this. The loops over bytes and rows are optimized, because unoptimized they take half of the time of all
// tests; the rest is not, because that takes longer than it saves. Assertions run as in a debug build.
if Context.environment["REORDERD_FAST_TESTS"] != nil {
    for target in package.targets where ["ReorderJSON", "ReorderEngine"].contains(target.name) {
        target.swiftSettings = [.unsafeFlags(["-O", "-assert-config", "Debug"])]
    }
}
