import { type Field, type Schema, setOwn } from "@orchernetes/apimachinery";
import type { Random } from "../random.ts";
import { anyJson } from "./json-value.ts";
import { nastyText, plainName, trapNames } from "./nasty-text.ts";

/**
 * A value of a schema's types, mostly with content that validation accepts. Optional fields are present at random.
 * @param depth - levels that it may still nest
 */
export function schemaValue(random: Random, schema: Schema, depth = 4): unknown {
  switch (schema.kind) {
    case "message": {
      const out: Record<string, unknown> = {};
      const fields = Object.entries(schema.fields());
      // About four fields of each message, so that wide messages such as a pod's spec do not grow without bound.
      const share = Math.min(0.9, 4 / fields.length);
      for (const [name, field] of fields) {
        if (random.chance(isNeeded(field) ? 0.9 : depth > 0 ? share : 0)) {
          setOwn(out, name, fieldValue(random, name, field, depth));
        }
      }
      return out;
    }
    case "list":
      return random.many(0, 2, () => schemaValue(random, schema.item, depth - 1));
    case "map": {
      const out: Record<string, unknown> = {};
      for (let i = random.below(3); i > 0; i--) {
        setOwn(
          out,
          random.chance(0.1) ? random.pick(trapNames) : plainName(random),
          schemaValue(random, schema.value, depth - 1),
        );
      }
      return out;
    }
    default:
      return scalar(random, schema.kind, schema.values);
  }
}

const isNeeded = (field: Field): boolean => field.presence === "required";

function fieldValue(random: Random, name: string, field: Field, depth: number): unknown {
  if (field.schema.kind === "string" && field.schema.values === undefined && random.chance(0.6)) {
    const likely = likelyText[name];
    if (likely !== undefined) return random.pick(likely);
  }
  return schemaValue(random, field.schema, depth - 1);
}

/** Texts that validation accepts in fields of these names. */
const likelyText: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null) as object, {
  name: ["a", "b", "c"],
  namespace: ["fuzz", "default"],
  image: ["localhost/busybox:1"],
  key: ["a", "app", "node.orchernetes.io/not-ready"],
  operator: ["In", "NotIn", "Exists", "DoesNotExist", "Equal", "Gt", "Lt"],
  effect: ["NoSchedule", "NoExecute", "PreferNoSchedule"],
  protocol: ["TCP", "UDP", "SCTP"],
  type: [
    "ClusterIP",
    "NodePort",
    "Recreate",
    "RollingUpdate",
    "Utilization",
    "Resource",
    "Pods",
    "Limited",
    "Container",
  ],
  path: ["/", "/x", "a/b"],
  mountPath: ["/x", "/y"],
  apiVersion: ["v1", "apps/v1"],
  kind: ["Pod", "Deployment", "User", "Role", "ClusterRole", "ServiceAccount"],
  apiGroup: ["", "rbac.authorization.o8s.io"],
  topologyKey: ["orchernetes.io/hostname", "zone"],
  schedule: ["* * * * *", "@daily", "0 0 31 2 *"],
  uid: ["00000000-0000-0000-0000-000000000001"],
  ip: ["10.0.0.1", "::1"],
  clusterIP: ["None", "", "10.0.0.9"],
  phase: ["Running", "Pending", "Succeeded", "Failed", "Active", "Bound"],
  status: ["True", "False", "Unknown"],
});

function scalar(
  random: Random,
  kind: Exclude<Schema["kind"], "message" | "list" | "map">,
  values?: readonly string[],
): unknown {
  switch (kind) {
    case "string":
      return values !== undefined && values.length > 0 && random.chance(0.8) ? random.pick(values) : textValue(random);
    case "bool":
      return random.chance(0.5);
    case "int32":
      return random.pick([0, 1, 2, 3, 80, 8080, 30000, -1, 2 ** 31 - 1, -(2 ** 31), 65536]);
    case "uint32":
      return random.pick([0, 1, 2 ** 31, 2 ** 32 - 1]);
    case "int64":
      return random.pick([0, 1, 1000, -1, 2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 40]);
    case "double":
      return random.pick([0, 0.5, -1.25, 1e300, 5e-324]);
    case "bytes":
      return random.pick(["", "YQ==", "AAECAw==", "/////w=="]);
    case "quantity":
      return random.pick([
        "0",
        "1",
        "100m",
        "1Gi",
        "1.5",
        "1e3",
        "9223372036854775807",
        "1n",
        "-1",
        "0.000000001",
        5,
        2.5,
      ]);
    case "time":
      return random.pick([
        "2026-11-21T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "2026-11-21T00:00:00.123+02:00",
      ]);
    case "microTime":
      return random.pick(["2026-11-21T00:00:00.000001Z", "0001-01-01T00:00:00.000000Z"]);
    case "duration":
      return random.pick(["0s", "1h2m3s", "-1s", "1.5ms"]);
    case "intOrString":
      return random.pick<unknown>([0, 1, 80, "25%", "http", "-1", 70000]);
    default:
      return kind === "raw" ? { a: anyJson(random, 2) } : anyJson(random, 2);
  }
}

function textValue(random: Random): string {
  return random.chance(0.7) ? random.pick(["a", "b", "x", "default", "web", "10.0.0.1", "80"]) : nastyText(random);
}
