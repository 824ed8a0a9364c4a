import type { Duplex } from "node:stream";
import { type ApiObject, badRequest, type ResourceDefinition, type Subresource } from "@orchernetes/apimachinery";
import type { UserInfo } from "@orchernetes/auth";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import type { RequestState } from "../http/request-state.ts";
import type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  Query,
  Registry,
  RequestContext,
  RequestHandler,
  RequestInfo,
  UpgradeContext,
} from "../interfaces/index.ts";
import { admissionOptions } from "../registry/admission-options.ts";
import type { HandlerEnvironment } from "./endpoint.ts";
import { writeDeadlineMs } from "./write-deadline.ts";
import type { WriteQuery } from "./write-options.ts";

/** A request for a subresource or kind that the program serves itself. */
export interface CustomRequest {
  readonly state: RequestState;
  readonly environment: HandlerEnvironment;
  readonly definition: ResourceDefinition;
  readonly subresource: Extract<Subresource<never>, { readonly type: "handler" }> | undefined;
  readonly handler: RequestHandler;
}

/**
 * What the handler of a subresource or kind gets of a request.
 *
 * A class, because reading `signal` creates the request's AbortController, which most handlers do without. A getter of an object literal
 * would do the same, but V8 allocates the pair of its getter and setter in the old generation: everything that the getter refers to, which
 * is the whole request, would survive all collections of the young generation.
 */
export class CustomContext implements RequestContext {
  readonly user: UserInfo;
  readonly requestInfo: RequestInfo;
  readonly query: Query;
  readonly definition: ResourceDefinition;
  readonly body: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly registry: Registry;
  readonly now: Date;
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly warn: (message: string) => void;
  readonly #request: CustomRequest;
  readonly #options: WriteQuery["options"];

  constructor(request: CustomRequest, body: ApiObject | undefined, query: WriteQuery) {
    const { state, environment, definition } = request;
    this.user = state.user;
    this.requestInfo = state.info;
    this.query = state.query;
    this.definition = definition;
    this.body = body;
    this.dryRun = query.dryRun;
    this.registry = environment.registry;
    this.now = environment.clock.now();
    this.req = state.req;
    this.res = state.res;
    this.warn = state.warn;
    this.#request = request;
    this.#options = query.options;
  }

  get signal(): AbortSignal {
    return this.#request.state.signal;
  }

  admit(operation: AdmissionOperation, object: ApiObject | undefined, oldObject?: ApiObject): Promise<void> {
    const { state, environment } = this.#request;
    if (operation === "CONNECT" && state.query.has("dryRun")) throw badRequest("dryRun is not supported");
    const attributes = this.#attributes(operation, object, oldObject);
    const context = new CustomAdmission(state, environment.registry, this.now, operation);
    return environment.admission.run(attributes, context);
  }

  #attributes(
    operation: AdmissionOperation,
    object: ApiObject | undefined,
    oldObject: ApiObject | undefined,
  ): AdmissionAttributes {
    const { state, definition, subresource } = this.#request;
    const { group, version, plural, kind } = definition;
    const { info } = state;
    return {
      operation,
      user: state.user,
      resource: { group, version, resource: plural },
      kind:
        subresource === undefined
          ? { group, version, kind }
          : { group: subresource.group, version: subresource.version, kind: subresource.kind },
      subresource: info.subresource,
      namespace: definition.scope === "Namespaced" ? info.namespace : "",
      // Kinds without a path of their own are named by the object.
      name: info.name || (object?.metadata?.name ?? ""),
      object,
      oldObject,
      definition,
      options: admissionOptions(operation, this.#options),
      dryRun: this.dryRun,
    };
  }
}

/** The same of an upgrade, with its socket. */
export class CustomUpgradeContext extends CustomContext implements UpgradeContext {
  readonly socket: Duplex;
  readonly head: Buffer;

  constructor(request: CustomRequest, query: WriteQuery, socket: Duplex, head: Buffer) {
    super(request, undefined, query);
    this.socket = socket;
    this.head = head;
  }
}

/** What admission plugins may use for the operation of a handler. A class for the same reason as {@link CustomContext}. */
class CustomAdmission implements AdmissionContext {
  readonly registry: Registry;
  readonly now: Date;
  readonly deadlineMs: number | undefined;
  readonly warn: (message: string) => void;
  readonly annotate: AdmissionContext["annotate"];
  readonly #state: RequestState;

  constructor(state: RequestState, registry: Registry, now: Date, operation: AdmissionOperation) {
    this.registry = registry;
    this.now = now;
    // A connection may last, and so may the decision on it.
    this.deadlineMs = operation === "CONNECT" ? state.deadlineMs : writeDeadlineMs(state.deadlineMs, now);
    this.warn = state.warn;
    this.annotate = state.annotate;
    this.#state = state;
  }

  get signal(): AbortSignal {
    return this.#state.signal;
  }

  get addWebhookTime(): AdmissionContext["addWebhookTime"] {
    return (phase, elapsedMs) => this.#state.addWebhookTime(phase, elapsedMs);
  }
}
