import { DEFAULT_ARGUMENTS, type RandomArguments } from "../random/random-configuration.ts";
import type { ModelCluster } from "./reference-cluster.ts";

interface Profile {
  readonly pluginConfig?: readonly { readonly name: string; readonly args: unknown }[];
}

/** The arguments of a plugin in the only profile of a cluster. */
export function argumentsOf<N extends keyof RandomArguments>({ objects }: ModelCluster, name: N): RandomArguments[N] {
  const [profile] = objects.configuration.profiles as readonly Profile[];
  const given = profile?.pluginConfig?.find((entry) => entry.name === name)?.args;
  return (given ?? DEFAULT_ARGUMENTS[name]) as RandomArguments[N];
}
