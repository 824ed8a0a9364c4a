import {
  capabilitiesOf,
  type Deprecation,
  deprecationWarning,
  genericServerResponse,
  type ResourceDefinition,
  type Subresource,
  type Verb,
} from "@orchernetes/apimachinery";
import { handleCreate } from "../handlers/create.ts";
import { handleDelete, handleDeleteCollection } from "../handlers/delete.ts";
import type { HandlerEnvironment, ResourceRequest } from "../handlers/endpoint.ts";
import { handleGet } from "../handlers/get.ts";
import { handleList } from "../handlers/list.ts";
import { handlePatch } from "../handlers/patch.ts";
import { handleGetScale, handleWriteScale } from "../handlers/scale.ts";
import { handleUpdate } from "../handlers/update.ts";
import { handleWatch } from "../handlers/watch.ts";
import { claimsGroup, sendNotFoundPage } from "../http/not-found-page.ts";
import type { RequestState } from "../http/request-state.ts";
import { asksForWebSocket, type Messages } from "../http/web-socket-response.ts";
import type { RequestHandler, RequestInfo } from "../interfaces/index.ts";
import { handlerKey } from "../interfaces/index.ts";
import type { ServedVersion } from "../registry/served-version.ts";

type HandlerSubresource = Extract<Subresource<never>, { readonly type: "handler" }>;

/**
 * What serves a resource request: the REST handlers of this package (`builtin`), or a handler of the program
 * (`custom`).
 */
export type Route =
  | { readonly type: "builtin"; readonly serve: () => Promise<void> }
  | {
      readonly type: "custom";
      readonly definition: ResourceDefinition;
      readonly subresource: HandlerSubresource | undefined;
      readonly handler: RequestHandler;
    };

const notFound = () => genericServerResponse({ code: 404 });
const notAllowed = () => genericServerResponse({ code: 405 });

/**
 * Finds what serves a resource request.
 *
 * @throws ApiError NotFound for paths that do not exist, MethodNotAllowed for methods that a path does not have
 */
export function routeOf(environment: HandlerEnvironment, state: RequestState): Route {
  const { info } = state;
  const found = environment.registry.find(info.apiGroup, info.apiVersion, info.resource);
  if (found === undefined) {
    if (claimsGroup(environment.registry.definitions(), info.apiGroup)) throw notFound();
    return notFoundPage(state);
  }
  const { definition, store } = found;
  if (definition.deprecation !== undefined) warnOfDeprecation(state, definition, definition.deprecation);
  const pathName = info.parts[1] ?? "";
  const namespaced = definition.scope === "Namespaced";
  const namespace = namespaced ? info.namespace : "";
  if (!namespaced && info.namespace !== "" && info.resource !== "namespaces") return nothingAt(state, definition);
  if (info.watchPath) return watchRoute(environment, state, definition, store?.served, { namespace, name: pathName });
  const subresources = definition.subresources ?? {};
  const subresource = Object.hasOwn(subresources, info.subresource) ? subresources[info.subresource] : undefined;
  if (info.subresource !== "") {
    if (subresource === undefined) throw notFound();
    if (subresource.type === "handler") return customRoute(environment, info, definition, subresource);
  }
  if (info.parts.length > (subresource === undefined ? 2 : 3)) throw notFound();
  if (pathName !== "" && namespaced && namespace === "") return nothingAt(state, definition);

  const own = environment.handlers[handlerKey(definition.group, definition.plural)];
  if (subresource === undefined && own?.verbs.includes(info.verb as Verb)) {
    return { type: "custom", definition, subresource: undefined, handler: own };
  }
  if (store === undefined) throw notAllowed();
  const request: ResourceRequest = {
    state,
    served: store.served,
    environment,
    ref: { namespace, name: pathName },
    subresource: subresource as Subresource<never> | undefined,
  };
  return { type: "builtin", serve: builtin(request, subresource as unknown as Subresource<never> | undefined) };
}

/**
 * Responds to a path of the wrong scope (a namespaced resource without namespace, or the reverse) with 404. As
 * upstream, custom resources get it as a text page and not as a Status.
 */
function nothingAt(state: RequestState, definition: ResourceDefinition): Route {
  if (capabilitiesOf(definition).statusForUnknownPaths) throw notFound();
  return notFoundPage(state);
}

const notFoundPage = (state: RequestState): Route => ({ type: "builtin", serve: async () => sendNotFoundPage(state) });

/** Adds the deprecation warning of a version (KEP-1693) and its audit annotations. */
function warnOfDeprecation(state: RequestState, definition: ResourceDefinition, deprecation: Deprecation): void {
  state.warn(deprecationWarning(definition, deprecation));
  state.annotate("o8s.io/deprecated", "true");
  if (deprecation.removed !== undefined) state.annotate("o8s.io/removed-release", deprecation.removed);
}

/** The REST handler of a verb. @throws ApiError MethodNotAllowed */
function builtin(request: ResourceRequest, subresource: Subresource<never> | undefined): () => Promise<void> {
  const { state, served, ref } = request;
  const { verb } = state.info;
  if (subresource?.type === "scale") {
    const scale = subresource as unknown as Parameters<typeof handleGetScale>[1];
    if (verb === "get") return () => handleGetScale(request, scale);
    if (verb === "update" || verb === "patch") return () => handleWriteScale(request, scale);
    throw notAllowed();
  }
  const verbs: readonly string[] = subresource === undefined ? served.definition.verbs : verbsOf(subresource);
  if (!verbs.includes(verb)) throw notAllowed();
  // Collections of all namespaces can only be read.
  const wholeCluster = served.namespaced && ref.namespace === "";
  switch (verb) {
    case "get":
      return () => handleGet(request);
    case "list":
      return () => handleList(request);
    case "watch":
      return () => handleWatch(request);
    case "create":
      if (ref.name !== "" || wholeCluster) throw notAllowed();
      return () => handleCreate(request);
    case "update":
      if (ref.name === "") throw notAllowed();
      return () => handleUpdate(request);
    case "patch":
      if (ref.name === "") throw notAllowed();
      return () => handlePatch(request);
    case "delete":
      return () => handleDelete(request);
    case "deletecollection":
      if (wholeCluster) throw notAllowed();
      return () => handleDeleteCollection(request);
    default:
      throw notAllowed();
  }
}

function verbsOf(subresource: Subresource<never>): readonly string[] {
  return subresource.type === "scale" ? ["get", "update", "patch"] : subresource.verbs;
}

/** The route of the deprecated `/watch/` paths. They name one object or a collection, never a subresource. */
function watchRoute(
  environment: HandlerEnvironment,
  state: RequestState,
  definition: ResourceDefinition,
  served: ServedVersion | undefined,
  ref: { readonly namespace: string; readonly name: string },
): Route {
  if (state.req.method !== "GET" || served === undefined || !definition.verbs.includes("watch")) throw notAllowed();
  if (state.info.parts.length > 2) throw notFound();
  const request: ResourceRequest = { state, served, environment, ref, subresource: undefined };
  return { type: "builtin", serve: () => handleWatch(request) };
}

/** The route of a subresource that a handler serves. @throws ApiError NotFound, MethodNotAllowed */
function customRoute(
  environment: HandlerEnvironment,
  info: RequestInfo,
  definition: ResourceDefinition,
  subresource: HandlerSubresource,
): Route {
  const handler = environment.handlers[handlerKey(definition.group, definition.plural, info.subresource)];
  if (handler === undefined) throw notFound();
  if (definition.scope === "Namespaced" && info.namespace === "") throw notFound();
  if (!subresource.verbs.includes(info.verb as Verb) && !handler.verbs.includes(info.verb as Verb)) throw notAllowed();
  return { type: "custom", definition, subresource, handler };
}

/**
 * The kind of messages with which a GET over a WebSocket is served; undefined if it is not, or if its handler speaks
 * WebSocket itself.
 */
export function messagesOf(route: Route, { req, info }: RequestState): Messages | undefined {
  if (!asksForWebSocket(req)) return undefined;
  if (route.type === "builtin") return info.verb === "watch" ? "events" : undefined;
  return route.handler.answersWebSockets === true ? "bytes" : undefined;
}
