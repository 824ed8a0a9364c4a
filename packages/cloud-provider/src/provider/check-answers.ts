import { isDns1123Subdomain, isValidIP, isValidLabelValue } from "@orchernetes/apimachinery";
import type { CloudNode } from "./cloud-provider.ts";
import { mayBeIngress, specialKind } from "./ingress-addresses.ts";

/** Says what is wrong with an answer; undefined if it has the right form. */
export type Check = (value: unknown) => string | undefined;

/** Limits of answers: larger ones cannot be stored, or would block the daemon. */
const maxTextLength = 1024;
const maxAddresses = 100;
const maxIngress = 256;
const maxRoutes = 100_000;
const maxClusters = 10_000;

const addressTypes: readonly unknown[] = ["Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"];

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown, min = 0): value is string =>
  typeof value === "string" && value.length >= min && value.length <= maxTextLength;

/** A short form of a value for messages. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** The first error that `check` finds in the items of a list of at most `max` items. */
function inList(name: string, value: unknown, max: number, check: Check): string | undefined {
  if (!Array.isArray(value)) return `${name}: found ${shown(value)}, want a list`;
  if (value.length > max) return `${name}: found ${value.length} items, want at most ${max}`;
  for (const item of value) {
    const error = check(item);
    if (error !== undefined) return `${name}: ${error}`;
  }
  return undefined;
}

/** The answer is true or false. */
export const checkBoolean: Check = (value) =>
  typeof value === "boolean" ? undefined : `found ${shown(value)}, want true or false`;

/** There is nothing to answer. */
export const checkNothing: Check = () => undefined;

/** The answer is a text that is not empty. */
export const checkName: Check = (value) =>
  isText(value, 1) ? undefined : `found ${shown(value)}, want a text of 1 to ${maxTextLength} characters`;

const checkAddress: Check = (value) => {
  if (!isObject(value) || !addressTypes.includes(value.type) || !isText(value.address, 1)) {
    return `found ${shown(value)}, want a type of address and an address`;
  }
  const wantsIp = value.type === "InternalIP" || value.type === "ExternalIP";
  return wantsIp && isValidIP(value.address).length > 0
    ? `found ${shown(value.address)}, want an IP address`
    : undefined;
};

const checkLabelValue = (name: string, value: unknown): string | undefined =>
  typeof value === "string" && isValidLabelValue(value).length === 0
    ? undefined
    : `${name}: found ${shown(value)}, want the value of a label`;

/** The answer is a {@link Zone}, whose fields become labels. */
export const checkZone: Check = (value) =>
  isObject(value)
    ? (checkLabelValue("zone", value.zone) ?? checkLabelValue("region", value.region))
    : `found ${shown(value)}, want a zone`;

/** The answer is {@link InstanceMetadata}, or nothing. */
export const checkMetadata: Check = (value) => {
  if (value === undefined) return undefined;
  if (!isObject(value)) return `found ${shown(value)}, want metadata`;
  return (
    (isText(value.providerID) ? undefined : `providerID: found ${shown(value.providerID)}, want a text`) ??
    checkLabelValue("instanceType", value.instanceType) ??
    checkZone(value) ??
    inList("addresses", value.addresses, maxAddresses, checkAddress)
  );
};

const checkIngress: Check = (value) => {
  if (!isObject(value)) return `found ${shown(value)}, want an address`;
  const { ip = "", hostname = "" } = value;
  if (ip === "" && hostname === "") return "found an entry without ip and hostname";
  if (ip !== "" && (typeof ip !== "string" || isValidIP(ip).length > 0)) return `ip: found ${shown(ip)}`;
  if (hostname !== "" && (typeof hostname !== "string" || isDns1123Subdomain(hostname).length > 0)) {
    return `hostname: found ${shown(hostname)}`;
  }
  return undefined;
};

/** The answer is the status of a load balancer. */
const checkStatus: Check = (value) =>
  isObject(value)
    ? inList("ingress", value.ingress ?? [], maxIngress, checkIngress)
    : `found ${shown(value)}, want a status`;

/** The answer is the status of a load balancer, or nothing. */
export const checkOptionalStatus: Check = (value) => (value === undefined ? undefined : checkStatus(value));

const checkRoute: Check = (value) => {
  if (!isObject(value)) return `found ${shown(value)}, want a route`;
  for (const field of ["name", "targetNode", "destinationCIDR"]) {
    if (!isText(value[field])) return `${field}: found ${shown(value[field])}, want a text`;
  }
  for (const field of ["enableNodeAddresses", "blackhole"]) {
    if (typeof value[field] !== "boolean") return `${field}: found ${shown(value[field])}, want true or false`;
  }
  return inList("targetNodeAddresses", value.targetNodeAddresses, maxAddresses, checkAddress);
};

/** The answer is the status of a new or changed load balancer of these nodes, or nothing if `isOptional`. */
export const checkNewStatus =
  (nodes: readonly CloudNode[], isOptional: boolean): Check =>
  (value) => {
    const error = isOptional ? checkOptionalStatus(value) : checkStatus(value);
    if (error !== undefined || !isObject(value)) return error;
    return inList("ingress", value.ingress ?? [], maxIngress, (entry) => {
      const ip = isObject(entry) && typeof entry.ip === "string" ? entry.ip : "";
      return ip === "" || mayBeIngress(ip, nodes) ? undefined : `ip: found ${shown(ip)}, a ${specialKind(ip)} address`;
    });
  };

/** The answer is a list of routes. */
export const checkRoutes: Check = (value) => inList("routes", value, maxRoutes, checkRoute);

/** The answer is a list of names of clusters. */
export const checkClusters: Check = (value) => inList("clusters", value, maxClusters, checkName);
