#if GTK
    @_exported public import Alcedo
#endif
