import type { Feature } from "../../features/feature-gates.ts";
import { features } from "../../features/features.ts";
import { flagSection } from "../flag.ts";

/** One line for each feature that is still worth switching, and for the two that select whole stages. */
function featureLines(): readonly string[] {
  const stages = [["AllAlpha", "Alpha", false] as const, ["AllBeta", "Beta", false] as const];
  const open = Object.entries<Feature>(features).flatMap(([name, { stage, default: on }]) =>
    stage === "Alpha" || stage === "Beta" ? [[name, stage, on] as const] : [],
  );
  return [...stages, ...open]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, stage, on]) => `${name}=true|false (${stage.toUpperCase()} - default=${on})`);
}

/** `--feature-gates`, in the given section of the help page. */
export function featureGateFlags(group: string) {
  return flagSection(group, {
    "feature-gates": {
      type: "stringToBool",
      default: new Map<string, boolean>(),
      help: `Features to enable or disable, as key=value pairs with values true and false; AllAlpha and AllBeta select whole stages. Options are:\n${featureLines().join("\n")}`,
    },
  });
}
