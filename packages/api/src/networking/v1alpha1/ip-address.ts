import {
  defineResource,
  type FieldError,
  field,
  isDns1123Subdomain,
  isPathSegmentName,
  parseIp,
} from "@orchernetes/apimachinery";
import { allVerbs } from "../../meta/verbs.ts";
import { column, immutable, name, report } from "../../shared/index.ts";
import { IPAddress, type IPAddressSpec } from "./types/ip-address.ts";

function nameErrors(text: string): readonly string[] {
  if (parseIp(text) === undefined) return [`${text} is not an IP address`];
  const canonical = text.includes(":") ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
  const plain = text.includes(":") || text.split(".").every((part) => String(Number(part)) === part);
  return canonical === text && plain ? [] : ["not a valid IP address in canonical format"];
}

function validateSpec({ parentRef }: IPAddressSpec): FieldError[] {
  const path = field("spec", "parentRef");
  if (parentRef === undefined) return [field.required(path)];
  const errors: FieldError[] = [];
  if (parentRef.group) report(errors, isDns1123Subdomain(parentRef.group), path, "group", parentRef.group);
  for (const part of ["resource", "name"] as const) {
    if (parentRef[part] === "") errors.push(field.required(path.child(part)));
    else report(errors, isPathSegmentName(parentRef[part]), path, part, parentRef[part]);
  }
  if (parentRef.namespace)
    report(errors, isPathSegmentName(parentRef.namespace), path, "namespace", parentRef.namespace);
  return errors;
}

/** An address that something in the cluster has; its name is the address. */
export const ipAddresses = defineResource<IPAddress>({
  group: "networking.o8s.io",
  version: "v1alpha1",
  kind: "IPAddress",
  plural: "ipaddresses",
  singular: "ipaddress",
  shortNames: ["ip"],
  scope: "Cluster",
  verbs: allVerbs,
  schema: IPAddress,
  storagePrefix: "/registry/ipaddresses",
  strategy: {
    nameFormat: nameErrors,
    validate: ({ spec }) => validateSpec(spec),
    validateUpdate: ({ spec }, old) => immutable(spec, old.spec, field("spec")),
  },
  columns: [
    name(),
    column("ParentRef", "string", "What has the address.", ({ spec: { parentRef } }) => {
      const { group = "", resource = "", namespace = "", name: owner = "" } = parentRef ?? {};
      const kind = group === "" ? resource : `${resource}.${group}`;
      return [kind, namespace, owner].filter((part) => part !== "").join("/");
    }),
  ],
});
