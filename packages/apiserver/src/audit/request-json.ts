import type { UserInfo } from "@orchernetes/auth";
import type { AuditEventFields, AuditedObjectReference } from "./event-fields.ts";
import { inOnePiece, q } from "./json-text.ts";

/** The text of the last request with a path, and whose it was. */
interface RequestText {
  readonly verb: string;
  readonly user: UserInfo;
  readonly address: string;
  readonly userAgent: string;
  readonly text: string;
}

/** Clients ask again and again for the same: their requests differ in the times and the identifier only. */
const requestTexts = new Map<string, RequestText>();
const MAX_REQUESTS = 1024;
/** Maximum number of characters of a text that is kept. */
const MAX_TEXT = 2048;

/** The JSON of what is requested, by whom and from where: the fields between the stage and the status of an event. */
export function requestJson(event: AuditEventFields): string {
  const { shared, impersonatedUser, objectRef } = event;
  if (shared.text === "" || impersonatedUser !== shared.impersonated || objectRef !== shared.reference) {
    shared.impersonated = impersonatedUser;
    shared.reference = objectRef;
    shared.text = objectRef === shared.pathReference ? pathRequestJson(event) : inOnePiece(newRequestJson(event));
  }
  return shared.text;
}

/** As {@link requestJson} of a request whose object is the one that its path names. */
function pathRequestJson(event: AuditEventFields): string {
  const { requestUri, verb, user, impersonatedUser, sourceIps, userAgent } = event;
  const [address = ""] = sourceIps;
  if (user === undefined || impersonatedUser !== undefined || sourceIps.length > 1)
    return inOnePiece(newRequestJson(event));
  const known = requestTexts.get(requestUri);
  if (
    known !== undefined &&
    known.user === user &&
    known.verb === verb &&
    known.address === address &&
    known.userAgent === userAgent
  )
    return known.text;
  const text = inOnePiece(newRequestJson(event));
  if (text.length > MAX_TEXT) return text;
  if (known === undefined && requestTexts.size >= MAX_REQUESTS) requestTexts.clear();
  requestTexts.set(requestUri, { verb, user, address, userAgent, text });
  return text;
}

const newRequestJson = (event: AuditEventFields): string =>
  q(event.requestUri) + clientJson(event) + (event.objectRef === undefined ? "" : referenceJson(event.objectRef));

/** Who asks for what from where: the same in most requests of a client. */
interface ClientText {
  readonly address: string;
  readonly userAgent: string;
  readonly text: string;
}

/** The last text of each verb of a user. Users are objects that requests with the same credentials share. */
const clientTexts = new WeakMap<UserInfo, Map<string, ClientText>>();
/** Clients choose verbs over HTTP/2. */
const MAX_VERBS = 16;

function clientJson(event: AuditEventFields): string {
  const { verb, user, impersonatedUser, sourceIps, userAgent } = event;
  const [address = ""] = sourceIps;
  if (user === undefined || impersonatedUser !== undefined || sourceIps.length > 1) return newClientJson(event);
  let texts = clientTexts.get(user);
  if (texts === undefined) {
    texts = new Map();
    clientTexts.set(user, texts);
  }
  const known = texts.get(verb);
  if (known !== undefined && known.address === address && known.userAgent === userAgent) return known.text;
  const text = inOnePiece(newClientJson(event));
  if (known !== undefined || texts.size < MAX_VERBS) texts.set(verb, { address, userAgent, text });
  return text;
}

function newClientJson({ verb, user, impersonatedUser, sourceIps, userAgent }: AuditEventFields): string {
  let text = `,"verb":${q(verb)},"user":${user === undefined ? "{}" : userJson(user)}`;
  if (impersonatedUser !== undefined) text += `,"impersonatedUser":${userJson(impersonatedUser)}`;
  if (sourceIps.length > 0) text += `,"sourceIPs":["${sourceIps.join('","')}"]`;
  if (userAgent !== "") text += `,"userAgent":${q(userAgent)}`;
  return text;
}

const userTexts = new WeakMap<UserInfo, string>();

/** The JSON of a user, kept with the user object, which requests with the same credentials share. */
function userJson(user: UserInfo): string {
  let text = userTexts.get(user);
  if (text === undefined) {
    const { name, uid, groups, extra } = user;
    text = JSON.stringify({
      ...(name !== "" && { username: name }),
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(Object.keys(extra).length > 0 && { extra }),
    });
    userTexts.set(user, text);
  }
  return text;
}

/** Requests for resources always have a resource. */
function referenceJson(reference: AuditedObjectReference): string {
  const { namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = reference;
  let text = `,"objectRef":{"resource":${q(reference.resource)}`;
  if (namespace !== "") text += `,"namespace":${q(namespace)}`;
  if (name !== "") text += `,"name":${q(name)}`;
  if (uid !== "") text += `,"uid":${q(uid)}`;
  if (apiGroup !== "") text += `,"apiGroup":${q(apiGroup)}`;
  if (apiVersion !== "") text += `,"apiVersion":${q(apiVersion)}`;
  if (resourceVersion !== "") text += `,"resourceVersion":${q(resourceVersion)}`;
  if (subresource !== "") text += `,"subresource":${q(subresource)}`;
  return `${text}}`;
}
