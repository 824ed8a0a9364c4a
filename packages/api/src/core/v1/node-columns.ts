import type { Column } from "@orchernetes/apimachinery";
import { age, column, name, orNone } from "../../shared/columns.ts";
import type { Node } from "./types/node.ts";

const rolePrefix = "node-role.orchernetes.io/";
const roleLabel = "orchernetes.io/role";

/** Ready, NotReady or Unknown, and whether the node is cordoned. */
function nodeStatus({ spec, status }: Node): string {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/** Roles of labels `node-role.orchernetes.io/ROLE` and `orchernetes.io/role=ROLE`. */
function nodeRoles({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) {
      roles.add(key.slice(rolePrefix.length));
    } else if (key === roleLabel && value !== "") {
      roles.add(value);
    }
  }
  return orNone([...roles].sort().join(","));
}

const address =
  (type: string) =>
  ({ status }: Node): string =>
    orNone(status.addresses?.find((address) => address.type === type)?.address);

const info =
  (key: "osImage" | "kernelVersion" | "containerRuntimeVersion") =>
  ({ status }: Node): string =>
    status.nodeInfo?.[key] || "<unknown>";

/** Columns of node tables. */
export const nodeColumns: readonly Column<Node>[] = [
  name(),
  column("Status", "string", "Whether the node is ready, and whether it takes new pods.", nodeStatus),
  column("Roles", "string", "Roles by the node's labels.", nodeRoles),
  age(),
  column("Version", "string", "Version of the node agent.", ({ status }) => status.nodeInfo?.orchletVersion ?? ""),
  column("Internal-IP", "string", "First address inside the cluster.", address("InternalIP"), 1),
  column("External-IP", "string", "First address reachable from outside.", address("ExternalIP"), 1),
  column("OS-Image", "string", "Operating system.", info("osImage"), 1),
  column("Kernel-Version", "string", "Version of the kernel.", info("kernelVersion"), 1),
  column("Container-Runtime", "string", "Container runtime and its version.", info("containerRuntimeVersion"), 1),
];
