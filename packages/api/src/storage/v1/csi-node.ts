import {
  defineResource,
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  isQualifiedName,
} from "@orchernetes/apimachinery";
import { validateCsiDriverName } from "../../core/v1/validation/volume-sources.ts";
import { allVerbs } from "../../meta/verbs.ts";
import { age, column, name, nonNegative, report, requireText, semanticEqual } from "../../shared/index.ts";
import { firstByKey } from "../../shared/repeated.ts";
import { CSINode, type CSINodeDriver } from "./types/csi-node.ts";

const maxNodeIdLength = 256;

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

/** Drivers come and go, but one that stays keeps its facts. */
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

/** The CSI drivers of a node. */
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
    // Clients have always found each cause of a refused creation twice.
    validate: (node) => [...validateCSINode(node), ...validateCSINode(node)],
    validateUpdate: validateCSINodeUpdate,
    allowUnconditionalUpdate: false,
    returnDeletedObject: true,
  },
  columns: [name(), column("Drivers", "integer", "Number of drivers.", ({ spec }) => spec.drivers.length), age()],
});
