import type { core } from "@orchernetes/api";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { podDraft } from "./shared/attributes.ts";
import type { ConfiguredPlugin } from "./shared/plugin.ts";

const NOT_READY = "node.orchernetes.io/not-ready";
const UNREACHABLE = "node.orchernetes.io/unreachable";

/** Whether a toleration already says what happens to the pod under this NoExecute taint. */
function covers(toleration: core.Toleration, taint: string): boolean {
  const { key, effect } = toleration;
  return (!key || key === taint) && (!effect || effect === "NoExecute");
}

/**
 * Plugin DefaultTolerationSeconds: a pod that says nothing of unready or unreachable nodes stays on one for a while
 * (`--default-not-ready-toleration-seconds`, `--default-unreachable-toleration-seconds`) before it is evicted.
 */
function defaultTolerationSeconds(options: {
  readonly notReadySeconds: number;
  readonly unreachableSeconds: number;
}): AdmissionPlugin {
  const defaults = [
    { key: NOT_READY, seconds: options.notReadySeconds },
    { key: UNREACHABLE, seconds: options.unreachableSeconds },
  ];
  return {
    name: "DefaultTolerationSeconds",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    admit(attributes) {
      const pod = podDraft(attributes);
      if (pod === undefined) return;
      const given = pod.spec.tolerations ?? [];
      const added = defaults
        .filter(({ key }) => !given.some((toleration) => covers(toleration, key)))
        .map(({ key, seconds }) => ({
          key,
          operator: "Exists" as const,
          effect: "NoExecute" as const,
          tolerationSeconds: seconds,
        }));
      if (added.length > 0) pod.spec.tolerations = [...given, ...added];
    },
  };
}

/** {@link defaultTolerationSeconds} with the seconds that the flags give. */
export const defaultTolerationSecondsPlugin: ConfiguredPlugin = {
  name: "DefaultTolerationSeconds",
  create: ({ flags }) =>
    defaultTolerationSeconds({
      notReadySeconds: flags["default-not-ready-toleration-seconds"],
      unreachableSeconds: flags["default-unreachable-toleration-seconds"],
    }),
};
