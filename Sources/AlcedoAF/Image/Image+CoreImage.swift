import Alcedo
import Foundation

extension AlamofireExtension where ExtendedType: Image {
    /// The image after a filter of CoreImage's; an animation stays one.
    ///
    /// - Parameters:
    ///   - name: CoreImage's name, such as `CISepiaTone`.
    ///   - parameters: CoreImage's parameters; those that are left out have CoreImage's defaults.
    /// - Returns: the filtered image; nil if it can't be filtered, of which the standard error says why, once for each
    ///   name.
    public func imageFiltered(
        withCoreImageFilter name: String, parameters: [String: Any]? = nil
    ) -> Image? {
        do throws(CoreImageFilterError) {
            return try filtered(withCoreImageFilter: name, parameters: parameters ?? [:])
        } catch {
            FilterWarning.warn(of: error, in: name)
            return nil
        }
    }

    /// ``imageFiltered(withCoreImageFilter:parameters:)`` that says why it can't be done.
    public func filtered(
        withCoreImageFilter name: String, parameters: [String: Any] = [:]
    ) throws(CoreImageFilterError) -> Image {
        let change = try CoreImageFilters.change(name, parameters)
        do throws(CodecError) { return try (type as Image).mapped(change) } catch {
            throw .imageCannotBeFiltered("\(error)")
        }
    }
}
