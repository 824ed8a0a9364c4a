import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { Authorization } from "@orchernetes/auth";
import { LongWork, systemEventLoop } from "@orchernetes/kernel";
import { matchConditionFailures, policyMetrics } from "../../metrics/policy-metrics.ts";
import { Matcher } from "../matching/matcher.ts";
import { groupResource } from "../shared/attributes.ts";
import type { ConfiguredPlugin, PluginSettings } from "../shared/plugin.ts";
import { PolicyIndex, storeOf } from "./policy-index.ts";
import { PolicyRequest, type PolicyTools } from "./policy-request.ts";
import { PolicyStatuses } from "./policy-status.ts";

const NAME = "ValidatingAdmissionPolicy";
const GROUP = "admissionregistration.o8s.io";
const OWN: ReadonlySet<string> = new Set(["validatingadmissionpolicies", "validatingadmissionpolicybindings"]);

/** Policies do not apply to policies and bindings; otherwise nobody could repair a wrong policy. */
const isPolicy = ({ resource }: Pick<AdmissionAttributes, "resource">): boolean =>
  resource.group === GROUP && OWN.has(resource.resource);

/** The plugin if the feature gate is disabled: writes of policies get a warning that policies have no effect. */
const inert: AdmissionPlugin = {
  name: NAME,
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  validate(attributes, { warn }) {
    if (isPolicy(attributes) && attributes.subresource === "")
      warn(`feature gate ${NAME} is off: policies and bindings are stored and have no effect`);
  },
};

function enforcing({ rights, metrics, expressions, logger, whenStarted }: PluginSettings): AdmissionPlugin {
  const { defined, checked } = policyMetrics(metrics);
  const failures = matchConditionFailures(metrics);
  const statuses = new PolicyStatuses({ loop: systemEventLoop, logger });
  const index = new PolicyIndex({
    expressions,
    defined,
    conditionFailed: (name) => failures(name, "validatingadmissionpolicy"),
    changed: (policy) => statuses.changed(policy),
  });
  let isKnown = false;
  whenStarted(async (registry, signal) => {
    await index.follow(registry, signal);
    isKnown = true;
    const store = storeOf(registry, "validatingadmissionpolicies");
    if (store !== undefined) statuses.start(registry, store, signal);
  });
  const tools: PolicyTools = {
    matcher: new Matcher(),
    authorizer: new Authorization(rights.authorizers),
    metrics: { checked },
    longWork: new LongWork(systemEventLoop),
  };
  const evaluate = async (
    candidates: ReturnType<PolicyIndex["candidates"]>,
    attributes: AdmissionAttributes,
    context: AdmissionContext,
  ): Promise<void> => {
    const request = new PolicyRequest(tools, attributes, context);
    for (const { item } of candidates) await request.evaluate(item);
    request.enforce();
  };
  return {
    name: NAME,
    handles: () => true,
    validate(attributes, context) {
      if (isPolicy(attributes)) return;
      if (!isKnown)
        throw forbidden(groupResource(attributes.resource), attributes.name, "not yet ready to handle request");
      const candidates = index.candidates(attributes, context.registry);
      return candidates.length === 0 ? undefined : evaluate(candidates, attributes, context);
    },
  };
}

/**
 * Plugin ValidatingAdmissionPolicy: policies in the API validate writes by CEL expressions (KEP-3488). It has no effect unless the feature
 * gate of the same name is enabled.
 */
export const validatingPolicy: ConfiguredPlugin = {
  name: NAME,
  create: (settings) => (settings.featureEnabled(NAME) ? enforcing(settings) : inert),
};
