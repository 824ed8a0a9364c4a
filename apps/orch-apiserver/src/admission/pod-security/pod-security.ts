import { core } from "@orchernetes/api";
import { type ApiObject, forbidden, internalError, invalid, isNotFound } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import type { PodSecurityConfiguration } from "@orchernetes/config";
import { groupResource, objectsAs } from "../shared/attributes.ts";
import { currentNamespace } from "../shared/current-namespace.ts";
import { isSame } from "../shared/is-same.ts";
import { type ConfiguredPlugin, withKnown } from "../shared/plugin.ts";
import type { PodLike } from "./controls/control.ts";
import { existingPodWarnings } from "./existing-pods.ts";
import { podSecurityMetrics } from "./metrics.ts";
import type { PodSecurityObserver } from "./observer.ts";
import { templateOf } from "./pod-template-of.ts";
import {
  compareLevels,
  defaultPolicy,
  isEquivalentPolicy,
  isFullyPrivileged,
  isSameLevel,
  levelText,
  type Mode,
  modes,
  type ParsedPolicy,
  type Policy,
  PREFIX,
  policyOf,
} from "./policy.ts";
import { isSignificantUpdate } from "./significant-update.ts";
import { detailsText, violationsOf } from "./standards.ts";

/** Subresources that do not change what a pod runs. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

const noExemptions: PodSecurityConfiguration["exemptions"] = { usernames: [], namespaces: [], runtimeClasses: [] };
const PRIVILEGED = "privileged:latest";
const MAX_PODS = 3000;
const TIMEOUT_MS = 1000;

/** What the plugin is made of. */
export interface PodSecurityOptions {
  readonly configuration: PodSecurityConfiguration | undefined;
  readonly observer: PodSecurityObserver;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/**
 * Plugin PodSecurity: pods keep to the Pod Security Standards that their namespace asks for by labels. Violations are rejected, recorded or
 * warned about, each mode with a level and version of its own; templates of pods are never rejected.
 */
export class PodSecurity implements AdmissionPlugin {
  readonly name = "PodSecurity";
  readonly #defaults: Policy;
  readonly #exemptions: PodSecurityConfiguration["exemptions"];
  readonly #observer: PodSecurityObserver;
  readonly #now: () => number;
  /** Namespaces of the watch cache stay the same objects until they change. */
  readonly #policies = new WeakMap<core.Namespace, ParsedPolicy>();

  constructor({ configuration, observer, now }: PodSecurityOptions) {
    this.#defaults = defaultPolicy(configuration?.defaults);
    this.#exemptions = configuration?.exemptions ?? noExemptions;
    this.#observer = observer;
    this.#now = now;
  }

  handles(operation: AdmissionAttributes["operation"]): boolean {
    return operation === "CREATE" || operation === "UPDATE";
  }

  validate(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void> {
    const { group, resource } = attributes.resource;
    if (group === "" && resource === "pods") return this.#pod(attributes, context);
    if (attributes.subresource !== "") return;
    if (group === "" && resource === "namespaces") return this.#namespace(attributes, context);
    return this.#template(attributes, context);
  }

  #pod(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void> {
    if (ignoredSubresources.has(attributes.subresource) || this.#isExempt(attributes, context)) return;
    return this.#withPolicy(attributes, context, (parsed) => {
      if (parsed.errors.length === 0 && isFullyPrivileged(parsed.policy)) {
        context.annotate(`${PREFIX}enforce-policy`, PRIVILEGED);
        this.#observer.evaluated("allow", parsed.policy.enforce, "enforce", attributes);
        return;
      }
      const { object, oldObject } = objectsAs<core.Pod>(attributes);
      if (object === undefined) return;
      if (oldObject !== undefined && attributes.operation === "UPDATE" && !isSignificantUpdate(object, oldObject))
        return;
      this.#evaluate(parsed, object, attributes, context, true);
    });
  }

  #template(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void> {
    const template = templateOf(attributes.resource, attributes.object);
    if (template === undefined || this.#isExempt(attributes, context)) return;
    return this.#withPolicy(attributes, context, (parsed) => {
      const { audit, warn } = parsed.policy;
      if (parsed.errors.length === 0 && audit.level === "privileged" && warn.level === "privileged") return;
      this.#evaluate(parsed, template, attributes, context, false);
    });
  }

  /** Continues with the policy of the namespace. Without a namespace pods are rejected, and templates are not looked at. */
  #withPolicy(
    attributes: AdmissionAttributes,
    context: AdmissionContext,
    next: (parsed: ParsedPolicy) => void,
  ): void | Promise<void> {
    const found = currentNamespace(attributes, context);
    if (!(found instanceof Promise)) return next(this.#policyOf(found));
    return found.then(
      (namespace) => next(this.#policyOf(namespace)),
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
        this.#observer.failed(true, attributes);
        const what = `failed to lookup namespace ${JSON.stringify(attributes.namespace)}`;
        context.annotate(`${PREFIX}error`, what);
        if (attributes.resource.resource === "pods") throw internalError(new Error(what));
      },
    );
  }

  #policyOf(namespace: core.Namespace): ParsedPolicy {
    const known = this.#policies.get(namespace);
    if (known !== undefined) return known;
    const parsed = policyOf(namespace.metadata.labels, this.#defaults);
    this.#policies.set(namespace, parsed);
    return parsed;
  }

  #isExempt(attributes: AdmissionAttributes, context: AdmissionContext): boolean {
    const { namespaces, usernames } = this.#exemptions;
    const why = namespaces.includes(attributes.namespace)
      ? "namespace"
      : usernames.includes(attributes.user.name)
        ? "user"
        : undefined;
    if (why !== undefined) this.#exempted(why, attributes, context);
    return why !== undefined;
  }

  #exempted(why: string, attributes: AdmissionAttributes, { annotate }: AdmissionContext): void {
    annotate(`${PREFIX}exempt`, why);
    this.#observer.exempted(attributes);
  }

  #evaluate(
    { policy, errors }: ParsedPolicy,
    pod: PodLike,
    attributes: AdmissionAttributes,
    context: AdmissionContext,
    enforced: boolean,
  ): void {
    if (this.#exemptions.runtimeClasses.includes(pod.spec.runtimeClassName ?? "")) {
      this.#exempted("runtimeClass", attributes, context);
      return;
    }
    if (errors.length > 0) {
      const messages = errors.map(({ message, field }) => `${field}: ${message}`);
      const text = messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`;
      context.annotate(`${PREFIX}error`, `Failed to parse policy: ${text}`);
      this.#observer.failed(false, attributes);
    }
    const details = new Map<string, string>();
    const detailOf = (mode: Mode): string => {
      const key = levelText(policy[mode]);
      const detail = details.get(key) ?? detailsText(violationsOf(policy[mode], pod));
      details.set(key, detail);
      return detail;
    };
    const would = (mode: Mode, verb: string) =>
      `${verb} PodSecurity ${JSON.stringify(levelText(policy[mode]))}: ${detailOf(mode)}`;
    const denied = enforced && detailOf("enforce") !== "";
    if (enforced) {
      context.annotate(`${PREFIX}enforce-policy`, levelText(policy.enforce));
      this.#observer.evaluated(denied ? "deny" : "allow", policy.enforce, "enforce", attributes);
    }
    if (detailOf("audit") !== "") {
      context.annotate(`${PREFIX}audit-violations`, would("audit", "would violate"));
      this.#observer.evaluated("deny", policy.audit, "audit", attributes);
    }
    if (denied) throw forbidden(groupResource(attributes.resource), attributes.name, would("enforce", "violates"));
    if (detailOf("warn") === "") return;
    context.warn(would("warn", "would violate"));
    this.#observer.evaluated("deny", policy.warn, "warn", attributes);
  }

  #namespace(attributes: AdmissionAttributes, context: AdmissionContext): void | Promise<void> {
    const { object, oldObject } = objectsAs<core.Namespace>(attributes);
    if (object === undefined) return;
    const name = object.metadata.name ?? attributes.name;
    const { policy, errors } = policyOf(object.metadata.labels, this.#defaults);
    const old = oldObject && policyOf(oldObject.metadata.labels, this.#defaults);
    // Labels that are stored must not prevent other changes.
    if (errors.length > 0 && !isSame(errors, old?.errors))
      throw invalid({ group: "", kind: "Namespace" }, name, errors);
    const exempt = this.#exemptions.namespaces.includes(name);
    if (attributes.operation === "CREATE" || old === undefined) {
      if (exempt) this.#warnOfExemption(object, policy, context);
      return;
    }
    const [now, before] = [policy.enforce, old.policy.enforce];
    if (isSameLevel(now, before) || now.level === "privileged") return;
    if (now.version === before.version && compareLevels(now.level, before.level) < 1) return;
    if (exempt) return this.#warnOfExemption(object, policy, context);
    const known = context.registry.forDefinition(core.pods).recentList({ namespace: name });
    return withKnown(known, async (pods) => {
      const concerned = pods.filter(
        ({ spec }) => !this.#exemptions.runtimeClasses.includes(spec.runtimeClassName ?? ""),
      );
      const limits = { maxPods: MAX_PODS, timeoutMs: TIMEOUT_MS, now: this.#now, signal: context.signal };
      for (const warning of await existingPodWarnings(name, now, concerned, limits)) context.warn(warning);
    });
  }

  #warnOfExemption({ metadata }: ApiObject, policy: Policy, { warn }: AdmissionContext): void {
    if (isFullyPrivileged(policy) || isEquivalentPolicy(policy, this.#defaults)) return;
    const labels = metadata.labels ?? {};
    const isSet = (mode: Mode) => [mode, `${mode}-version`].some((label) => Object.hasOwn(labels, PREFIX + label));
    const set = modes.filter((mode) => policy[mode].level !== "privileged" && isSet(mode));
    const text = set.map((mode) => `${mode}=${levelText(policy[mode])}`).join(", ");
    warn(
      `namespace ${JSON.stringify(metadata.name)} is exempt from Pod Security, and the policy (${text}) will be ignored`,
    );
  }
}

/** {@link PodSecurity} with the server's configuration. */
export const podSecurity: ConfiguredPlugin = {
  name: "PodSecurity",
  create: ({ configuration, metrics }) =>
    new PodSecurity({
      configuration: configuration.PodSecurity,
      observer: podSecurityMetrics(metrics),
      now: () => performance.now(),
    }),
};
