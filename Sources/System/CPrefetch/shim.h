/// Has the processor fetch the line of memory at an address; one that is nothing's does no harm.
static inline void alcedo_prefetch(unsigned long address) { __builtin_prefetch((const void *)address); }
