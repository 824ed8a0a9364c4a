import type { Metrics } from "@orchernetes/component";
import type { Concerned, PodSecurityObserver } from "./observer.ts";
import { versionText } from "./policy.ts";

/** The version of the standards that this server knows. */
const OWN_MINOR = 27;

function resourceLabel({ resource: { group, resource } }: Concerned): string {
  if (group !== "") return "controller";
  return resource === "pods" ? "pod" : resource === "namespaces" ? "namespace" : "controller";
}

const labelsOf = (about: Concerned) =>
  [about.operation.toLowerCase(), resourceLabel(about), about.subresource] as const;

/** Counts evaluations, exemptions and errors of Pod Security. */
export function podSecurityMetrics(metrics: Metrics): PodSecurityObserver {
  const about = ["request_operation", "resource", "subresource"];
  const evaluations = metrics.counter({
    name: "pod_security_evaluations_total",
    help: "Number of policy evaluations that occurred, not counting ignored or exempt requests.",
    labelNames: ["decision", "policy_level", "policy_version", "mode", ...about],
  });
  const exemptions = metrics.counter({
    name: "pod_security_exemptions_total",
    help: "Number of exempt requests, not counting ignored or out of scope requests.",
    labelNames: about,
  });
  const errors = metrics.counter({
    name: "pod_security_errors_total",
    help: "Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.",
    labelNames: ["fatal", ...about],
  });
  // Nearly every pod of a cluster without policies counts one of these.
  const usual = (operation: string) =>
    evaluations.with("allow", "privileged", "latest", "enforce", operation, "pod", "");
  const [creates, updates] = [usual("create"), usual("update")];
  for (const operation of ["create", "update"])
    for (const resource of ["pod", "controller"]) exemptions.with(operation, resource, "");
  return {
    evaluated(decision, { level, version }, mode, what) {
      if (level === "privileged" && decision === "allow" && mode === "enforce" && what.subresource === "")
        return (what.operation === "CREATE" ? creates : updates).inc();
      // The level privileged is the same at every version.
      const known = level === "privileged" || version === "latest" ? "latest" : version;
      const shown = known !== "latest" && known > OWN_MINOR ? "future" : versionText(known);
      evaluations.inc([decision, level, shown, mode, ...labelsOf(what)]);
    },
    exempted: (what) => exemptions.inc(labelsOf(what)),
    failed: (fatal, what) => errors.inc([String(fatal), ...labelsOf(what)]),
  };
}
