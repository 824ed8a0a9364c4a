import { isDeepStrictEqual } from "node:util";
import { core } from "@orchernetes/api";
import { type ApiObject, isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { FollowedCredentials } from "../authentication/followed-credentials.ts";
import type { Flags } from "../flags/index.ts";
import type { PostStartHook } from "../post-start/hooks.ts";
import { combineAuthenticationInfo } from "./combine-authentication-info.ts";

const ref = { namespace: "orch-system", name: "extension-apiserver-authentication" };

/** What other servers need to know to trust the same clients as this one; empty values are left out. */
export interface ClusterAuthenticationInfo {
  readonly clientCaPem?: string;
  readonly requestHeader?: {
    readonly caPem: string;
    readonly allowedNames: readonly string[];
    readonly usernameHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    readonly extraHeadersPrefixes: readonly string[];
  };
}

function dataOf({ clientCaPem, requestHeader: rh }: ClusterAuthenticationInfo): Readonly<Record<string, string>> {
  return {
    ...(clientCaPem && { "client-ca-file": clientCaPem }),
    ...(rh && {
      "requestheader-client-ca-file": rh.caPem,
      "requestheader-allowed-names": JSON.stringify(rh.allowedNames),
      "requestheader-username-headers": JSON.stringify(rh.usernameHeaders),
      "requestheader-group-headers": JSON.stringify(rh.groupHeaders),
      "requestheader-extra-headers-prefix": JSON.stringify(rh.extraHeadersPrefixes),
    }),
  };
}

/** What this server publishes now. */
export function authenticationInfo(
  flags: Flags,
  { clientCa, requestHeaderCa }: Pick<FollowedCredentials, "clientCa" | "requestHeaderCa">,
): ClusterAuthenticationInfo {
  const caPem = requestHeaderCa.current().pem;
  const requestHeader = {
    caPem,
    allowedNames: flags["requestheader-allowed-names"],
    usernameHeaders: flags["requestheader-username-headers"],
    groupHeaders: flags["requestheader-group-headers"],
    extraHeadersPrefixes: flags["requestheader-extra-headers-prefix"],
  };
  return { clientCaPem: clientCa.current().pem, ...(caPem !== "" && { requestHeader }) };
}

/**
 * Publishes orch-system/extension-apiserver-authentication, where delegated authentication looks up the client CA, together with
 * what other servers have published there ({@link combineAuthenticationInfo}). Other keys stay as they are.
 * @param current returns what to publish now: bundles may change while the server runs
 */
export function clusterAuthenticationInfo(
  current: () => ClusterAuthenticationInfo,
  now: () => number = Date.now,
): PostStartHook {
  let published: Readonly<Record<string, string>> = {};
  return {
    name: "start-cluster-authentication-info-controller",
    async run({ registry }) {
      const store = registry.forDefinition(core.configMaps);
      const own = dataOf(current());
      try {
        await store.update(ref, (draft, { data = {} }) => {
          const combined = combineAuthenticationInfo(data, own, published, now());
          if (isDeepStrictEqual(combined, data)) return false;
          draft.data = combined;
          return true;
        });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const data = combineAuthenticationInfo({}, own, {}, now());
        const object: ApiObject & { data: Readonly<Record<string, string>> } = { metadata: ref, data };
        await store.create(object).catch((error: unknown) => {
          // Another server wrote first; the next run adds the values of this one.
          if (!isAlreadyExists(error)) throw error;
        });
      }
      published = own;
    },
  };
}
