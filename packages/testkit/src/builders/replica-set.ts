import type { apps } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { newMeta, ObjectBuilder } from "./object-builder.ts";
import { podTemplate, withImage } from "./pod-template.ts";

/** Builds replica sets; see {@link replicaSet}. */
export class ReplicaSetBuilder extends ObjectBuilder<apps.ReplicaSet> {
  constructor(object: Stored<apps.ReplicaSet>) {
    super(object);
  }

  protected override with(object: Stored<apps.ReplicaSet>): this {
    return new ReplicaSetBuilder(object) as this;
  }

  /** Sets fields of the spec. */
  spec(fields: Partial<apps.ReplicaSetSpec>): this {
    return this.change({ spec: { ...this.build().spec, ...fields } });
  }

  /** Sets fields of the status. */
  status(fields: Partial<apps.ReplicaSetStatus>): this {
    return this.change({ status: { ...this.build().status, ...fields } });
  }

  replicas(replicas: number): this {
    return this.spec({ replicas });
  }

  /** Sets the image of the template's first container. */
  image(image: string): this {
    return this.spec({ template: withImage(this.build().spec?.template ?? {}, image) });
  }
}

/** A replica set of one pod in namespace `default`. Selector and template have the label `app` with its name. */
export function replicaSet(name: string): ReplicaSetBuilder {
  return new ReplicaSetBuilder({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { ...newMeta(name, "default"), generation: 1 },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: podTemplate({ app: name }) },
    status: { replicas: 0 },
  });
}
