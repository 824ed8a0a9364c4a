import { messageOf } from "@orchernetes/kernel";

/**
 * Runs the body of a load program. Its parameters are the first argument as JSON; its result is written to standard output as JSON.
 * A load runs in a process of its own, so that it does not share an event loop with what is measured.
 */
export async function loadProgram<P>(body: (parameters: P) => Promise<object>): Promise<void> {
  try {
    const result = await body(JSON.parse(process.argv[2] ?? "{}") as P);
    process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}
