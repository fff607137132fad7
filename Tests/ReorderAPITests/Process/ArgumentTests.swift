import ProcessTesting
import Testing

/// Arguments that are refused, with the reason.
@Suite(.serialized) struct ArgumentTests {
    @Test(arguments: [
        (["serve", "--port", "65536"], "--port must be from 0 to 65535"),
        (["serve", "--port", "http"], "--port"),
        (["serve", "--store", "cloud"], "--store"),
        (["serve", "--cors-origin", "https://a.example/x"], "an origin has no path"),
        (["serve", "--cors-origin", "a.example"], "it has no scheme"),
        (["serve", "--cors-origin", "https://u@a.example"], "an origin has no user"),
        (["serve", "--cors-origin", "https://a.example:0"], "its port must be from 1 to 65535"),
        (["serve", "--cors-origin", "https://a.example:"], "its port must be from 1 to 65535"),
        (["serve", "--cors-origin", "https://::1"], "an IPv6 address must be in brackets"),
        (["serve", "--cors-origin", "http://127.1"], "an IPv4 address has four numbers"),
        (["serve", "--cors-origin", "http://10.0.0.010:80"], "an IPv4 address has four numbers"),
        (["serve", "--cors-origin", "ws://a"], "no page has an origin with this scheme"),
        (["serve", "--cors-origin", "https://\u{E4}.example"], "xn--"),
        (
            ["serve", "--cors-origin", "*", "--cors-origin", "https://a.example"],
            "--cors-origin * allows all origins"
        ),
        (["serve", "--migrate"], "need --store postgres://"),
        (["serve", "--store", "memory", "--postgres-polling"], "need --store postgres://"),
        (
            ["serve", "--store", "memory", "--postgres-connections", "9"],
            "need --store postgres://"
        ),
        (["serve", "--log-requests", "--log-level", "warning"], "--log-requests needs"),
        (["serve", "--slow-request-ms", "9", "--log-level", "error"], "--slow-request-ms needs"),
        (
            ["serve", "--max-connections-per-client", "10000"],
            "must be less than --max-connections"
        ),
        (["backup", "a.db", "-", "--replace"], "--replace needs a file"),
        (["serve", "--store", "file:"], "--store"),
        (["serve", "--max-body-bytes", "0"], "--max-body-bytes must be from 1 to"),
        (["serve", "--store", "x.db"], "did you mean file:x.db?"),
        (["export", "--store", "x.db", "--all"], "did you mean file:x.db?"),
        (["import", "--store", "x.db", "a.md"], "did you mean file:x.db?"),
        (["migrate", "--store", "x.db"], "did you mean file:x.db?"),
        (["serve", "--store", "mysql://h/d"], "a store is memory, file:PATH or postgres://"),
        (["serve", "--drain-seconds", "3601"], "--drain-seconds must be from 0 to"),
        (["serve", "--cache-bytes", "10"], "--cache-bytes must be 0"),
        (["serve", "--cache-bytes", "1048575"], "or at least 1048576 (1 MiB)"),
        (["serve", "--threads", "257"], "--threads must be from 0 to 256"),
        (["serve", "--max-bodies-bytes", "1000"], "is less than --max-body-bytes"),
        (["serve", "--max-tasks-per-list", "-1"], "--max-tasks-per-list"),
        (["serve", "--log-level", "loud"], "--log-level"),
        (["serve", "--colour"], "--colour"),
        (["serve", "more"], "more"),
        (["sever"], "sever"),
    ])
    func wrongArgumentsAreReportedWithExitCode64(arguments: [String], message: String) throws {
        let end = try ServerProcess.run(arguments)
        #expect(end.exitCode == 64)
        #expect(end.errors.contains(message), "\(end.errors)")
    }
}
