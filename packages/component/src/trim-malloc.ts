import { keepUnprinted } from "./unprinted-warnings.ts";

/** Whether a warning is that of Node.js about `node:ffi`, which it prints when the module is loaded. */
const isAboutCalls = ({ name, message }: Error): boolean => name === "ExperimentalWarning" && message.startsWith("FFI");

/**
 * The function of the C library that returns free pages between allocations to the system (malloc_trim(3)). By itself, glibc only returns
 * those at the end of its arena. What a garbage collection allocates for its lists would stay: 7 to 11 MB in a node agent.
 *
 * @returns a function that does nothing where Node.js cannot call libraries, or the library is another one, such as musl
 */
export function mallocTrimmer(): () => void {
  const undo = keepUnprinted(isAboutCalls);
  // Warnings are emitted on the next tick.
  setImmediate(undo);
  try {
    // Not imported, because a Node.js without `node:ffi` could not load this module then.
    const { functions } = process
      .getBuiltinModule("node:ffi")
      .dlopen(null, { malloc_trim: { arguments: ["u64"], return: "i32" } });
    return () => void functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  }
}
