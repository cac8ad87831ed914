#if GTK
    import AlcedoGTK
    import CGtk4
    import ExampleWidgets
    import Foundation

    /// Shows the usage of a cache.
    @MainActor
    final class Meter {
        let widget: Widget

        private let amount = makeLabel(class: "amount")
        private let bar: Widget = gtk_level_bar_new()

        init(_ title: String, _ explanation: String) {
            let heading = makeLabel(title, class: "heading")
            gtk_widget_set_hexpand(heading, 1)
            setAccessibleLabel(title, of: bar)
            // The same colour at all levels.
            for offset in [GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH, GTK_LEVEL_BAR_OFFSET_FULL] {
                gtk_level_bar_remove_offset_value(OpaquePointer(bar), offset)
            }
            widget = makeBox(
                GTK_ORIENTATION_VERTICAL, spacing: 8,
                [
                    makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [heading, amount]), bar,
                    makeLabel(explanation, class: "quiet"),
                ])
        }

        func set(bytes: Int, limit: Int) {
            amount.text = "\(Self.megabytes(bytes)) of \(Self.megabytes(limit)) MB"
            gtk_level_bar_set_value(OpaquePointer(bar), Double(bytes) / Double(max(limit, 1)))
        }

        private static func megabytes(_ bytes: Int) -> String {
            String(format: bytes < 100_000_000 ? "%.1f" : "%.0f", Double(bytes) / 1e6)
        }
    }
#endif
