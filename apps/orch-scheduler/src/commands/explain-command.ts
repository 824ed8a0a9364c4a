import type { PodExplanation } from "../explain/explanation.ts";
import { explanationText } from "../explain/explanation-text.ts";
import { type Command, configOption, outputOption, type Terminal, textOf, type Values } from "./command.ts";
import { connect, connectionOptions, timeoutMs } from "./connection.ts";
import { explainFile } from "./explain-file.ts";

const PATH = "/debug/explain";

/** `orch-scheduler explain NAMESPACE/NAME`: explains the state of a pod, from a running scheduler or from a snapshot. */
export const explainCommand: Command = {
  name: "explain",
  operands: "<pod>",
  describe: "Explains why a pod is pending, or which node it would get.",
  positionals: { pod: { type: "string", demandOption: true, describe: "NAMESPACE/NAME" } },
  options: {
    from: {
      type: "string",
      describe: "Snapshot file to repeat the decision from, instead of sending a request to a scheduler.",
    },
    ...configOption,
    ...outputOption,
    ...connectionOptions,
  },
  async run(values, terminal) {
    const pod = textOf(values, "pod") ?? "";
    const from = textOf(values, "from");
    const config = textOf(values, "config");
    if (config !== undefined && from === undefined) throw new Error("--config: want it together with --from");
    print(from === undefined ? await ask(pod, values) : await explainFile(from, pod, config), values, terminal);
  },
};

async function ask(pod: string, values: Values): Promise<PodExplanation> {
  const client = connect(values);
  try {
    const signal = AbortSignal.timeout(timeoutMs(values));
    const { body } = await client.stream({ method: "GET", path: PATH, query: { pod }, signal });
    const answer = parsed(await readLimited(body));
    if ((answer as { kind?: unknown } | null)?.kind !== "PodExplanation")
      throw new Error(`found no explanation at ${client.server}${PATH}: is it a scheduler of this version?`);
    return answer as PodExplanation;
  } finally {
    client.close();
  }
}

/** Largest answer, in bytes; explanations of thousands of nodes have some 100 kB. */
const MAX_BYTES = 32 * 1024 * 1024;

async function readLimited(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the response has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function print(explanation: PodExplanation, { output }: Values, { print: write }: Terminal): void {
  write(output === "json" ? `${JSON.stringify(explanation, undefined, 2)}\n` : explanationText(explanation));
}
