import AlcedoHTTPServer
import AlcedoLocks
import AlcedoTestSupport
import AlcedoWaiting
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoCaches
@testable import AlcedoServer

struct `Metrics` {
    private func text(
        _ metrics: ServerMetrics = ServerMetrics(), _ change: (inout ServerMetrics.Gauges) -> Void = { _ in }
    ) -> String {
        var gauges = ServerMetrics.Gauges(
            workers: 2, imagesInProgress: 1, queueDepth: 0, connections: 0, lostLogLines: 0, shared: nil,
            sources: SourceWatch(width: 1).figures)
        change(&gauges)
        return metrics.text(namespace: "img", gauges: gauges)
    }

    @Test func `metrics count errors by source, and a hundred sources by name`() {
        let metrics = ServerMetrics()
        for number in 0..<103 {
            var response = ServerResponse(HTTPResponse(status: 504), errorKind: .timeout)
            response.source = "h\(number).test"
            metrics.respond(response, bytes: 0, after: .zero)
        }
        var broken = ServerResponse(HTTPResponse(status: 422), errorKind: .processing)
        broken.source = "h0.test"
        metrics.respond(broken, bytes: 0, after: .zero)
        let text = text(metrics)
        #expect(text.contains("\nimg_source_errors_total{source=\"h0.test\",type=\"timeout\"} 1\n"))
        #expect(text.contains("\nimg_source_errors_total{source=\"h0.test\",type=\"processing\"} 1\n"))
        #expect(text.contains("\nimg_source_errors_total{source=\"other\",type=\"timeout\"} 3\n"))
    }

    @Test func `metrics name the source of an error of a handler`() async throws {
        let origin = try ImageOrigin()
        origin.server.serve("/broken", Array("no image".utf8))
        let response = await origin.get("w:10", "/broken")
        #expect(response.status == 422)
        #expect(response.source.map { origin.server.address("/").contains("//\($0)/") } == true)
        let unread = await origin.handler.patientResponse(to: .get("/unsafe"))
        #expect(unread.errorKind == .pathParsing && unread.source == nil)
    }

    @Test func `metrics read what the system knows about the process`() {
        // A name that looks like fields.
        let stat =
            "7 (a) S 1 (b) S 1 7 7 0 -1 4194304 1 2 3 4 250 50 5 6 20 0 9 0 1000 4096000 25 18446744073709551615"
        let process = ProcessMetrics(stat: stat, booted: 1_700_000_000)
        #expect(process.processorSeconds == 3)
        #expect(
            (process.virtualBytes, process.residentBytes) == (4_096_000, 25 * sysconf(Int32(_SC_PAGESIZE))))
        #expect(process.startSeconds == 1_700_000_010)
        let text = text { $0.process = process }
        #expect(text.contains("\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 3\n"))
        #expect(text.contains("\nprocess_start_time_seconds 1700000010\n"))
        let own = ProcessMetrics()
        #expect(own.residentBytes > 1 << 20 && own.virtualBytes > own.residentBytes)
        #expect(own.openDescriptors > 2 && own.openDescriptors <= own.mostDescriptors)
        let age = Date().timeIntervalSince1970 - own.startSeconds
        #expect((-1..<86_400).contains(age), "\(age)")
    }

    private final class Clock: Sendable {
        let now = Lock(ContinuousClock.now)
    }

    @Test func `metrics and the log tell that a disk is full, once, and that it no longer is`() {
        let lines = Recorder<String>()
        let clock = Clock()
        let writes = DiskWrites(
            folder: "/c", now: { clock.now.withLock { $0 } }, warn: { lines.append($0) })
        func succeed(after seconds: Int) {
            clock.now.withLock { $0 += .seconds(seconds) }
            writes.ended(.success(()))
        }
        func fail(_ error: any Error) {
            writes.ended(.failure(.file(name: "a", data: Data(), error)))
        }
        for _ in 0..<3 { fail(POSIXError(.ENOSPC)) }
        fail(POSIXError(.EACCES))
        fail(DiskStallError(seconds: 5))
        #expect(
            lines.values == ["the disk of /c is full: results are kept in memory only until it has space"])
        let full = text { $0.disk = writes }
        #expect(full.contains("\nimg_disk_cache_full 1\n"))
        for (reason, count) in [("full", 3), ("slow", 1), ("other", 1)] {
            #expect(full.contains("\nimg_disk_cache_failures_total{reason=\"\(reason)\"} \(count)\n"))
        }
        // Small results fit now and then.
        succeed(after: 100)
        succeed(after: 59)
        fail(POSIXError(.ENOSPC))
        succeed(after: 1)
        succeed(after: 59)
        #expect(lines.values.count == 1 && text { $0.disk = writes }.contains("\nimg_disk_cache_full 1\n"))
        succeed(after: 1)
        succeed(after: 1)
        #expect(lines.values.dropFirst() == ["the disk of /c has space again: results are kept there"])
        #expect(text { $0.disk = writes }.contains("\nimg_disk_cache_full 0\n"))
    }

    @Test func `metrics tell why worker processes have ended`() {
        let text = text {
            $0.workerFailures = [.init(helper: "alcedo-decode", reason: "crashed", count: 2)]
        }
        #expect(text.contains("img_worker_failures_total{helper=\"alcedo-decode\",reason=\"crashed\"} 2\n"))
    }

    @Test(arguments: ["alcedo-alerts.yml", "alcedo-dashboard.json"])
    func `metrics have all names that the alerts and the dashboard use`(file: String) throws {
        let used = try String(
            contentsOf: Fixture.folder.appending(path: "../../packaging/monitoring/\(file)"), encoding: .utf8)
        let disk = DiskWrites(folder: "/c") { _ in }
        let counts = SharedTier.Figures(counts: SharedCacheCounts(), nodes: [])
        var gauges = ServerMetrics.Gauges(
            workers: 2, imagesInProgress: 1, queueDepth: 0, connections: 0, lostLogLines: 0, shared: counts,
            sources: SourceWatch(width: 1).figures)
        (gauges.disk, gauges.process) = (disk, ProcessMetrics())
        let text = ServerMetrics().text(namespace: "alcedo", gauges: gauges)
        let names = Set(used.matches(of: /\b(alcedo|process)_[a-z_]+\b/).map { String($0.output.0) })
        #expect(names.count > 5)
        for name in names.map({ $0.replacing(/_bucket$/, with: "") }).sorted() {
            #expect(text.contains("# TYPE \(name) "), "\(name)")
        }
    }
}
