/**
 * Runs the body of a load program: its parameters are the JSON of the first argument, what it returns goes to standard
 * output as JSON. A load runs in a process of its own, so that it does not share an event loop with anything measured.
 */
export async function loadProgram<P>(body: (parameters: P) => Promise<object>): Promise<void> {
  try {
    const result = await body(JSON.parse(process.argv[2] ?? "{}") as P);
    process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
