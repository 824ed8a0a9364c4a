import {
  type Feature,
  type FeatureName,
  features,
  idleGateWarnings as warningsOfIdleGates,
} from "@orchernetes/component";
import { switchedGates } from "./switched-gates.ts";

/** Feature gates of the API server that it takes and that switch nothing in it, and why. */
export const gatesWithoutEffect: Readonly<Partial<Record<FeatureName, string>>> = {
  MultiCIDRServiceAllocator:
    "services get their addresses from --service-cluster-ip-range; IPAddress objects are stored only",
};

/** A warning for each gate that is set to a non-default value and switches nothing in this daemon. */
export function idleGateWarnings(named: ReadonlyMap<string, boolean>): readonly string[] {
  const ours = new Map([...named].filter(([name]) => Object.hasOwn(gatesWithoutEffect, name)));
  const ownWarnings = [...ours].flatMap(([name, value]) => {
    const feature: Feature = features[name as FeatureName];
    const about = gatesWithoutEffect[name as FeatureName];
    return value === feature.default ? [] : [`feature gate ${name}=${value} has no effect: ${about}`];
  });
  const others = new Map([...named].filter(([name]) => !ours.has(name)));
  return [
    ...ownWarnings,
    ...warningsOfIdleGates({ daemon: "orch-apiserver", features, named: others, switched: switchedGates }),
  ];
}
