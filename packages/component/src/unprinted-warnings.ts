/**
 * Keeps Node.js from printing some of its warnings: those that `isExpected` recognizes do not reach the present
 * listeners. All others do.
 *
 * @returns a function that undoes it
 */
export function keepUnprinted(isExpected: (warning: Error) => boolean): () => void {
  // Node.js prints warnings by a listener of this public event; with --no-warnings there is none.
  const printers = process.listeners("warning");
  for (const printer of printers) process.off("warning", printer);
  const pass = (warning: Error): void => {
    if (isExpected(warning)) return;
    for (const printer of printers) printer.call(process, warning);
  };
  process.on("warning", pass);
  return () => {
    process.off("warning", pass);
    for (const printer of printers) process.on("warning", printer);
  };
}
