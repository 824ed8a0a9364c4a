import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { epoch, newMeta, ObjectBuilder } from "./object-builder.ts";

type Quantities = Readonly<Record<string, string>>;

/** Builds pods with one container `main` unless others are added; see {@link pod}. */
export class PodBuilder extends ObjectBuilder<core.Pod> {
  constructor(object: Stored<core.Pod>) {
    super(object);
  }

  protected override with(object: Stored<core.Pod>): this {
    return new PodBuilder(object) as this;
  }

  /** Sets fields of the spec. */
  spec(fields: Partial<core.PodSpec>): this {
    return this.change({ spec: { ...this.build().spec, ...fields } });
  }

  /** Sets fields of the status. */
  status(fields: Partial<core.PodStatus>): this {
    return this.change({ status: { ...this.build().status, ...fields } });
  }

  #main(fields: Partial<core.Container>): this {
    const [first = { name: "main" }, ...rest] = this.build().spec.containers ?? [];
    return this.spec({ containers: [{ resources: {}, ...first, ...fields }, ...rest] });
  }

  /** Binds the pod to a node. */
  on(nodeName: string): this {
    return this.spec({ nodeName });
  }

  /** Sets the requests of the first container. */
  requests(requests: Quantities): this {
    return this.#main({ resources: { ...this.build().spec.containers[0]?.resources, requests } });
  }

  /** Sets the limits of the first container. */
  limits(limits: Quantities): this {
    return this.#main({ resources: { ...this.build().spec.containers[0]?.resources, limits } });
  }

  /** Sets the image of the first container. */
  image(image: string): this {
    return this.#main({ image });
  }

  /** Sets ports of the first container that are also ports of the node. */
  hostPorts(...ports: readonly number[]): this {
    return this.#main({ ports: ports.map((port) => ({ containerPort: port, hostPort: port, protocol: "TCP" })) });
  }

  /** Adds a container. */
  container(container: Omit<core.Container, "resources"> & Partial<Pick<core.Container, "resources">>): this {
    return this.spec({ containers: [...(this.build().spec.containers ?? []), { resources: {}, ...container }] });
  }

  nodeSelector(nodeSelector: Readonly<Record<string, string>>): this {
    return this.spec({ nodeSelector });
  }

  affinity(affinity: core.Affinity): this {
    return this.spec({ affinity });
  }

  /** Adds a toleration to those that it has. */
  toleration(toleration: core.Toleration): this {
    return this.spec({ tolerations: [...(this.build().spec.tolerations ?? []), toleration] });
  }

  priority(priority: number): this {
    return this.spec({ priority });
  }

  phase(phase: NonNullable<core.PodStatus["phase"]>): this {
    return this.status({ phase });
  }

  ip(podIP: string): this {
    return this.status({ podIP, podIPs: [{ ip: podIP }] });
  }

  /**
   * Sets the phase Running and the condition Ready.
   *
   * @param since RFC 3339
   */
  ready(since: string = epoch): this {
    return this.status({
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
    });
  }
}

/**
 * A pending pod in namespace `default`.
 *
 * @example pod("web-0").on("node-a").requests({ cpu: "500m" }).build()
 */
export function pod(name: string): PodBuilder {
  return new PodBuilder({
    apiVersion: "v1",
    kind: "Pod",
    metadata: newMeta(name, "default"),
    spec: { containers: [{ name: "main", image: "localhost/busybox:1", resources: {} }] },
    status: { phase: "Pending" },
  });
}
