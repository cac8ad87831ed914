@_exported public import Alcedo
