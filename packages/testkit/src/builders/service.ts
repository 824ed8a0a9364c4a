import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { newMeta, ObjectBuilder } from "./object-builder.ts";

/** Builds services; see {@link service}. */
export class ServiceBuilder extends ObjectBuilder<core.Service> {
  constructor(object: Stored<core.Service>) {
    super(object);
  }

  protected override with(object: Stored<core.Service>): this {
    return new ServiceBuilder(object) as this;
  }

  /** Sets fields of the spec. */
  spec(fields: Partial<core.ServiceSpec>): this {
    return this.change({ spec: { ...this.build().spec, ...fields } });
  }

  selector(selector: Readonly<Record<string, string>>): this {
    return this.spec({ selector });
  }

  /**
   * Adds a port.
   *
   * @param targetPort number, or the name of a container's port
   */
  port(port: number, targetPort: number | string = port, name?: string): this {
    const added: core.ServicePort = { port, targetPort, protocol: "TCP", ...(name === undefined ? {} : { name }) };
    return this.spec({ ports: [...(this.build().spec.ports ?? []), added] });
  }

  clusterIP(clusterIP: string): this {
    return this.spec({ clusterIP, clusterIPs: [clusterIP] });
  }
}

/** A service of type ClusterIP in namespace `default` that selects the label `app` with its name. */
export function service(name: string): ServiceBuilder {
  return new ServiceBuilder({
    apiVersion: "v1",
    kind: "Service",
    metadata: newMeta(name, "default"),
    spec: { type: "ClusterIP", selector: { app: name } },
    status: { loadBalancer: {} },
  });
}
