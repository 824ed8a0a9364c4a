import { defineResource } from "@orchernetes/apimachinery";
import { column, name } from "../../shared/columns.ts";
import { ComponentStatus } from "./types/component-status.ts";

const healthy = ({ conditions }: ComponentStatus) => conditions?.find(({ type }) => type === "Healthy");
const words: Readonly<Record<string, string>> = { True: "Healthy", False: "Unhealthy" };

/** `v1` component statuses: what the server found when it asked. Never stored. */
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
    column("Message", "string", "What the component answered.", (object) => healthy(object)?.message ?? ""),
    column("Error", "string", "Why it could not be asked.", (object) => healthy(object)?.error ?? ""),
  ],
});
