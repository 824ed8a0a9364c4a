import {
  defineResource,
  field,
  type Infer,
  int32,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "toys/v1";

const ToySpec = message(pkg, "ToySpec", () => ({
  color: optional(1, string),
  size: pointer(2, int32),
  tags: optional(3, list(string)),
  labels: optional(4, mapOf(string)),
}));

const ToyStatus = message(pkg, "ToyStatus", () => ({ phase: optional(1, string), replicas: optional(2, int32) }));

export const ToySchema = object(pkg, "Toy", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, ToySpec),
  status: value(3, ToyStatus),
}));
export interface Toy extends Infer<typeof ToySchema> {}

/** A namespaced kind with status, scale, defaults, validation, an indexed field and grace on request. */
export const toys = defineResource<Toy>({
  group: "toys.example.com",
  version: "v1",
  kind: "Toy",
  plural: "toys",
  singular: "toy",
  shortNames: ["ty"],
  categories: ["all"],
  scope: "Namespaced",
  verbs: ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"],
  schema: ToySchema,
  storagePrefix: "/registry/toys.example.com/toys",
  applyDefaults: (toy) => {
    toy.spec.color ??= "red";
  },
  fieldSelectors: ["spec.color"],
  indexedFields: ["spec.color"],
  selectableFields: (toy) => ({ "spec.color": toy.spec.color ?? "" }),
  strategy: {
    generation: (toy) => toy.spec,
    prepareForCreate: (toy) => {
      toy.status = {};
    },
    prepareForUpdate: (toy, old) => {
      toy.status = old.status;
    },
    validate: (toy) =>
      (toy.spec.size ?? 0) < 0 ? [field.invalid("spec.size", toy.spec.size, "must be greater than or equal to 0")] : [],
    validateUpdate: (toy) =>
      (toy.spec.size ?? 0) < 0 ? [field.invalid("spec.size", toy.spec.size, "must be greater than or equal to 0")] : [],
    decideDeletion: (_toy, requested) =>
      requested === undefined ? { type: "immediate" } : { type: "graceful", gracePeriodSeconds: requested },
  },
  columns: [
    { name: "Name", type: "string", format: "name", description: "name", value: (toy) => toy.metadata.name ?? "" },
    { name: "Color", type: "string", description: "color", value: (toy) => toy.spec.color ?? "" },
  ],
  subresources: {
    status: {
      type: "status",
      verbs: ["get", "update", "patch"],
      strategy: {
        prepareForUpdate: (toy, old) => {
          toy.spec = old.spec as typeof toy.spec;
        },
      },
    },
    scale: {
      type: "scale",
      get: (toy) => ({ specReplicas: toy.spec.size ?? 0, statusReplicas: toy.status.replicas ?? 0, selector: "a=b" }),
      set: (toy, replicas) => {
        toy.spec.size = replicas;
      },
    },
    echo: {
      type: "handler",
      kind: "Toy",
      group: "toys.example.com",
      version: "v1",
      verbs: ["create"],
      schema: ToySchema,
    },
  },
});

/** A cluster-scoped kind that must name its version on updates, and may be created by PUT. */
export const boxes = defineResource<Toy>({
  group: "toys.example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  singular: "box",
  scope: "Cluster",
  verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
  schema: object(pkg, "Box", () => ({
    metadata: value(1, ObjectMeta),
    spec: value(2, ToySpec),
    status: value(3, ToyStatus),
  })),
  storagePrefix: "/registry/toys.example.com/boxes",
  strategy: { allowUnconditionalUpdate: false, allowCreateOnUpdate: true, nameFormat: "path" },
  columns: [],
});
