import type { apps } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { newMeta, ObjectBuilder } from "./object-builder.ts";
import { podTemplate, withImage } from "./pod-template.ts";

/** Builds deployments; see {@link deployment}. */
export class DeploymentBuilder extends ObjectBuilder<apps.Deployment> {
  constructor(object: Stored<apps.Deployment>) {
    super(object);
  }

  protected override with(object: Stored<apps.Deployment>): this {
    return new DeploymentBuilder(object) as this;
  }

  /** Sets fields of the spec. */
  spec(fields: Partial<apps.DeploymentSpec>): this {
    return this.change({ spec: { ...this.build().spec, ...fields } });
  }

  /** Sets fields of the status. */
  status(fields: Partial<apps.DeploymentStatus>): this {
    return this.change({ status: { ...this.build().status, ...fields } });
  }

  replicas(replicas: number): this {
    return this.spec({ replicas });
  }

  /** Sets the image of the template's first container. */
  image(image: string): this {
    return this.spec({ template: withImage(this.build().spec.template ?? {}, image) });
  }

  recreate(): this {
    return this.spec({ strategy: { type: "Recreate" } });
  }

  rollingUpdate(maxSurge: number | string, maxUnavailable: number | string): this {
    return this.spec({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } });
  }

  paused(): this {
    return this.spec({ paused: true });
  }
}

/** A rolling deployment of one pod in namespace `default`. Selector and template have the label `app` with its name. */
export function deployment(name: string): DeploymentBuilder {
  return new DeploymentBuilder({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...newMeta(name, "default"), generation: 1 },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: podTemplate({ app: name }),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: {},
  });
}
