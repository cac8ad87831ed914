import AlcedoTransport

// Processors that several groups of callers begin with run once for all of them.

/// The processing for one group of callers.
private struct Processing: Sendable {
    /// What two chains must have in common to share the next step.
    private struct Step: Hashable {
        let recipe: ImageRecipe
        let identifier: String
    }

    let group: ImageRecipe.Group

    /// Counts the body's bytes while a `processingQueue` has not processed them.
    let reservation: Backpressure.Reservation?

    var steps: [any ImageProcessor] { group.options.processor.steps }

    /// Divides by the step that follows the first `count` ones, which all have in common; no part is empty.
    static func parts(_ all: [Processing], after count: Int) -> [[Processing]] {
        guard all.count > 1 else { return all.map { [$0] } }
        var parts: [[Processing]] = []
        var indices: [Step: Int] = [:]
        for processing in all {
            let next = processing.steps.dropFirst(count).first.map {
                Step(recipe: ImageRecipe(processing.group.options).unprocessed, identifier: $0.identifier)
            }
            if let next, let index = indices[next] {
                parts[index].append(processing)
            } else {
                if let next { indices[next] = parts.count }
                parts.append([processing])
            }
        }
        return parts
    }
}

extension ImageTransferHandler {
    /// Processes the body for each group, on the queue of the group's options.
    func process(_ groups: [ImageRecipe.Group], of body: DownloadedBody) {
        let all = groups.map {
            Processing(group: $0, reservation: downloader.reserve(body.data.count, for: $0.options))
        }
        for part in Processing.parts(all, after: 0) {
            submit(part[0].group.options) { [self] in run(part, after: nil, of: body) }
        }
    }

    /// Runs the steps that all of a part have in common, then the others of each.
    ///
    /// Groups whose callers have all cancelled are left out before each common step.
    private func run(_ part: [Processing], after done: ProcessedSteps?, of body: DownloadedBody) {
        let current = part.filter { processing in
            let isCurrent = task.hasCallers(processing.group.tokens)
            if !isCurrent { processing.reservation?.release() }
            return isCurrent
        }
        guard let first = current.first else { return }
        guard current.count > 1 else { return finish(first, after: done, of: body) }
        var options = first.group.options
        options.context.transfer = task
        let common = ProcessedSteps.common(
            to: current.map(\.steps), after: done, of: .data(body.data), options: options)
        let count = common?.count ?? 0
        // Without progress each goes on by itself.
        let parts = count > done?.count ?? 0 ? Processing.parts(current, after: count) : current.map { [$0] }
        for part in parts.dropFirst() {
            submit(part[0].group.options) { [self] in run(part, after: common, of: body) }
        }
        run(parts[0], after: common, of: body)
    }

    private func finish(_ processing: Processing, after done: ProcessedSteps?, of body: DownloadedBody) {
        let callers = task.take(processing.group.tokens)
        let result = image(of: body, for: callers, after: done)
        processing.reservation?.release()
        if let result { deliver(result, of: body, to: callers) }
    }
}
