extension AnimatedImageView.Animator {
    /// Plays the animation until its end or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - clock: measures time.
    ///   - isolation: the actor that the closures run on; by default the caller's.
    ///   - loopEnded: called after each loop with the number of completed loops.
    ///   - show: called with each frame at its start.
    /// - Throws: `CancellationError`.
    public func play(
        by clock: some Clock<Duration>,
        isolation: isolated (any Actor)? = #isolation,
        loopEnded: (UInt) -> Void = { _ in },
        show: (KFCrossPlatformImage) -> Void
    ) async throws {
        let start = clock.now
        var frameReady = readySignal.stream().makeAsyncIterator()
        var isShown = false
        defer { stop(at: start.duration(to: clock.now)) }
        while !Task.isCancelled {
            let changes = changeSignal.count
            let now = start.duration(to: clock.now)
            let update = update(at: now)
            if update.isNewFrame || !isShown, let image = currentFrameImage {
                show(image)
                isShown = true
            }
            if let loops = update.loopsPlayed { loopEnded(loops) }
            if update.hasFinished { return }
            if let deadline, deadline > now {
                let end = start.advanced(by: deadline)
                await changeSignal.sleep(by: clock, until: end, unlessChangedSince: changes)
            } else {
                _ = await frameReady.next(isolation: isolation)
            }
        }
        throw CancellationError()
    }

    /// The current frame, once it is decoded; nil if it is damaged or the task is cancelled.
    func preparedFrame() async -> KFCrossPlatformImage? {
        var frameReady = readySignal.stream().makeAsyncIterator()
        while !Task.isCancelled, currentFrameIndex < window.count {
            if let image = currentFrameImage { return image }
            _ = await frameReady.next()
        }
        return nil
    }
}
