import type { PodExplanation } from "../explain/explanation.ts";
import { explanationText } from "../explain/explanation-text.ts";
import { type Command, outputOption, type Terminal, textOf, type Values } from "./command.ts";
import { connect, connectionOptions } from "./connection.ts";
import { explainFile } from "./explain-file.ts";

const PATH = "/debug/explain";

/** `orch-scheduler explain NAMESPACE/NAME`: why a pod is where it is, from a running scheduler or from a snapshot. */
export const explainCommand: Command = {
  name: "explain",
  operands: "<pod>",
  describe: "Says why a pod is pending, or where it would go.",
  positionals: { pod: { type: "string", demandOption: true, describe: "NAMESPACE/NAME" } },
  options: {
    from: { type: "string", describe: "File of `snapshot`: repeats the decision on that state, without a scheduler." },
    ...outputOption,
    ...connectionOptions,
  },
  async run(values, terminal) {
    const pod = textOf(values, "pod") ?? "";
    const from = textOf(values, "from");
    print(from === undefined ? await ask(pod, values) : await explainFile(from, pod), values, terminal);
  },
};

async function ask(pod: string, values: Values): Promise<PodExplanation> {
  const client = connect(values);
  try {
    const answer = await client.request({ method: "GET", path: PATH, query: { pod } });
    if ((answer as { kind?: unknown } | null)?.kind !== "PodExplanation")
      throw new Error(`found no explanation at ${client.server}${PATH}: is it a scheduler of this version?`);
    return answer as PodExplanation;
  } finally {
    client.close();
  }
}

function print(explanation: PodExplanation, { output }: Values, { print: write }: Terminal): void {
  write(output === "json" ? `${JSON.stringify(explanation, undefined, 2)}\n` : explanationText(explanation));
}
