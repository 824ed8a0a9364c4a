import { type Control, judged, notApplicable, unknown } from "../../control.ts";
import type { NodeFacts } from "../../evidence/evidence.ts";

/** What one node shows of a control; undefined if it cannot be seen. */
type NodeVerdict = { readonly isMet: boolean; readonly found: string } | undefined;

/** A control about every node's agent: met if all nodes meet it. */
export function nodeControl({
  judge,
  source,
  ...texts
}: Omit<Control, "judge"> & { readonly source: string; readonly judge: (node: NodeFacts) => NodeVerdict }): Control {
  return {
    ...texts,
    judge({ nodes }) {
      if (nodes.length === 0) return notApplicable("the cluster has no nodes");
      const verdicts = nodes.map((node) => ({ name: node.name, verdict: judge(node) }));
      const bad = verdicts.filter(({ verdict }) => verdict?.isMet === false);
      const unseen = verdicts.filter(({ verdict }) => verdict === undefined).map(({ name }) => name);
      if (bad.length === 0 && unseen.length > 0) return unknown(`cannot be seen of ${unseen.join(", ")}: ${source}`);
      const shown = bad.length === 0 ? verdicts : bad;
      const found = shown.map(({ name, verdict }) => `${name}: ${verdict?.found ?? ""}`);
      return judged(bad.length === 0, found.join("; "), source);
    },
  };
}

/** The value of a field by its dotted path. */
export function fieldOf(settings: NodeFacts["settings"], path: string): unknown {
  let value: unknown = settings;
  for (const part of path.split("."))
    value =
      typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[part] : undefined;
  return value;
}

/** A control about one field of the agents' configuration. */
export function fieldControl({
  field,
  accept,
  ...texts
}: Omit<Control, "judge"> & { readonly field: string; readonly accept: (value: unknown) => boolean }): Control {
  return nodeControl({
    ...texts,
    source: "/configz of the node's agent",
    judge({ settings }) {
      if (settings === undefined) return undefined;
      const value = fieldOf(settings, field);
      return { isMet: accept(value), found: `${field} is ${JSON.stringify(value)}` };
    },
  });
}
