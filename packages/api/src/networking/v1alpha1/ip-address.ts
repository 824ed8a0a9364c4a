import {
  defineResource,
  type FieldError,
  field,
  type Infer,
  isDns1123Subdomain,
  isPathSegmentName,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  parseIp,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { immutable } from "../../shared/immutable.ts";
import { report } from "../../shared/report.ts";

const pkg = "networking/v1alpha1";

/**
 * An allocated address. Its name is the canonical form of the address, so no address can be allocated twice. Source: KEP-1880.
 */
export const IPAddress = object(pkg, "IPAddress", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, IPAddressSpec),
}));
export interface IPAddress extends Infer<typeof IPAddress> {}

/** What an address is taken for. */
export const IPAddressSpec = message(pkg, "IPAddressSpec", () => ({
  parentRef: pointer(1, ParentReference),
}));
export interface IPAddressSpec extends Infer<typeof IPAddressSpec> {}

/** The object that has an address. */
export const ParentReference = message(pkg, "ParentReference", () => ({
  group: optional(1, string),
  resource: required(2, string),
  namespace: optional(3, string),
  name: required(4, string),
  uid: optional(5, string),
}));
export interface ParentReference extends Infer<typeof ParentReference> {}

export const IPAddressList = object(pkg, "IPAddressList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(IPAddress)),
}));
export interface IPAddressList extends Infer<typeof IPAddressList> {}

/** Errors of a name, which is an address in canonical form: with two spellings an address could be allocated twice. */
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

/** `networking.o8s.io/v1alpha1` addresses that are allocated; the name is the address. */
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
