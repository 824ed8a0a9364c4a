import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { epoch, newMeta, ObjectBuilder } from "./object-builder.ts";

type Quantities = Readonly<Record<string, string>>;

/** Builds nodes; see {@link node}. */
export class NodeBuilder extends ObjectBuilder<core.Node> {
  constructor(object: Stored<core.Node>) {
    super(object);
  }

  protected override with(object: Stored<core.Node>): this {
    return new NodeBuilder(object) as this;
  }

  /** Sets fields of the spec. */
  spec(fields: Partial<core.NodeSpec>): this {
    return this.change({ spec: { ...this.build().spec, ...fields } });
  }

  /** Sets fields of the status. */
  status(fields: Partial<core.NodeStatus>): this {
    return this.change({ status: { ...this.build().status, ...fields } });
  }

  /** Sets the capacity, all of which is allocatable. */
  capacity(capacity: Quantities): this {
    return this.status({ capacity, allocatable: capacity });
  }

  /** Sets the part of the capacity that pods may use. */
  allocatable(allocatable: Quantities): this {
    return this.status({ allocatable });
  }

  unschedulable(): this {
    return this.spec({ unschedulable: true });
  }

  /** Adds a taint to those that it has. */
  taint(key: string, effect: core.Taint["effect"], value = ""): this {
    return this.spec({ taints: [...(this.build().spec.taints ?? []), { key, value, effect }] });
  }

  /**
   * Sets the condition Ready, and removes others.
   *
   * @param since RFC 3339
   */
  ready(status: "True" | "False" | "Unknown" = "True", since: string = epoch): this {
    return this.status({
      conditions: [{ type: "Ready", status, lastHeartbeatTime: since, lastTransitionTime: since }],
    });
  }
}

const hollowInfo: core.NodeSystemInfo = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  containerRuntimeVersion: "",
  orchletVersion: "",
  orchProxyVersion: "",
  operatingSystem: "linux",
  architecture: "amd64",
};

/**
 * A node that is Ready, with 4 CPUs, 8 GiB and capacity for 110 pods, labelled with its name.
 *
 * @example node("n1").capacity({ cpu: "2", memory: "4Gi", pods: "10" }).build()
 */
export function node(name: string): NodeBuilder {
  return new NodeBuilder({
    apiVersion: "v1",
    kind: "Node",
    metadata: { ...newMeta(name), labels: { "orchernetes.io/hostname": name } },
    spec: {},
    status: { daemonEndpoints: { orchletEndpoint: { Port: 10250 } }, nodeInfo: hollowInfo },
  })
    .capacity({ cpu: "4", memory: "8Gi", pods: "110" })
    .ready();
}
