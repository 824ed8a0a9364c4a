import {
  defineResource,
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { column, name } from "../../shared/columns.ts";

const pkg = "core/v1";

/** A condition of a component. */
export const ComponentCondition = message(pkg, "ComponentCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  message: optional(3, string),
  error: optional(4, string),
}));
export interface ComponentCondition extends Infer<typeof ComponentCondition> {}

/** The health of a component of the control plane, checked at the time of the request. Deprecated since 1.19. */
export const ComponentStatus = object(pkg, "ComponentStatus", () => ({
  metadata: value(1, ObjectMeta),
  conditions: optional(2, list(ComponentCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface ComponentStatus extends Infer<typeof ComponentStatus> {}

export const ComponentStatusList = object(pkg, "ComponentStatusList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ComponentStatus)),
}));
export interface ComponentStatusList extends Infer<typeof ComponentStatusList> {}

const healthy = ({ conditions }: ComponentStatus) => conditions?.find(({ type }) => type === "Healthy");
const words: Readonly<Record<string, string>> = { True: "Healthy", False: "Unhealthy" };

/** `v1` component statuses: the results of health checks at the time of the request. Never stored. */
export const componentStatuses = defineResource<ComponentStatus>({
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  singular: "componentstatus",
  shortNames: ["cs"],
  scope: "Cluster",
  deprecation: { since: "1.19" },
  verbs: ["get", "list"],
  schema: ComponentStatus,
  strategy: {},
  columns: [
    name(),
    column("Status", "string", "Healthy, Unhealthy or Unknown.", (object) => {
      return words[healthy(object)?.status ?? ""] ?? "Unknown";
    }),
    column("Message", "string", "Response of the component.", (object) => healthy(object)?.message ?? ""),
    column("Error", "string", "Why the check failed.", (object) => healthy(object)?.error ?? ""),
  ],
});
