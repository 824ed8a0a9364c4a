import { keepUnprinted } from "./unprinted-warnings.ts";

/** The warning that Node.js prints when `node:ffi` is loaded, of which one function is used. */
const isAboutCalls = ({ name, message }: Error): boolean => name === "ExperimentalWarning" && message.startsWith("FFI");

/**
 * The function of the C library that returns free pages between allocations to the system (malloc_trim(3)). By itself, glibc returns those
 * at the end of its arena only: what a collection of garbage allocates for its lists stays otherwise, 7 to 11 MB in a node agent.
 *
 * @returns a function that does nothing where Node.js cannot call libraries, or the library is another one, such as musl
 */
export function mallocTrimmer(): () => void {
  const undo = keepUnprinted(isAboutCalls);
  // Warnings are emitted on the next tick.
  setImmediate(undo);
  try {
    // Not imported: a Node.js without it could not load this module.
    const { functions } = process
      .getBuiltinModule("node:ffi")
      .dlopen(null, { malloc_trim: { arguments: ["u64"], return: "i32" } });
    return () => void functions.malloc_trim(0n);
  } catch {
    return () => undefined;
  }
}
