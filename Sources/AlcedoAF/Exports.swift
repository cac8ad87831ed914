// What Apple's Foundation has in one module.
@_exported public import FoundationNetworking

@_exported public import struct Alcedo.Color
@_exported public import class Alcedo.HTTPCache
// The types in AlamofireImage's signatures, so one import is enough.
@_exported public import class Alcedo.Image
@_exported public import class Alcedo.ImageView
@_exported public import class Alcedo.KFCrossPlatformButton
@_exported public import class Alcedo.KFCrossPlatformView
@_exported public import enum Alcedo.UIControl
