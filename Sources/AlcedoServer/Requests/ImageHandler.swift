import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTransport
import Foundation

/// Handles requests for images by the settings; cheap to create again when these change.
///
/// ``response(to:until:)`` has the order: read the URL, look into the caches of this machine, check whether what they have is
/// current, then join or start the work that equal requests share. The work looks into the shared cache and the bucket, waits for
/// its permit, loads the source unless it is unchanged, processes it and stores the result.
final class ImageHandler: Sendable {
    let rules: URLRules
    let sources: SourceRules
    let responses: ResponseRules
    let engine: ServerEngine
    let loader: SourceLoader
    private let checks: ResultChecks
    private let originals: Originals

    /// The settings that affect the bytes of results; part of their keys.
    private let fingerprint: String

    convenience init(_ settings: ServerSettings, engine: ServerEngine) {
        var sources = settings.sources
        sources.addressPolicy = settings.addresses.policy
        self.init(
            rules: settings.urls, sources: sources, responses: settings.responses, engine: engine)
    }

    /// - Parameters:
    ///   - rules: how URLs are read.
    ///   - sources: which sources are loaded.
    ///   - responses: results and headers.
    ///   - engine: caches, connections and work, shared with other handlers.
    init(rules: URLRules, sources: SourceRules, responses: ResponseRules, engine: ServerEngine) {
        (self.rules, self.sources, self.responses, self.engine) = (rules, sources, responses, engine)
        loader = SourceLoader(rules: sources, engine: engine)
        checks = ResultChecks(rules: sources, engine: engine, loader: loader)
        originals = Originals(responses: responses, engine: engine, loader: loader, checks: checks)
        fingerprint = responses.fingerprint
    }

    // MARK: - From a request to its response

    /// The response, if the URL is rejected or the memory has the result, which takes microseconds; nil otherwise.
    func immediateResponse(to request: HTTPRequest) -> ServerResponse? {
        do throws(RequestFailure) {
            let image = try read(request, until: .now)
            guard !image.url.options.raw, !image.bypassesCaches, !dependsOnFile(image),
                let result = engine.results.inMemory(image.key),
                checks.remoteStanding(of: result, image) == .current
            else { return nil }
            return response(to: image, with: result, from: .memory)
        } catch {
            return response(for: error)
        }
    }

    /// The response.
    ///
    /// Equal requests at the same time share the work, which is cancelled if nobody waits for it any more. The response
    /// never comes later than the deadline; after a cancellation it is a 499.
    func response(to request: HTTPRequest, until deadline: ContinuousClock.Instant) async -> ServerResponse {
        var source: String?
        do throws(RequestFailure) {
            let image = try await identified(try read(request, until: deadline))
            source = image.url.source.origin
            var kept: Kept?
            if !image.url.options.raw, !image.bypassesCaches {
                let span = Trace.start("cache")
                kept = await engine.results.result(forKey: image.key, until: deadline)
                span?.end()
            }
            let known = kept
            if let known {
                switch await checks.standing(of: known.result, image) {
                case .current: return response(to: image, with: known.result, from: known.tier)
                case .aging:
                    renew(known, image)
                    return response(to: image, with: known.result, from: known.tier)
                case .outdated: break
                }
            }
            return try await response(to: image, known, holding: try engine.admission.share(for: image))
        } catch {
            var response = response(for: error)
            response.source = source
            return response
        }
    }

    /// The response by the work that equal requests share.
    private func response(
        to image: ImageRequest, _ known: Kept?, holding share: borrowing Admission.Share
    ) async throws(RequestFailure) -> ServerResponse {
        // Work that began before a purge may end with what was purged.
        let key = "\(image.workKey)\n\(engine.purges.generation)"
        while true {
            let end = await engine.work.outcome(forKey: key, until: image.deadline) {
                await self.work(for: image, known)
            }
            switch end {
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            // The time of another request has ended, not this one's.
            case .finished(let outcome) where outcome.isLate && .now < image.deadline: continue
            case .finished(let outcome): return response(to: image, outcome)
            }
        }
    }

    private func read(
        _ request: HTTPRequest, until deadline: ContinuousClock.Instant
    ) throws(RequestFailure) -> ImageRequest {
        let headers = request.headers
        var hints = ClientHints.none
        if responses.usesClientHints {
            hints.dpr = headers.joined("Sec-CH-DPR") ?? headers.joined("DPR")
            hints.width = headers.joined("Sec-CH-Width") ?? headers.joined("Width")
        }
        let url: ImageURL
        let bypasses: Bool
        do throws(URLFailure) {
            bypasses = try bypassesCaches(request)
            url = try ImageURL(
                requestTarget: String(decoding: request.target, as: UTF8.self), rules: rules, hints: hints,
                now: Int(Date().timeIntervalSince1970))
        } catch { throw RequestFailure(error) }
        let accepted = ResultFormat.accepted(by: headers.joined("Accept"), rules: responses)
        let passed = try PassedHeaders(sources.passedHeaders, of: headers, for: url.source)
        let key = url.options.raw ? "" : key(of: url, accepted: accepted) + passed.key
        let representation = responses.varies && !url.options.raw ? key.utf8.hashText : ""
        var conditions = SourceConditions()
        if responses.usesETag, let tags = headers.joined("If-None-Match") {
            conditions.etags = EntityTag(buster: responses.etagBuster, representation: representation)
                .origins(of: tags)
        } else if responses.usesLastModified {
            conditions.date = responses.condition(headers.joined("If-Modified-Since"))
        }
        return ImageRequest(
            url: url, headers: headers, client: request.client, passed: passed, accepted: accepted,
            key: key, representation: representation, conditions: bypasses ? .none : conditions,
            bypassesCaches: bypasses, start: engine.now(), deadline: deadline)
    }

    func key(of url: ImageURL, accepted: [EncodedFormat]) -> String {
        ResultKey.key(of: url, accepted: accepted, rules: fingerprint)
    }

    // MARK: - The work that equal requests share

    /// A result that a cache has, and which.
    typealias Kept = (result: StoredResult, tier: ServerResponse.Tier)

    private func work(
        for image: ImageRequest, _ kept: Kept?, inBackground: Bool = false
    ) async -> ImageOutcome {
        var spans = ImageOutcome.Spans()
        let value: ImageOutcome.Value
        do throws(RequestFailure) {
            value = try await find(image, kept, inBackground: inBackground, &spans)
        } catch {
            value = .failed(error)
        }
        return ImageOutcome(value: value, spans: spans, deadline: image.deadline)
    }

    private func find(
        _ image: ImageRequest, _ kept: Kept?, inBackground: Bool, _ spans: inout ImageOutcome.Spans
    ) async throws(RequestFailure) -> ImageOutcome.Value {
        if image.url.options.raw {
            let permit = try await permit(for: image, image.url.source, &spans)
            return try await rawResponse(to: image, holding: permit, &spans)
        }
        if image.bypassesCaches {
            let right = engine.results.shared?.rightToReplaceEntry(forKey: image.key)
            return try await create(image, checking: nil, sharing: right, &spans)
        }
        // Work for the same may have ended between this request's lookup and now.
        if let result = engine.results.inMemory(image.key), result.facts != kept?.result.facts,
            await checks.standing(of: result, image) == .current
        {
            return .result(result, .memory)
        }
        // Before there is a permit: waiting for the result of another machine occupies no place here.
        var kept = kept
        let span = engine.results.shared == nil ? nil : Trace.start("shared cache")
        var finding = await engine.results.shared(image.key, until: image.deadline)
        span?.end()
        if case .hit(let result, let isRenewable) = finding {
            switch await checks.standing(of: result, image) {
            case .current:
                if isRenewable { renewEntry(of: image) }
                return .result(result, .shared)
            case .aging where !inBackground:
                renew((result, .shared), image)
                return .result(result, .shared)
            case .aging, .outdated: break
            }
            kept = (result, .shared)
            let replaced = await engine.results.replacing(
                image.key, waits: !inBackground, until: image.deadline
            ) { await checks.standing(of: $0, image) == .current }
            guard let replaced else { return .result(result, .shared) }
            finding = replaced
        }
        switch finding {
        case .hit(let result, _): return .result(result, .shared)
        case .failed(let failure):
            if let kept {
                if checks.mayUse(kept.result, of: image.url.source, in: failure) {
                    return .result(kept.result, kept.tier)
                }
                if !failure.isPassing { engine.results.removeHere(image.key) }
            }
            guard failure.isOfDownload, sources.fallback != nil else { throw failure }
            let permit = try await permit(for: image, nil, &spans)
            return try await fallback(for: failure, image, holding: permit)
        case .missed(let right):
            if kept == nil, let result = await engine.results.inBucket(image.key, until: image.deadline) {
                kept = (result, .bucket)
                let standing = await checks.standing(ofResultInBucket: result, image)
                if standing == .aging { renew((result, .bucket), image) }
                if standing != .outdated {
                    engine.results.store(result, forKey: image.key, sharing: right, replacing: false)
                    return .result(result, .bucket)
                }
            }
            return try await create(image, checking: kept, sharing: right, &spans)
        }
    }

    /// Checks the source of a result in the background, unless another machine does.
    private func renew(_ kept: Kept, _ image: ImageRequest) {
        Task {
            _ = await engine.work.outcome(forKey: "renew \(image.workKey)", until: image.deadline) {
                await self.work(for: image, kept, inBackground: true)
            }
        }
    }

    /// Creates a result again, in the background, if no other machine does.
    private func renewEntry(of image: ImageRequest) {
        engine.results.shared?.renewEntry(forKey: image.key) { right in
            Task {
                var spans = ImageOutcome.Spans()
                // A failure is shared already, and this machine's response has been sent.
                _ = try? await self.create(image.unconditional, checking: nil, sharing: right, &spans)
            }
        }
    }

    /// Loads the source, creates the result and stores it, in the shared cache, too, with the right to that.
    ///
    /// With a result to check, only if its source has changed; otherwise that result is used, and if its server fails, too,
    /// unless that is forbidden.
    private func create(
        _ image: ImageRequest, checking kept: Kept?, sharing right: SharedEntryRight?,
        _ spans: inout ImageOutcome.Spans
    ) async throws(RequestFailure) -> ImageOutcome.Value {
        let permit: Admission.Permit?
        do throws(RequestFailure) {
            permit = try await self.permit(for: image, image.url.source, &spans)
        } catch {
            guard let kept, checks.mayUse(kept.result, of: image.url.source, in: error) else { throw error }
            return .result(kept.result, kept.tier)
        }
        do throws(RequestFailure) {
            let start = ContinuousClock.now
            let loaded = await originals.load(image, kept?.result.facts.head.conditions ?? image.conditions)
            spans[.downloading] = ContinuousClock.now - start
            switch loaded {
            case .notModified(let head, let date):
                guard let kept else { return .notModified(head) }
                let result = kept.result.confirmed(by: head, at: date).dated(by: responses)
                // Equal if an original as old is used because its origin has failed.
                if result.facts != kept.result.facts {
                    engine.results.store(result, forKey: image.key, sharing: right, replacing: true)
                }
                return .result(result, kept.tier)
            case .failed(let failure): throw failure
            case .fetched(let source):
                let result = try await process(source, image, holding: permit, &spans).dated(by: responses)
                let isReplacing = kept != nil || image.bypassesCaches
                engine.results.store(result, forKey: image.key, sharing: right, replacing: isReplacing)
                engine.results.bucket?.store(result, forKey: image.key)
                return .result(result, .source)
            }
        } catch {
            if let kept {
                if checks.mayUse(kept.result, of: image.url.source, in: error) {
                    return .result(kept.result, kept.tier)
                }
                if error.isOfSource { engine.results.remove(image.key, after: error) }
            }
            // A failure past the caches does not replace what others have.
            if !image.bypassesCaches { error.share(by: right) }
            return try await fallback(for: error, image, holding: permit)
        }
    }

    /// Whether what is kept can't be used before a file has been looked at.
    private func dependsOnFile(_ image: ImageRequest) -> Bool {
        if case .local = image.url.source { return true }
        guard case .path = responses.watermark else { return false }
        return image.url.options.watermark != nil
    }

    /// The request with a key that tells apart the files that the watermark's path has named.
    private func identified(_ image: ImageRequest) async throws(RequestFailure) -> ImageRequest {
        guard image.url.options.watermark != nil, !image.url.options.raw,
            case .path(let path)? = responses.watermark
        else { return image }
        var identified = image
        identified.key +=
            ";" + (await engine.fixedImages.stamp(of: path, with: loader, until: image.deadline))
        return identified
    }

    /// Waits for a place for work that loads `source`; nil if that fails at once, which must not wait for a place.
    private func permit(
        for image: ImageRequest, _ source: ImageSource?, _ spans: inout ImageOutcome.Spans
    ) async throws(RequestFailure) -> Admission.Permit? {
        if let source, sources.fallback == nil, !originals.mayBeKept(image), loader.isUnresponsive(source) {
            return nil
        }
        let start = ContinuousClock.now
        let span = Trace.start("queue")
        defer { span?.end() }
        do throws(Admission.Rejection) {
            let permit = try await engine.admission.enter(source?.origin, until: image.deadline)
            spans[.queue] = ContinuousClock.now - start
            return permit
        } catch { throw RequestFailure(error) }
    }

    /// Creates the result as soon as a worker is free.
    private func process(
        _ source: FetchedSource, _ image: ImageRequest, holding permit: borrowing Admission.Permit?,
        _ spans: inout ImageOutcome.Spans
    ) async throws(RequestFailure) -> StoredResult {
        let start = ContinuousClock.now
        var waited = Duration.zero
        defer {
            spans[.queue, default: .zero] += waited
            spans[.processing] = ContinuousClock.now - start - waited
        }
        let work = ImageWork(
            options: image.url.options, rules: responses, accepted: image.accepted,
            watermark: try await watermark(for: image), deadline: image.deadline)
        let worker = try await worker(until: image.deadline, &waited)
        return try await engine.blocking(worker) {
            Result { () throws(RequestFailure) in try work.result(of: source) }
        }.get()
    }

    private func worker(
        until deadline: ContinuousClock.Instant, _ waited: inout Duration
    ) async throws(RequestFailure) -> Admission.Permit {
        let start = ContinuousClock.now
        let span = Trace.start("queue for a worker")
        defer {
            span?.end()
            waited = ContinuousClock.now - start
        }
        do throws(Admission.Rejection) { return try await engine.workers.enter(until: deadline) } catch {
            throw error == .timedOut ? RequestFailure.timedOut : .cancelled
        }
    }

    private func watermark(for image: ImageRequest) async throws(RequestFailure) -> Data? {
        guard image.url.options.watermark != nil, let watermark = responses.watermark else { return nil }
        do throws(RequestFailure) {
            return try await engine.fixedImages.data(of: watermark, with: loader, until: image.deadline)
        } catch {
            var failure = RequestFailure.internalError("the watermark can't be loaded: \(error.reason)")
            if error.kind == .timeout { (failure.status, failure.kind) = (error.status, .timeout) }
            throw failure
        }
    }

    /// The fallback image; throws the failure if there is none.
    private func fallback(
        for failure: RequestFailure, _ image: ImageRequest, holding permit: borrowing Admission.Permit?
    ) async throws(RequestFailure) -> ImageOutcome.Value {
        guard failure.isOfDownload, let fallback = sources.fallback else { throw failure }
        // The times of the response are those of what failed.
        var spans = ImageOutcome.Spans()
        do throws(RequestFailure) {
            let data = try await engine.fixedImages.data(of: fallback, with: loader, until: image.deadline)
            let source = FetchedSource(data: data, head: SourceHead(), checked: engine.now())
            return .fallback(try await process(source, image, holding: permit, &spans), failure)
        } catch { throw failure }
    }
}
