import AlcedoHTTPServer
import Foundation
import Synchronization

/// The trace of one request; its spans go to an exporter as they end.
final class Trace: Sendable {
    /// That of the request whose work this task does; work that requests share has the trace of the first.
    @TaskLocal static var current: Trace?

    /// The span of the request itself.
    let context: TraceContext

    /// What other tracers add to the trace, for origins.
    let state: String?

    private let parent: String?
    private let exporter: TraceExporter
    private let start = Date()

    fileprivate init(of request: HTTPRequest, exporter: TraceExporter) {
        self.exporter = exporter
        let given = request.headers["traceparent"].flatMap { TraceContext(traceparent: $0) }
        parent = given?.span
        context = given?.child ?? .newTrace(isSampled: exporter.samplesNext())
        state =
            given == nil
            ? nil : request.headers.joined("tracestate").flatMap { TraceContext.isState($0) ? $0 : nil }
    }

    /// Starts a span of the present trace; nil without one.
    static func start(_ name: String, kind: TraceSpan.Kind = .part) -> OpenSpan? {
        current.map { OpenSpan(name, kind, of: $0) }
    }

    /// Ends the span of the request.
    func end(_ name: String, isError: Bool, attributes: [(String, TraceSpan.Value)]) {
        record(
            TraceSpan(
                context: context, parent: parent, name: name, kind: .server, start: start, end: Date(),
                isError: isError, attributes: attributes))
    }

    fileprivate func record(_ span: TraceSpan) {
        if span.context.isSampled { exporter.add(span) }
    }
}

extension TraceExporter {
    /// The trace of a request, in that of its client if it names one.
    func trace(of request: HTTPRequest) -> Trace { Trace(of: request, exporter: self) }
}

/// A part of the work for a request that has not ended.
final class OpenSpan: Sendable {
    let context: TraceContext
    let trace: Trace
    private let name: String
    private let kind: TraceSpan.Kind
    private let start = Date()
    private let hasEnded = Atomic(false)

    fileprivate init(_ name: String, _ kind: TraceSpan.Kind, of trace: Trace) {
        (self.name, self.kind, self.trace) = (name, kind, trace)
        context = trace.context.child
    }

    /// Ends the span; later calls have no effect.
    func end(isError: Bool = false, attributes: [(String, TraceSpan.Value)] = []) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        trace.record(
            TraceSpan(
                context: context, parent: trace.context.span, name: name, kind: kind, start: start,
                end: Date(), isError: isError, attributes: attributes))
    }

    deinit { end(isError: true) }
}

/// A part of the work for a request.
struct TraceSpan: Sendable {
    /// OTLP's numbers.
    enum Kind: Int, Sendable {
        case part = 1
        case server = 2
        case client = 3
    }

    enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
    }

    let context: TraceContext
    let parent: String?
    let name: String
    let kind: Kind
    let start: Date
    let end: Date
    let isError: Bool
    let attributes: [(String, Value)]
}
