#if GTK
    public import Alcedo
    public import CGtk4
    public import Foundation

    /// A surface on a widget; the base class of all surfaces.
    ///
    /// Child views are added to the `GtkOverlay` around the widget; without an overlay, they are not shown.
    /// Methods that draw do nothing; subclasses override them.
    @MainActor
    open class WidgetSurface: ViewSurface {
        /// The widget to add to a container: the content, or the overlay around it.
        public let widget: UnsafeMutablePointer<GtkWidget>

        public let content: UnsafeMutablePointer<GtkWidget>

        @MainActor
        public var visibilityChanged: (@MainActor (Bool) -> Void)?

        private var signals: Signals
        private let isFloating: Bool

        /// The view that lives as long as others have references to ``widget``.
        private weak var view: KFCrossPlatformView?
        private var holdsToggleReference = false
        private var keptView: KFCrossPlatformView?

        /// Whether the program has the widget, and so the floating reference or one of its own.
        private var isHandedOut = false

        /// Takes ownership of a floating widget that draws the content, or retains an existing one; puts it into a new overlay
        /// if `hasOverlay`.
        public init(content: UnsafeMutablePointer<GtkWidget>, hasOverlay: Bool) {
            MainQueue.runUnderGLib()
            self.content = content
            isFloating = g_object_is_floating(content) != 0
            if hasOverlay, let overlay = gtk_overlay_new() {
                gtk_overlay_set_child(OpaquePointer(overlay), content)
                widget = overlay
            } else {
                widget = content
            }
            g_object_ref_sink(widget)
            signals = Signals(of: content)
            let context = Unmanaged.passUnretained(self).toOpaque()
            signals.connect("map", context) { _, context in WidgetSurface.notifyMapped(true, context) }
            signals.connect("unmap", context) { _, context in WidgetSurface.notifyMapped(false, context) }
            // An existing widget may be mapped already, and then sends no signal.
            guard gtk_widget_get_mapped(content) != 0 else { return }
            wasVisible = isVisible
            WindowWatch.shared.view(self, isMapped: true)
        }

        isolated deinit {
            // Disconnects first: releasing the widget may unmap it, and the handlers do not retain this object.
            signals = Signals(of: content)
            if holdsToggleReference {
                g_object_set_data(object, Self.keeper, nil)
                g_object_remove_toggle_ref(object, Self.ownersDidChange, context)
            } else {
                g_object_unref(widget)
            }
        }

        private var object: UnsafeMutablePointer<GObject> {
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
        }

        private var context: gpointer { Unmanaged.passUnretained(self).toOpaque() }

        /// The widget's allocated size, in application pixels.
        public var size: CGSize {
            CGSize(width: Int(gtk_widget_get_width(content)), height: Int(gtk_widget_get_height(content)))
        }

        /// The widget's rectangle in its parent, in application pixels; at the origin without a parent.
        public var frame: CGRect {
            var bounds = graphene_rect_t()
            guard let parent = gtk_widget_get_parent(widget),
                gtk_widget_compute_bounds(widget, parent, &bounds) != 0
            else { return CGRect(origin: .zero, size: size) }
            return CGRect(
                x: CGFloat(bounds.origin.x), y: CGFloat(bounds.origin.y),
                width: CGFloat(bounds.size.width), height: CGFloat(bounds.size.height))
        }

        /// Pixels per application pixel; may be fractional with GTK 4.12 or later.
        ///
        /// Earlier versions of GTK draw at the next larger integer scale, and the compositor reduces the result.
        public var scale: CGFloat {
            if let native = gtk_widget_get_native(content), let surface = gtk_native_get_surface(native),
                let scale = UnsafeMutableRawPointer(surface).double(property: "scale"), scale > 0
            {
                return scale
            }
            return CGFloat(gtk_widget_get_scale_factor(content))
        }

        /// Whether the widget is mapped, in a window that is neither minimised nor said to be invisible by the compositor.
        public var isVisible: Bool { WindowWatch.isVisible(content) }

        public func setHidden(_ isHidden: Bool) { gtk_widget_set_visible(widget, isHidden ? 0 : 1) }
        public func setAccessibilityLabel(_ label: String?) { setAccessibleLabel(label, of: content) }

        /// Keeps a view alive as long as others than its surface have references to ``widget``, such as a container.
        ///
        /// The image load of a `KFImage` is cancelled when the last of them is gone. A view that was kept by the same widget
        /// before no longer is: GLib notifies one such owner only.
        func keep(_ view: KFCrossPlatformView) {
            guard self.view == nil else { return }
            let previous = g_object_get_data(object, Self.keeper)
            g_object_set_data(object, Self.keeper, context)
            if let previous {
                Unmanaged<WidgetSurface>.fromOpaque(previous).takeUnretainedValue().stopKeeping()
            }
            self.view = view
            holdsToggleReference = true
            // The toggle reference replaces the one of `init`.
            g_object_add_toggle_ref(object, Self.ownersDidChange, context)
            g_object_unref(widget)
            // GLib reports changes only.
            if object.pointee.ref_count > 1 { keptView = view }
        }

        private static let keeper = "alcedo-keeper"

        private func stopKeeping() {
            // Released at the end: what it runs then may come back to `keptView`.
            let old = keptView
            // As after `init`.
            g_object_ref(widget)
            g_object_remove_toggle_ref(object, Self.ownersDidChange, context)
            holdsToggleReference = false
            keptView = nil
            withExtendedLifetime(old) {}
        }

        /// Keeps the view of a widget that the program has, with its floating reference if it was one.
        func keepForProgram(_ view: KFCrossPlatformView) {
            keep(view)
            if isFloating { _ = widgetForProgram }
            isHandedOut = true
        }

        /// The widget for the program, which gets a floating reference if it has none yet, as from GTK's own functions.
        ///
        /// The first container takes it. Until then it keeps the view alive.
        var widgetForProgram: UnsafeMutablePointer<GtkWidget> {
            guard holdsToggleReference, !isHandedOut else { return widget }
            isHandedOut = true
            if gtk_widget_get_parent(widget) == nil {
                g_object_ref(widget)
                g_object_force_floating(object)
            }
            return widget
        }

        private static let ownersDidChange: GToggleNotify = { context, _, isLast in
            guard let context else { return }
            // Retained here, as it may be released below.
            let surface = Unmanaged<WidgetSurface>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated {
                // Released after the assignment: what it runs then may come back to `keptView`.
                let old = surface.keptView
                if isLast != 0 { (old as? ImageView)?.binder?.cancel() }
                surface.keptView = isLast != 0 ? nil : surface.view
                withExtendedLifetime(old) {}
            }
        }

        open func show(_ image: KFCrossPlatformImage?) {}
        open func setContentMode(_ mode: KFCrossPlatformView.ContentMode) {}
        open func setResizable(_ isResizable: Bool) {}
        open func showBackground(_ image: KFCrossPlatformImage?) {}

        /// Applies the changes without a transition; subclasses override it.
        @MainActor
        open func transition(
            _ transition: ViewTransition,
            changes: () -> Void,
            completion: @escaping @MainActor (Bool) -> Void
        ) {
            changes()
            completion(true)
        }

        /// Adds a child to the overlay; the child receives no input.
        public func add(_ child: any ViewSurface, size: IndicatorSizeStrategy, centerOffset: CGPoint) {
            guard let overlay, let child = child as? WidgetSurface else { return }
            let widget = child.widget
            let alignment = size == .full ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER
            gtk_widget_set_halign(widget, alignment)
            gtk_widget_set_valign(widget, alignment)
            if case .size(let size) = size {
                gtk_widget_set_size_request(widget, Int32(size.width.rounded()), Int32(size.height.rounded()))
            }
            // A margin on one side moves the centre by half of it.
            gtk_widget_set_margin_start(widget, Int32(max(0, 2 * centerOffset.x)))
            gtk_widget_set_margin_end(widget, Int32(max(0, -2 * centerOffset.x)))
            gtk_widget_set_margin_top(widget, Int32(max(0, 2 * centerOffset.y)))
            gtk_widget_set_margin_bottom(widget, Int32(max(0, -2 * centerOffset.y)))
            gtk_widget_set_can_target(widget, 0)
            gtk_overlay_add_overlay(overlay, widget)
        }

        public func remove(_ child: any ViewSurface) {
            guard let child = child as? WidgetSurface, let parent = gtk_widget_get_parent(child.widget),
                OpaquePointer(parent) == overlay
            else { return }
            gtk_overlay_remove_overlay(overlay, child.widget)
        }

        public func makeImageSurface() -> any ViewSurface { PictureSurface() }
        public func makeActivitySurface() -> any ActivitySurface { SpinnerSurface() }

        private var overlay: OpaquePointer? {
            if widget != content { return OpaquePointer(widget) }
            guard let parent = gtk_widget_get_parent(content), parent.isA(gtk_overlay_get_type()) else {
                return nil
            }
            return OpaquePointer(parent)
        }

        package var animationsSettingChanged: (@MainActor () -> Void)?

        package var allowsAnimations: Bool {
            gtk_widget_get_settings(content).map(animationsAreAllowed) ?? true
        }

        /// Whether the window uses the cairo renderer.
        var usesCairoRenderer: Bool {
            guard let native = gtk_widget_get_native(content), let renderer = gtk_native_get_renderer(native)
            else {
                return false
            }
            return UnsafeMutableRawPointer(renderer).isInstance(of: gsk_cairo_renderer_get_type())
        }

        func visibilityDidChange(_ isVisible: Bool) { visibilityChanged?(isVisible) }

        private var wasVisible = false

        /// Reports a change of ``isVisible`` since the last call.
        func checkVisibility() {
            let isVisible = isVisible
            guard isVisible != wasVisible else { return }
            wasVisible = isVisible
            visibilityDidChange(isVisible)
        }

        private nonisolated static func notifyMapped(_ isMapped: Bool, _ context: gpointer?) {
            guard let context else { return }
            let surface = Unmanaged<WidgetSurface>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated {
                WindowWatch.shared.view(surface, isMapped: isMapped)
                surface.checkVisibility()
            }
        }
    }

    /// Whether the settings of a display allow animations.
    func animationsAreAllowed(by settings: OpaquePointer) -> Bool {
        var value = GValue()
        // G_TYPE_BOOLEAN, a macro that Swift does not import.
        g_value_init(&value, GType(5 << 2))
        g_object_get_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations",
            &value)
        defer { g_value_unset(&value) }
        return g_value_get_boolean(&value) != 0
    }

    extension UnsafeMutablePointer<GtkWidget> {
        /// Whether the widget is an instance of a type or a derived type.
        func isA(_ type: GType) -> Bool {
            UnsafeMutableRawPointer(self).isInstance(of: type)
        }
    }

    extension UnsafeMutableRawPointer {
        /// Whether an object is an instance of a type or a derived type.
        func isInstance(of type: GType) -> Bool {
            g_type_check_instance_is_a(assumingMemoryBound(to: GTypeInstance.self), type) != 0
        }

        /// The value of an object's property; nil if its class has no property of that name with the type `double`.
        func double(property name: String) -> Double? {
            // G_TYPE_DOUBLE, a macro that Swift does not import.
            let doubleType = GType(15 << 2)
            guard let type = assumingMemoryBound(to: GTypeInstance.self).pointee.g_class,
                let property = g_object_class_find_property(
                    UnsafeMutableRawPointer(type).assumingMemoryBound(to: GObjectClass.self), name),
                property.pointee.value_type == doubleType
            else { return nil }
            var value = GValue()
            g_value_init(&value, doubleType)
            defer { g_value_unset(&value) }
            g_object_get_property(assumingMemoryBound(to: GObject.self), name, &value)
            return g_value_get_double(&value)
        }
    }

    /// Sets the name that screen readers say for a widget; nil for GTK's own.
    package func setAccessibleLabel(_ label: String?, of widget: UnsafeMutablePointer<GtkWidget>) {
        var property = GTK_ACCESSIBLE_PROPERTY_LABEL
        let accessible = OpaquePointer(widget)
        guard let label else { return gtk_accessible_reset_property(accessible, property) }
        var value = GValue()
        // G_TYPE_STRING, a macro that Swift does not import.
        g_value_init(&value, GType(16 << 2))
        defer { g_value_unset(&value) }
        g_value_set_string(&value, label)
        gtk_accessible_update_property_value(accessible, 1, &property, &value)
    }
#endif
