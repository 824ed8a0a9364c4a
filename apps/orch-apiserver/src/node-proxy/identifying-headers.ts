import type { RequestHandler } from "@orchernetes/apiserver";
import type { HttpRequest } from "@orchernetes/kernel";

/** Headers in which a front proxy names the user, in lower case: names and prefixes. */
export interface IdentifyingHeaders {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** The flags that configure them. */
export interface RequestHeaderFlags {
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
}

const lowerCase = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());

/** The headers that this server's flags configure. The proxies drop the customary `X-Remote-…` in any case. */
export function identifyingHeaders(flags: RequestHeaderFlags): IdentifyingHeaders {
  return {
    names: new Set(lowerCase([...flags["requestheader-username-headers"], ...flags["requestheader-group-headers"]])),
    prefixes: lowerCase(flags["requestheader-extra-headers-prefix"]),
  };
}

/** Whether a header, by its lower-case name, names the user. */
export function isIdentifying(name: string, { names, prefixes }: IdentifyingHeaders): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Wraps a forwarding handler so that headers which name the user are removed: authentication has read them already. */
export function withoutIdentity(handler: RequestHandler, identifying: IdentifyingHeaders): RequestHandler {
  const strip = ({ headers }: HttpRequest): void => {
    for (const name of Object.keys(headers)) if (isIdentifying(name, identifying)) delete headers[name];
  };
  const { upgrade } = handler;
  return {
    ...handler,
    handle(context) {
      strip(context.req);
      return handler.handle(context);
    },
    ...(upgrade && {
      upgrade(context) {
        strip(context.req);
        return upgrade.call(handler, context);
      },
    }),
  };
}
