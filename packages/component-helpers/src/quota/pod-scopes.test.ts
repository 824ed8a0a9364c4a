import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { podInScope } from "./pod-scopes.ts";
import type { QuotaScope } from "./quota-scope.ts";

const spec = (changes: object = {}) =>
  ({ containers: [{ name: "c", image: "i", resources: {} }], ...changes }) as core.PodSpec;
const limited = spec({ activeDeadlineSeconds: 0 });
const requesting = spec({ containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] });
const important = spec({ priorityClassName: "high" });
const affinity = (term: object) =>
  spec({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
const preferred = spec({
  affinity: {
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { namespaceSelector: {} } }],
    },
  },
});
const scope = (name: string, operator: QuotaScope["operator"] = "Exists", values: readonly string[] = []) => ({
  name,
  operator,
  values,
});

test.each([
  ["Terminating", limited, scope("Terminating"), true],
  ["Terminating, without a deadline", spec(), scope("Terminating"), false],
  ["NotTerminating", spec(), scope("NotTerminating"), true],
  ["BestEffort", spec(), scope("BestEffort"), true],
  ["BestEffort, with requests", requesting, scope("BestEffort"), false],
  ["NotBestEffort", requesting, scope("NotBestEffort"), true],
  ["PriorityClass Exists", important, scope("PriorityClass"), true],
  ["PriorityClass Exists, without a class", spec(), scope("PriorityClass"), false],
  ["PriorityClass DoesNotExist", spec(), scope("PriorityClass", "DoesNotExist"), true],
  ["PriorityClass In", important, scope("PriorityClass", "In", ["high"]), true],
  ["PriorityClass In, with another class", important, scope("PriorityClass", "In", ["low"]), false],
  ["PriorityClass NotIn", important, scope("PriorityClass", "NotIn", ["low"]), true],
  ["PriorityClass NotIn, without a class", spec(), scope("PriorityClass", "NotIn", ["low"]), true],
  ["CrossNamespacePodAffinity by names", affinity({ namespaces: ["a"] }), scope("CrossNamespacePodAffinity"), true],
  ["CrossNamespacePodAffinity by selector", preferred, scope("CrossNamespacePodAffinity"), true],
  ["CrossNamespacePodAffinity, in its own namespace", affinity({}), scope("CrossNamespacePodAffinity"), false],
  ["an unknown scope", spec(), scope("Unknown"), false],
])("a pod and scope %s", (_, of, given, want) => {
  expect(podInScope(of, given)).toBe(want);
});
