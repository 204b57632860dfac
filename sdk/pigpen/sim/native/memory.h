// What the compiler calls to copy or clear what is too large for a few instructions: C's own library is not used.

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from, unsigned long size) {
    char *byte = to;
    for (const char *next = from; size; size--) *byte++ = *next++;
    return to;
}

__attribute__((visibility("hidden"))) void *memset(void *to, int value, unsigned long size) {
    for (char *byte = to; size; size--) *byte++ = (char)value;
    return to;
}
