import type { rbac } from "@orchernetes/api";
import type { Registry } from "@orchernetes/apiserver";
import {
  type AbacPolicy,
  type Authorizer,
  abacAuthorizer,
  abacRules,
  alwaysAllow,
  alwaysDeny,
  missingRole,
  PolicyIndex,
  privilegedGroups,
  rbacAuthorizer,
  SUPERUSER_GROUP,
  type UserInfo,
} from "@orchernetes/auth";
import { assertNever } from "@orchernetes/kernel";
import { componentRoles } from "../bootstrap/rbac/component-roles.ts";
import type { AuthorizationMode } from "./modes.ts";
import { followNodeGraph, nodeAuthorizer, nodeOf } from "./node/node-authorizer.ts";
import { NodeGraph } from "./node/node-graph.ts";
import { followPolicy } from "./rbac/follow-policy.ts";
import type { Rights, RuleSource } from "./rights.ts";
import { type AuthorizerParts, type WebhookAuthorization, webhookAuthorizer } from "./webhook-authorizer.ts";

/** The authorizers of `--authorization-mode`, and the objects on which their decisions depend. */
export interface ConfiguredAuthorization extends Rights {
  /** Starts to follow the objects on which decisions depend: roles, bindings, pods. Resolves when all stored ones are known. */
  follow(registry: Registry, signal: AbortSignal): Promise<void>;
}

/** The rules of mode AlwaysAllow. */
const ALL: readonly rbac.PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Creates the authorizers of `--authorization-mode` in the order of the flag, after the one that allows members of `system:masters`. */
export function createAuthorization(
  config: {
    readonly authorizationModes: readonly AuthorizationMode[];
    readonly abacPolicies: readonly AbacPolicy[];
    readonly authorizationWebhook: WebhookAuthorization | undefined;
  },
  parts: AuthorizerParts,
): ConfiguredAuthorization {
  const authorizers: Authorizer[] = [privilegedGroups(SUPERUSER_GROUP)];
  const ruleSources: RuleSource[] = [];
  const followers: ConfiguredAuthorization["follow"][] = [];
  for (const mode of config.authorizationModes) {
    switch (mode) {
      case "AlwaysAllow":
        authorizers.push(alwaysAllow);
        ruleSources.push({ rulesFor: () => ALL });
        break;
      case "ABAC": {
        const policies = config.abacPolicies;
        authorizers.push(abacAuthorizer(policies));
        ruleSources.push({ rulesFor: (user, namespace) => abacRules(policies, user, namespace), grantable: false });
        break;
      }
      case "Webhook":
        if (config.authorizationWebhook !== undefined)
          authorizers.push(webhookAuthorizer(config.authorizationWebhook, parts));
        ruleSources.push({
          rulesFor: () => [],
          unresolved: () => "webhook authorizer does not support user rule resolution",
          grantable: false,
        });
        break;
      case "RBAC": {
        const index = new PolicyIndex();
        authorizers.push(rbacAuthorizer(index));
        ruleSources.push({
          rulesFor: (user, namespace) => rulesOf(index, user, namespace),
          errors: (user, namespace) =>
            [...index.grantsFor(user, namespace)]
              .filter((grant) => index.rulesOf(grant) === undefined)
              .map(missingRole),
        });
        followers.push((registry, signal) => followPolicy(registry, index, signal));
        break;
      }
      case "Node": {
        const graph = new NodeGraph();
        const rules = componentRoles.find((role) => role.name === "system:node")?.rules ?? [];
        authorizers.push(nodeAuthorizer(graph, rules));
        // What a node may do depends on its pods, so there are no rules to list.
        ruleSources.push({
          rulesFor: () => [],
          unresolved: (user) =>
            nodeOf(user) === undefined ? undefined : "node authorizer does not support user rule resolution",
        });
        followers.push((registry, signal) => followNodeGraph(registry, graph, signal));
        break;
      }
      case "AlwaysDeny":
        authorizers.push(alwaysDeny);
        break;
      default:
        assertNever(mode);
    }
  }
  return {
    authorizers,
    ruleSources,
    follow: async (registry, signal) => void (await Promise.all(followers.map((follow) => follow(registry, signal)))),
  };
}

/** Returns the rules of all roles that are bound to a user. Bindings to missing roles have none. */
function rulesOf(index: PolicyIndex, user: UserInfo, namespace: string): readonly rbac.PolicyRule[] {
  return [...index.grantsFor(user, namespace)].flatMap((grant) => index.rulesOf(grant) ?? []);
}
