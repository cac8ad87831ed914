#if GTK
    import Alcedo
    import AlcedoGTK
    import AlcedoLocks
    import AlcedoTestSupport
    import CGtk4
    import Foundation

    /// A program with two windows, whose pictures load from a place where calls of the system hang, and from one where none do.
    ///
    /// It closes its windows, or quits, while the calls hang, and prints what went wrong. It has to end by itself then.
    @MainActor
    final class ViewProgram {
        /// What is loaded, and the folder in which calls hang.
        enum Load: String, CaseIterable {
            case download, disk, file

            nonisolated var folder: String { self == .file ? "files" : "cache" }
        }

        /// Longest time without a turn of the main loop, and for a picture where nothing hangs: on a busy machine, which draws its
        /// first frame.
        private static let (longestGap, quick) = (4.0 * Patience.factor, 8.0 * Patience.factor)

        private let load: Load
        private let quits: Bool
        private let (hung, healthy): (Place, Place)
        private let fault: Fault
        private let application = GTKApplication()
        private let start = ContinuousClock.now
        private var (lastTurn, gap): (ContinuousClock.Instant?, Double) = (nil, 0)

        private var outcomes: [String: String] = [:]

        /// Loads once, with the `calls` of the folder hanging: such as `3 1`, or `3` for all from the third one on.
        init(_ load: Load, calls: String, quits: Bool) throws {
            let server = try LoopbackServer()
            (self.load, self.quits) = (load, quits)
            (hung, healthy) = (try Place(server), try Place(server))
            if load == .disk {
                let place = hung
                _ = Background { () async -> String in await place.load("picture", [.waitForCache]) }.wait()
                hung.cache.clearMemoryCache()
            }
            fault = Fault("hang * \(hung.folder(load.folder)) \(calls)")
        }

        /// Returns the exit status.
        func run() -> Int32 {
            let status = application.run { [self] in open($0) }
            fflush(nil)
            if fault.hit.isEmpty { print("no call") } else { print("hit \(fault.hit)") }
            if gap > Self.longestGap { print("WRONG: the main loop stood still for \(gap) s") }
            if status != 0 { print("WRONG: the application ended with \(status)") }
            fflush(nil)
            return 0
        }

        private func open(_ application: GTKApplication) {
            let (view, other) = (ImageView(), ImageView())
            let url = load == .file ? hung.file : hung.url()
            view.kf.setImage(with: url, options: options(hung)) { [weak self] in self?.end("view", $0) }
            other.kf.setImage(with: healthy.url(), options: options(healthy)) { [weak self] in
                self?.end("other", $0)
            }
            application.show(view, other, title: "views")
            let widget = KFImage(url).targetCache(hung.cache).downloader(hung.manager.downloader)
                .onSuccess { [weak self] in self?.end("widget", .success($0)) }
                .onFailure { [weak self] in self?.end("widget", .failure($0)) }
                .makeWidget()
            application.show(widget, title: "widget")
            let context = Unmanaged.passUnretained(self).toOpaque()
            g_timeout_add(
                5,
                { context in
                    guard let context else { return 0 }
                    let program = Unmanaged<ViewProgram>.fromOpaque(context).takeUnretainedValue()
                    return MainActor.assumeIsolated { program.turn() } ? 1 : 0
                }, context)
        }

        private func options(_ place: Place) -> KingfisherOptionsInfo {
            [.targetCache(place.cache), .downloader(place.manager.downloader)]
        }

        private func end(_ name: String, _ result: Result<RetrieveImageResult, KingfisherError>) {
            outcomes[name] = (try? result.get()) == nil ? "no picture" : "picture"
        }

        /// Ends the program once its calls hang, and the other picture is there; returns whether to go on.
        private func turn() -> Bool {
            let now = ContinuousClock.now
            gap = max(gap, (now - (lastTurn ?? now)) / .seconds(1))
            lastTurn = now
            let isLate = now - start > .seconds(Self.quick)
            let isDone = outcomes["view"] != nil && outcomes["widget"] != nil
            guard isLate || outcomes["other"] != nil && (isDone || fault.hung > 0) else { return true }
            if outcomes["other"] != "picture" {
                print("WRONG: another view has \(outcomes["other"] ?? "nothing")")
            }
            print("ends after \(outcomes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
            if quits {
                application.quit()
                return false
            }
            let windows = gtk_window_get_toplevels()
            while let window = g_list_model_get_item(windows, 0) {
                gtk_window_destroy(window.assumingMemoryBound(to: GtkWindow.self))
                g_object_unref(window)
            }
            return false
        }
    }
#endif
