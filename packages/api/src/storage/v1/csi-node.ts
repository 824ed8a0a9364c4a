import {
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  type Infer,
  int32,
  isQualifiedName,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { semanticEqual } from "../../shared/immutable.ts";
import { nonNegative } from "../../shared/numbers.ts";
import { firstByKey } from "../../shared/repeated.ts";
import { report, requireText } from "../../shared/report.ts";

const pkg = "storage/v1";

/** The CSI drivers of a node, written by its orchlet. It has the name of the node. */
export const CSINode = object(pkg, "CSINode", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, CSINodeSpec),
}));
export interface CSINode extends Infer<typeof CSINode> {}

/** The CSI drivers on a node. */
export const CSINodeSpec = message(pkg, "CSINodeSpec", () => ({
  drivers: required(1, list(CSINodeDriver), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
}));
export interface CSINodeSpec extends Infer<typeof CSINodeSpec> {}

/** A CSI driver on a node. */
export const CSINodeDriver = message(pkg, "CSINodeDriver", () => ({
  name: required(1, string),
  nodeID: required(2, string),
  topologyKeys: pointer(3, list(string)),
  allocatable: pointer(4, VolumeNodeResources),
}));
export interface CSINodeDriver extends Infer<typeof CSINodeDriver> {}

/** How many volumes a node can use. */
export const VolumeNodeResources = message(pkg, "VolumeNodeResources", () => ({
  count: pointer(1, int32),
}));
export interface VolumeNodeResources extends Infer<typeof VolumeNodeResources> {}

export const CSINodeList = object(pkg, "CSINodeList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CSINode)),
}));
export interface CSINodeList extends Infer<typeof CSINodeList> {}

const maxNodeIdLength = 256;

/** Validates the drivers of a node. Each name may occur once. */
function validateCSINode({ spec }: CSINode): FieldError[] {
  const path = field("spec").child("drivers");
  const names = new Set<string>();
  return spec.drivers.flatMap((driver, i) => {
    const errors = validateDriver(driver, path.index(i));
    if (names.has(driver.name)) {
      errors.push(field.duplicate(path.index(i).child("name"), driver.name));
    }
    names.add(driver.name);
    return errors;
  });
}

/** Validates one driver. As upstream does, errors of topology keys are reported at the list, without an index. */
function validateDriver(driver: CSINodeDriver, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  validateCsiDriverName(driver.name, path.child("name"), errors);
  if (requireText(errors, driver.nodeID, path, "nodeID") && driver.nodeID.length > maxNodeIdLength) {
    errors.push(field.invalid(path.child("nodeID"), driver.nodeID, `must be ${maxNodeIdLength} characters or less`));
  }
  errors.push(...nonNegative(driver.allocatable?.count, path.child("allocatable", "count")));
  const keys = new Set<string>();
  for (const key of driver.topologyKeys ?? []) {
    const at = path.child("topologyKeys");
    if (key === "") {
      errors.push(field.required(at));
    }
    if (keys.has(key)) {
      errors.push(field.duplicate(at, key));
    }
    keys.add(key);
    report(errors, isQualifiedName(key), path, "topologyKeys", key);
  }
  return errors;
}

/** Validates an update: drivers can be added and removed, but a remaining one is immutable. */
function validateCSINodeUpdate(node: CSINode, old: CSINode): FieldError[] {
  const known = firstByKey(old.spec.drivers, ({ name }) => name);
  const changed = node.spec.drivers.filter((driver) => {
    const before = known.get(driver.name);
    return before !== undefined && !semanticEqual(driver, before);
  });
  return [
    ...validateCSINode(node),
    ...changed.map(({ name: Name, nodeID: NodeID }) =>
      field.invalid("CSINodeDriver", goStruct("storage.CSINodeDriver", { Name, NodeID }), "field is immutable"),
    ),
  ];
}

/** `storage.o8s.io/v1` CSI nodes: the drivers of each node. */
export const csiNodes = defineResource<CSINode>({
  group: "storage.o8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  singular: "csinode",
  scope: "Cluster",
  verbs: allVerbs,
  schema: CSINode,
  storagePrefix: "/registry/csinodes",
  strategy: {
    // Kubernetes 1.27 reports each cause twice, and clients compare the messages.
    validate: (node) => [...validateCSINode(node), ...validateCSINode(node)],
    validateUpdate: validateCSINodeUpdate,
    allowUnconditionalUpdate: false,
    returnDeletedObject: true,
  },
  columns: [name(), column("Drivers", "integer", "Number of drivers.", ({ spec }) => spec.drivers.length), age()],
});
