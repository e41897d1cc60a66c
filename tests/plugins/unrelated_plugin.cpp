/// A shared object that has nothing to do with ultr.
extern "C" {
[[gnu::visibility("default")]] int unrelated() { return 1; }
}
