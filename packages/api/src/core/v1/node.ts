import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { share } from "../../shared/drafts.ts";
import { nodeColumns } from "./node-columns.ts";
import { Node } from "./types/node.ts";
import { NodeProxyOptions } from "./types/pod-options.ts";
import { validateNode, validateNodeUpdate } from "./validation/node.ts";

/** Sets the defaults of a node: both forms of the pod range, and all of the capacity as allocatable. */
function applyDefaults({ spec, status }: Draft<Node>): void {
  // `podCIDR`, which is older than dual-stack, is the first of `podCIDRs`: the one that is given sets the other.
  const first = spec?.podCIDRs?.[0];
  if (spec?.podCIDR && first === undefined) {
    spec.podCIDRs = [spec.podCIDR];
  } else if (spec !== undefined && !spec.podCIDR && first !== undefined) {
    spec.podCIDR = first;
  }
  if (status?.allocatable === undefined && status?.capacity !== undefined) {
    status.allocatable = { ...status.capacity };
  }
}

function nodeWarnings({ spec }: Node): string[] {
  const warnings = spec.configSource === undefined ? [] : ["spec.configSource: the feature is no longer supported"];
  if (spec.externalID) warnings.push("spec.externalID: this field is deprecated, and is unused by Orchernetes");
  return warnings;
}

/**
 * `v1` nodes. Unlike for other kinds, a create may contain a status: orchlets register with it. They are stored under
 * `minions`, the first name of nodes.
 */
export const nodes = defineResource<Node>({
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  singular: "node",
  shortNames: ["no"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: Node,
  storagePrefix: "/registry/minions",
  applyDefaults,
  strategy: {
    prepareForCreate: (node) => {
      // Dynamic configuration of orchlets was removed in 1.24 (KEP-281). Only nodes that already have the field keep
      // it.
      delete node.spec.configSource;
    },
    validate: validateNode,
    prepareForUpdate: (node, old) => {
      node.status = share(old.status);
      if (old.spec.configSource === undefined) {
        delete node.spec.configSource;
      }
    },
    validateUpdate: validateNodeUpdate,
    warnings: nodeWarnings,
  },
  columns: nodeColumns,
  fieldSelectors: ["spec.unschedulable"],
  selectableFields: ({ spec }) => ({ "spec.unschedulable": String(spec.unschedulable ?? false) }),
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (node, old) => {
          node.spec = share(old.spec);
          delete node.status.config;
        },
        validateUpdate: validateNodeUpdate,
      },
    },
    proxy: {
      type: "handler",
      group: "",
      version: "v1",
      kind: "NodeProxyOptions",
      verbs: ["create", "delete", "get", "patch", "update"],
      schema: NodeProxyOptions,
    },
  },
});
