import { authentication, core } from "@orchernetes/api";
import { badRequest, conflict, type Draft, formatTime, invalid } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler } from "@orchernetes/apiserver";
import type { BoundObject } from "../service-accounts/claims.ts";
import type { TokenIssuer } from "../service-accounts/token-issuer.ts";

/** Tokens that the ServiceAccount plugin injects ask for exactly this; their life may be extended. */
const INJECTED_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

/** Settings of the `--service-account-*` flags that shape issued tokens. */
export interface TokenRequestOptions {
  readonly issuer: TokenIssuer;
  readonly apiAudiences: readonly string[];
  /** Longer requests are cut to this; 0: no limit. */
  readonly maxExpirationSeconds: number;
  /** Injected tokens live up to a year, so that old clients that never re-read them keep working. */
  readonly extendExpiration: boolean;
}

/** The object that the token is to be bound to, which must exist, with the uid given if one is. */
async function resolveBound(
  ref: authentication.BoundObjectReference,
  namespace: string,
  account: string,
  context: RequestContext,
): Promise<BoundObject> {
  const { kind, apiVersion, name = "", uid } = ref;
  if (apiVersion !== "v1" || (kind !== "Pod" && kind !== "Secret"))
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to object of type ${apiVersion ?? ""}/${kind ?? ""}; it can be bound to v1/Pod and v1/Secret`,
    );
  const at = { namespace, name };
  const { registry, signal } = context;
  const object =
    kind === "Pod"
      ? await registry.forDefinition(core.pods).get(at, { signal })
      : await registry.forDefinition(core.secrets).get(at, { signal });
  if (uid && uid !== object.metadata.uid)
    throw conflict(
      { group: "", plural: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (kind === "Pod" && ((object as core.Pod).spec.serviceAccountName ?? "") !== account)
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  return { kind, name, uid: object.metadata.uid };
}

/** `serviceaccounts/token`: issues a token, bound to an audience, a time and (if requested) an object. */
export function serviceAccountTokenHandler(options: TokenRequestOptions): RequestHandler {
  return {
    verbs: ["create"],
    async handle(context) {
      const { requestInfo, registry, signal } = context;
      const { namespace, name } = requestInfo;
      const request = context.body as authentication.TokenRequest | undefined;
      if (request === undefined) throw badRequest("a TokenRequest is expected in the body; found none");
      if (request.metadata.name && request.metadata.name !== name)
        throw badRequest(
          `name in the body ("${request.metadata.name}") does not match the service account in the path ("${name}")`,
        );
      // The body is this request's alone.
      authentication.defaultTokenRequest(request as Draft<authentication.TokenRequest>);
      const errors = authentication.validateTokenRequest(request);
      if (errors.length > 0) throw invalid({ group: "authentication.o8s.io", kind: "TokenRequest" }, "", errors);
      const account = await registry.forDefinition(core.serviceAccounts).get({ namespace, name }, { signal });
      await context.admit("CREATE", request);
      const bound =
        request.spec.boundObjectRef && (await resolveBound(request.spec.boundObjectRef, namespace, name, context));
      const asked = request.spec.expirationSeconds ?? 0;
      const capped = options.maxExpirationSeconds > 0 ? Math.min(asked, options.maxExpirationSeconds) : asked;
      if (capped < asked) context.warn(`requested expiration of ${asked} seconds shortened to ${capped} seconds`);
      const isInjected =
        capped === INJECTED_SECONDS &&
        bound?.kind === "Pod" &&
        isForApiServer(request.spec.audiences, options.apiAudiences);
      const extended = options.extendExpiration && isInjected;
      const audiences = request.spec.audiences ?? [];
      const issued = await options.issuer.issue({
        subject: { namespace, name, uid: account.metadata.uid, ...(bound && { bound }) },
        audiences,
        lifetimeSeconds: extended ? EXTENDED_SECONDS : capped,
        ...(extended && { warnAfterSeconds: capped }),
      });
      // Holders renew the token by this time, even if the signature is valid for longer.
      const expirationTimestamp = formatTime(
        extended ? new Date(context.now.getTime() + capped * 1000) : issued.expiresAt,
      );
      const object: authentication.TokenRequest = {
        ...request,
        metadata: { ...request.metadata, name, namespace },
        spec: {
          ...request.spec,
          audiences: audiences.length > 0 ? audiences : options.apiAudiences,
          expirationSeconds: capped,
        },
        status: { token: issued.token, expirationTimestamp },
      };
      return { type: "object", object, status: 201 };
    },
  };
}

/** Whether a token is for nobody but the API server: others, too, would accept it as long as it is valid. */
function isForApiServer(audiences: readonly string[] | undefined, own: readonly string[]): boolean {
  return (audiences ?? []).every((audience) => own.includes(audience));
}
