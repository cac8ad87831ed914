#if GTK
    import CGtk4
    import Foundation

    /// What a `GdkPaintable` of ``PaintableType`` draws.
    @MainActor
    class PaintableContent {
        init() {}

        /// The size in points; zero for none.
        var intrinsicSize: CGSize { .zero }

        /// What the paintable draws now, for those who keep it.
        var texture: Texture? { nil }

        /// Draws into a rectangle of this size at the origin.
        func draw(on snapshot: OpaquePointer, width: Double, height: Double) {}
    }

    /// The GObject class of paintables whose content is in Swift.
    enum PaintableType {
        private struct Instance {
            var parent: GObject
            /// The ``PaintableContent``, unowned; nil after its end.
            var owner: UnsafeMutableRawPointer?
        }

        /// G_TYPE_OBJECT, a macro that Swift does not import.
        private static let objectType = GType(20 << 2)

        private static let type: GType = {
            var info = GTypeInfo(
                class_size: guint16(MemoryLayout<GObjectClass>.size),
                base_init: nil,
                base_finalize: nil,
                class_init: { objectClass, _ in
                    guard let table = objectClass?.assumingMemoryBound(to: GObjectClass.self) else { return }
                    table.pointee.dispose = { disposeOnMainThread($0) }
                },
                class_finalize: nil,
                class_data: nil,
                instance_size: guint16(MemoryLayout<Instance>.size),
                n_preallocs: 0,
                instance_init: nil,
                value_table: nil
            )
            let type = g_type_register_static(
                objectType, "AlcedoImagePaintable", &info, GTypeFlags(rawValue: 0))
            var interface = GInterfaceInfo(
                interface_init: { interface, _ in
                    guard let table = interface?.assumingMemoryBound(to: GdkPaintableInterface.self) else {
                        return
                    }
                    table.pointee.snapshot = { paintable, snapshot, width, height in
                        guard let snapshot else { return }
                        // Safe because GTK draws on the main thread, and the pointer does not escape.
                        nonisolated(unsafe) let canvas = snapshot
                        owner(of: paintable) { $0.draw(on: canvas, width: width, height: height) }
                    }
                    table.pointee.get_current_image = { paintable in
                        guard let texture = owner(of: paintable, { $0.texture }) ?? nil else {
                            // NULL is not allowed.
                            return gdk_paintable_new_empty(0, 0)
                        }
                        return OpaquePointer(g_object_ref(UnsafeMutableRawPointer(texture.handle)))
                    }
                    table.pointee.get_intrinsic_width = { paintable in
                        owner(of: paintable) { Int32($0.intrinsicSize.width.rounded()) } ?? 0
                    }
                    table.pointee.get_intrinsic_height = { paintable in
                        owner(of: paintable) { Int32($0.intrinsicSize.height.rounded()) } ?? 0
                    }
                    table.pointee.get_intrinsic_aspect_ratio = { paintable in
                        owner(of: paintable) { content in
                            let size = content.intrinsicSize
                            return size.height > 0 ? size.width / size.height : 0
                        } ?? 0
                    }
                },
                interface_finalize: nil,
                interface_data: nil
            )
            g_type_add_interface_static(type, gdk_paintable_get_type(), &interface)
            return type
        }()

        /// Ends an object on the main thread, whichever thread releases it: until then, its view draws into it there.
        private static func disposeOnMainThread(_ object: UnsafeMutablePointer<GObject>?) {
            guard let object else { return }
            guard isOnMain else {
                // With this reference GLib lets it live on.
                let address = UInt(bitPattern: g_object_ref(object))
                return DispatchQueue.main.async {
                    g_object_unref(UnsafeMutableRawPointer(bitPattern: address))
                }
            }
            let parent = g_type_class_peek(objectType)?.assumingMemoryBound(to: GObjectClass.self)
            parent?.pointee.dispose?(object)
        }

        /// Creates an object; the caller owns a reference.
        static func makeInstance() -> OpaquePointer {
            guard let object = g_object_new_with_properties(type, 0, nil, nil) else {
                preconditionFailure("g_object_new_with_properties failed")
            }
            return OpaquePointer(object)
        }

        /// Creates an object that draws a content and retains it; the caller owns a reference.
        @MainActor
        static func makeInstance(retaining content: PaintableContent) -> OpaquePointer {
            let object = makeInstance()
            setOwner(content, of: object)
            g_object_set_data_full(
                UnsafeMutablePointer(object), "alcedo-content", Unmanaged.passRetained(content).toOpaque()
            ) { content in
                if let content { Unmanaged<PaintableContent>.fromOpaque(content).release() }
            }
            return object
        }

        /// Sets the owner, which draws; without an owner, the object draws nothing if GTK still retains it.
        @MainActor
        static func setOwner(_ owner: PaintableContent?, of object: OpaquePointer) {
            UnsafeMutablePointer<Instance>(object).pointee.owner = owner.map {
                Unmanaged.passUnretained($0).toOpaque()
            }
        }

        private static func owner<Result: Sendable>(
            of paintable: OpaquePointer?,
            _ body: @MainActor (PaintableContent) -> Result
        ) -> Result? {
            guard let paintable, let owner = UnsafeMutablePointer<Instance>(paintable).pointee.owner else {
                return nil
            }
            let content = Unmanaged<PaintableContent>.fromOpaque(owner).takeUnretainedValue()
            return MainActor.assumeIsolated { body(content) }
        }
    }
#endif
