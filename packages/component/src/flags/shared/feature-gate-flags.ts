import { flagSection } from "../flag.ts";

/** `--feature-gates`, in the given section of the help page. */
export function featureGateFlags(group: string) {
  return flagSection(group, {
    "feature-gates": {
      type: "stringToBool",
      default: new Map<string, boolean>(),
      help: "Features to switch on or off as name=true|false pairs; AllAlpha and AllBeta switch whole stages.",
    },
  });
}
