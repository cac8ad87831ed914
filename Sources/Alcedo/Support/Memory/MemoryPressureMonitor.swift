import AlcedoLocks
import Dispatch

/// Evicts images from memory caches and frees decoded frames of animations when memory runs short.
///
/// That is the memory of the machine, or of the process's control group.
///
/// As long as it lives, it watches the kernel's pressure stall information and the events of the process's control groups
/// (version 2). It needs no thread and no timer: two or three descriptors that are idle without pressure. What the kernel does
/// not offer or permit is not watched; see ``isActive``.
///
/// Programs with AlcedoGTK's views have one. Others, such as servers, create one and keep it. It trims the caches with
/// ``ImageCache/trimsAutomatically``.
public final class MemoryPressureMonitor: Sendable {
    /// How short of memory the machine or the control group is.
    public enum Level: Sendable {
        /// The caches drop the less recently used half of their images.
        case warning

        /// The caches drop all images.
        case critical
    }

    private let sources: [DispatchSourceHandle]

    /// Watches what is below the root of `allowance`, and calls `onPressure` only.
    init(allowance: MemoryAllowance, onPressure: @escaping @Sendable (Level) -> Void) {
        let queue = DispatchQueue(label: "alcedo.memory.pressure", qos: .utility)
        let stalls = PressureStalls.watch(allowance, on: queue, onPressure)
        sources = stalls + [ControlGroupEvents.watch(allowance, on: queue, onPressure)].compactMap { $0 }
        for source in sources { source.value.resume() }
    }

    deinit { for source in sources { source.value.cancel() } }

    /// Whether the kernel reports anything; false if neither pressure stall information nor a control group is available.
    public var isActive: Bool { !sources.isEmpty }
}
