import {
  type Infer,
  int64,
  ListMeta,
  list,
  ObjectMeta,
  object,
  optional,
  raw,
  required,
  value,
} from "@orchernetes/apimachinery";

const pkg = "apps/v1";

export const ControllerRevision = object(pkg, "ControllerRevision", () => ({
  metadata: value(1, ObjectMeta),
  data: optional(2, raw),
  revision: required(3, int64),
}));
export interface ControllerRevision extends Infer<typeof ControllerRevision> {}

export const ControllerRevisionList = object(pkg, "ControllerRevisionList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ControllerRevision)),
}));
export interface ControllerRevisionList extends Infer<typeof ControllerRevisionList> {}
