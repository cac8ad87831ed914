@_exported public import AlcedoPixels
@_exported public import AlcedoTransport
