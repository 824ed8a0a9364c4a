import { core } from "@orchernetes/api";
import { decoderFor } from "@orchernetes/apimachinery";

/** A node with room for pods, and what else matters to a test. */
export function testNode(options: {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly allocatable?: Readonly<Record<string, string>>;
}): core.Node {
  return decoderFor(core.Node).decode({
    metadata: { name: "node-a", labels: { "orchernetes.io/os": "linux", ...options.labels } },
    spec: { taints: options.taints ?? [] },
    status: {
      allocatable: { cpu: "2", memory: "1Gi", "ephemeral-storage": "10Gi", pods: "3", ...options.allocatable },
      nodeInfo: { operatingSystem: "linux" },
    },
  });
}
