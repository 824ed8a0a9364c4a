import type { FunctionLibrary, Implementation } from "../environment/environment.ts";
import { overloads } from "../environment/overload.ts";
import { opaque } from "../language/types.ts";
import { Failure, isOpaque, type OpaqueValue, type Outcome, type Value } from "../values/value.ts";

/** Whose access an expression asks about: that of who sent the request, or that of a service account. */
export type AccessSubject =
  | { readonly kind: "requester" }
  | { readonly kind: "serviceAccount"; readonly namespace: string; readonly name: string };

/** The resource that a check is about; "" for what is not set. */
export interface ResourceAccess {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A question of an expression to the authorizers. */
export type AccessCheck = { readonly subject: AccessSubject; readonly verb: string } & (
  | { readonly kind: "path"; readonly path: string }
  | ({ readonly kind: "resource" } & ResourceAccess)
);

/** What the authorizers say about a check. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

/**
 * Asks the authorizers. It is called while an expression runs, which cannot wait: an answer that takes time, as of a webhook, is a failure at
 * first, and the caller evaluates the expression again when the answer is there.
 */
export type Authorize = (check: AccessCheck) => AccessDecision | Failure;

const names = {
  authorizer: "orchernetes.authorization.Authorizer",
  path: "orchernetes.authorization.PathCheck",
  group: "orchernetes.authorization.GroupCheck",
  resource: "orchernetes.authorization.ResourceCheck",
  decision: "orchernetes.authorization.Decision",
} as const;

export const authorizerType = opaque(names.authorizer);
export const resourceCheckType = opaque(names.resource);

/** What is inside the values, which expressions reach through the functions below only. */
interface Contents {
  readonly authorizer: { readonly subject: AccessSubject; readonly authorize: Authorize };
  readonly path: Contents["authorizer"] & { readonly path: string };
  readonly group: Contents["authorizer"] & { readonly group: string };
  readonly resource: Contents["authorizer"] & { readonly access: ResourceAccess };
  readonly decision: AccessDecision;
}

type Kind = keyof Contents;

const opaqueOf = <K extends Kind>(kind: K, content: Contents[K]): OpaqueValue => ({
  kind: "opaque",
  type: names[kind],
  text: JSON.stringify(content),
  content,
});

/** The variable `authorizer`. */
export const authorizerValue = (authorize: Authorize): Value =>
  opaqueOf("authorizer", { subject: { kind: "requester" }, authorize });

/** The variable `authorizer.requestResource`: a check of the resource that the request is about. */
export const requestResourceValue = (authorize: Authorize, access: ResourceAccess): Value =>
  opaqueOf("resource", { subject: { kind: "requester" }, authorize, access });

const noOverload = (): Failure => new Failure("no such overload");

/** The content of a value if it is of a kind. */
function contentOf<K extends Kind>(kind: K, value: Value | undefined): Contents[K] | undefined {
  return value !== undefined && isOpaque(value) && value.type === names[kind]
    ? (value.content as Contents[K])
    : undefined;
}

/** A method that takes texts. */
function method<K extends Kind>(
  kind: K,
  run: (content: Contents[K], ...texts: readonly string[]) => Outcome,
): Implementation {
  return (target, ...args) => {
    const content = contentOf(kind, target);
    const texts = args.filter((arg) => typeof arg === "string");
    return content === undefined || texts.length < args.length ? noOverload() : run(content, ...texts);
  };
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Namespaces are labels, names of service accounts subdomains (RFC 1123). */
const isLabel = (text: string): boolean => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text);

const isSubdomain = (text: string): boolean =>
  text.length <= 253 && text.split(".").every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part));

function serviceAccount({ authorize }: Contents["authorizer"], namespace: string, name: string): Outcome {
  if (!isSubdomain(name)) return new Failure("Invalid service account name");
  if (!isLabel(namespace)) return new Failure("Invalid service account namespace");
  return opaqueOf("authorizer", { subject: { kind: "serviceAccount", namespace, name }, authorize });
}

function resourceOf({ subject, authorize, group }: Contents["group"], resource: string): Outcome {
  if (isBlank(resource)) return new Failure("resource must not be empty");
  const access = { group, resource, subresource: "", namespace: "", name: "" };
  return opaqueOf("resource", { subject, authorize, access });
}

/** A method that returns a copy of a check with one more property; the check itself stays usable. */
const narrowed = (key: "subresource" | "namespace" | "name"): Implementation =>
  method("resource", (content, text = "") =>
    opaqueOf("resource", { ...content, access: { ...content.access, [key]: text } }),
  );

function decided(decision: AccessDecision | Failure): Outcome {
  return decision instanceof Failure ? decision : opaqueOf("decision", decision);
}

/** Asks the authorizers. It is the only function that does: all others only build the question. */
function check(target: Value | undefined, verb: Value | undefined): Outcome {
  if (typeof verb !== "string") return noOverload();
  const path = contentOf("path", target);
  if (path !== undefined)
    return decided(path.authorize({ kind: "path", subject: path.subject, path: path.path, verb }));
  const resource = contentOf("resource", target);
  if (resource === undefined) return noOverload();
  return decided(resource.authorize({ kind: "resource", subject: resource.subject, ...resource.access, verb }));
}

/** The functions that ask what somebody may do. */
export const authorizerLibrary: FunctionLibrary = {
  overloads: overloads(`
    ${names.authorizer}.path(string) ${names.path}
    ${names.authorizer}.group(string) ${names.group}
    ${names.authorizer}.serviceAccount(string, string) ${names.authorizer}
    ${names.group}.resource(string) ${names.resource}
    ${names.resource}.subresource(string) ${names.resource}
    ${names.resource}.namespace(string) ${names.resource}
    ${names.resource}.name(string) ${names.resource}
    ${names.path}.check(string) ${names.decision}
    ${names.resource}.check(string) ${names.decision}
    ${names.decision}.allowed() bool
    ${names.decision}.reason() string
  `),
  functions: new Map<string, Implementation>([
    [
      "path",
      method("authorizer", ({ subject, authorize }, path = "") =>
        isBlank(path) ? new Failure("path must not be empty") : opaqueOf("path", { subject, authorize, path }),
      ),
    ],
    [
      "group",
      method("authorizer", ({ subject, authorize }, group = "") => opaqueOf("group", { subject, authorize, group })),
    ],
    [
      "serviceAccount",
      method("authorizer", (content, namespace = "", name = "") => serviceAccount(content, namespace, name)),
    ],
    ["resource", method("group", (content, resource = "") => resourceOf(content, resource))],
    ["subresource", narrowed("subresource")],
    ["namespace", narrowed("namespace")],
    ["name", narrowed("name")],
    ["check", check],
    ["allowed", method("decision", ({ allowed }) => allowed)],
    ["reason", method("decision", ({ reason }) => reason)],
  ]),
};
