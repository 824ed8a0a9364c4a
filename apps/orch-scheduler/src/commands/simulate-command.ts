import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { counted, explanationText, printableLine } from "../explain/explanation-text.ts";
import { readNode, readPods } from "../offline/read-manifest.ts";
import { restoreFile } from "../offline/restore-file.ts";
import type { RestoredState } from "../offline/restore-snapshot.ts";
import {
  addNodes,
  type SimulatedPod,
  type Simulation,
  simulate,
  typicalNode,
  waitingPods,
} from "../offline/simulate.ts";
import { type Command, configOption, outputOption, textOf, type Values } from "./command.ts";

const MAX_NODES = 15_000;
const MAX_PODS = 50_000;

/** `orch-scheduler simulate`: simulates which nodes pods would get in the state of a snapshot, optionally with additional nodes. */
export const simulateCommand: Command = {
  name: "simulate",
  operands: "",
  describe: "Simulates scheduling on a snapshot, with additional nodes or pods.",
  positionals: {},
  options: {
    from: { type: "string", demandOption: true, describe: "Snapshot file." },
    "add-nodes": { type: "number", default: 0, describe: "Number of empty nodes to add." },
    like: {
      type: "string",
      describe: "Node to copy; by default the first one that accepts ordinary pods.",
    },
    node: { type: "string", describe: "Manifest of the node to copy, instead of --like." },
    pod: { type: "string", describe: "Manifest of the pods to schedule; by default the pending pods of the snapshot." },
    replicas: { type: "number", default: 1, describe: "Number of copies of each pod of --pod." },
    ...configOption,
    ...outputOption,
  },
  async run(values, terminal) {
    const { state, leftOut } = await restoreFile(textOf(values, "from") ?? "", textOf(values, "config"));
    const added = await nodesToAdd(values, state);
    const simulation = simulate(state, await podsOf(values, state), added, leftOut);
    terminal.print(
      values.output === "json" ? `${JSON.stringify(simulation, undefined, 2)}\n` : simulationText(simulation),
    );
  },
};

function countOf(values: Values, name: string, least: number, most: number): number {
  const value = values[name];
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`--${name}: found ${JSON.stringify(value)}; want a whole number from ${least} to ${most}`);
}

async function nodesToAdd(values: Values, state: RestoredState): Promise<readonly string[]> {
  const count = countOf(values, "add-nodes", 0, MAX_NODES);
  const [like, file] = [textOf(values, "like"), textOf(values, "node")];
  if (like !== undefined && file !== undefined) throw new Error("want one of --like and --node");
  const slot = like === undefined ? undefined : state.nodes.slotOf(like);
  if (like !== undefined && slot === undefined) throw new Error(`--like: node ${JSON.stringify(like)} not found`);
  if (count === 0) return [];
  const known = slot === undefined ? typicalNode(state) : (state.nodes.nodeAt(slot) as Stored<core.Node> | undefined);
  const template = file === undefined ? known : await readNode(file);
  if (template === undefined) throw new Error("the snapshot has no node to copy: want --node=FILE");
  return addNodes(state, template, count);
}

async function podsOf(values: Values, state: RestoredState): Promise<readonly Stored<core.Pod>[]> {
  const file = textOf(values, "pod");
  const replicas = countOf(values, "replicas", 1, MAX_PODS);
  if (file === undefined) return waitingPods(state);
  const pods = await readPods(file);
  if (pods.length * replicas > MAX_PODS) throw new Error(`--replicas: want at most ${MAX_PODS} pods in all`);
  if (replicas === 1) return pods;
  return pods.flatMap((pod) =>
    Array.from({ length: replicas }, (_, i) => {
      const name = `${pod.metadata.name}-${i + 1}`;
      return { ...pod, metadata: { ...pod.metadata, name, uid: `${pod.metadata.uid}-${i + 1}` } };
    }),
  );
}

/** Number of pods that are listed individually. */
const MAX_LINES = 200;

function podText(result: SimulatedPod): string {
  switch (result.type) {
    case "node":
      return `${result.pod}: node ${result.node}`;
    case "preempts":
      return `${result.pod}: node ${result.node}, after the eviction of ${result.victims.join(", ")}`;
    case "held":
      return `${result.pod}: not scheduled: ${result.message}`;
    case "unschedulable":
      return `${result.pod}: no node: ${result.message}`;
    default:
      return result satisfies never;
  }
}

function simulationText({ addedNodes, leftOut, pods, explanation }: Simulation): string {
  const count = (type: SimulatedPod["type"]): number => pods.filter((one) => one.type === type).length;
  const held = count("held") === 0 ? "" : `, ${count("held")} not scheduled`;
  const lines = [
    ...(addedNodes.length === 0
      ? []
      : [
          `Added ${counted(addedNodes.length, "node")}: ${addedNodes.slice(0, 3).join(", ")}${addedNodes.length > 3 ? ", …" : ""}`,
        ]),
    ...(leftOut.length === 0 ? [] : [`Without: ${leftOut.join(", ")}`]),
    `${counted(pods.length, "pod")}: ${count("node")} with a node, ${count("preempts")} after evictions, ${count("unschedulable")} without a node${held}`,
    ...pods.slice(0, MAX_LINES).map((one) => `  ${podText(one)}`),
    ...(pods.length > MAX_LINES ? [`  … and ${pods.length - MAX_LINES} more`] : []),
  ];
  const why = explanation === undefined ? "" : `\nThe first pod without a node:\n${explanationText(explanation)}`;
  return `${lines.map(printableLine).join("\n")}\n${why}`;
}
