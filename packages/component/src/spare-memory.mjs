// Not TypeScript: a built program's main module has it, too.
import { setFlagsFromString } from "node:v8";

/**
 * What the engine does for a program that spares memory, with what it does by default:
 *
 * - Code is optimized by Maglev alone. TurboFan makes faster code of what runs for long; to run it takes 6 MB of Node's file into memory.
 * - Bytecode that has not run between two collections of all garbage is released, as most of what a start ran, and compiled again when
 *   it is called.
 */
const FLAGS = [
  { sparing: "--no-turbofan", byDefault: "--turbofan" },
  { sparing: "--bytecode-old-age=1", byDefault: "--bytecode-old-age=6" },
];

/** Where this process says that it spares memory. The main module and the program that it runs are bundled apart: each has this module. */
const state = Symbol.for("orchernetes.spares-memory");

/**
 * Makes the engine spare memory at the cost of speed. To be called when the program has been loaded: the engine refuses compiled code that was
 * made with other flags, also that of Node's own modules. On the command line of Node the same flags cost a tenth more
 * CPU time at the start and 1 MB.
 *
 * @returns {void}
 */
export function spareMemory() {
  Reflect.set(globalThis, state, true);
  for (const { sparing } of FLAGS) setFlagsFromString(sparing);
}

/**
 * Calls a function while the engine has the flags that it has when a program is loaded.
 *
 * @template T
 * @param {() => T} action
 * @returns {T}
 */
export function withDefaultFlags(action) {
  if (Reflect.get(globalThis, state) !== true) return action();
  for (const { byDefault } of FLAGS) setFlagsFromString(byDefault);
  try {
    return action();
  } finally {
    spareMemory();
  }
}
