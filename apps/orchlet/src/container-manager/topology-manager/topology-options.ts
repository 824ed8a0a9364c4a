import { optionErrors } from "./policy-options.ts";

const options = { "prefer-closest-numa-nodes": "Alpha" } as const;

/** Errors in `topologyManagerPolicyOptions`; each begins with `field`. */
export function topologyOptionErrors(
  given: Readonly<Record<string, string>>,
  enabled: (gate: string) => boolean,
): readonly string[] {
  return optionErrors({
    ...{ given, options, enabled },
    manager: "Topology Manager",
    field: "topologyManagerPolicyOptions",
    gates: {
      all: "TopologyManagerPolicyOptions",
      Alpha: "TopologyManagerPolicyAlphaOptions",
      Beta: "TopologyManagerPolicyBetaOptions",
    },
  });
}

/** Whether nodes that are close to each other are preferred. */
export const prefersClosest = (given: Readonly<Record<string, string>>): boolean =>
  given["prefer-closest-numa-nodes"] === "true";
