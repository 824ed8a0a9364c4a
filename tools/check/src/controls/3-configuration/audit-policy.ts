import { type AuditLevel, AuditPolicyEvaluator } from "@orchernetes/apiserver";
import type { AuditPolicyConfiguration } from "@orchernetes/config";
import { type Control, type Finding, judged, unknown, violated } from "../../control.ts";
import type { Evidence } from "../../evidence/evidence.ts";
import { flagsUnseen } from "../shared/flag-control.ts";

/** A request of a user to whom no rule of the policy is dedicated. */
interface Asked {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
}

const LEVELS: readonly AuditLevel[] = ["None", "Metadata", "Request", "RequestResponse"];

/**
 * The levels at which a request may be recorded: without its body if that contains credentials, since whoever reads the log could use them;
 * with its body if it changes workloads, so that the log shows what was changed.
 */
interface Expectation extends Asked {
  readonly least: AuditLevel;
  readonly most: AuditLevel;
}

const all = "RequestResponse";
/** A request whose body or response has credentials: recorded by name, never with its content. */
const credentials = (verb: string, resource: string, subresource = "", group = ""): Expectation => ({
  verb,
  group,
  resource,
  subresource,
  least: "Metadata",
  most: "Metadata",
});

/** A sample of requests. A policy is judged by what it does with them, not by the form of its rules, which may be written in many ways. */
const EXPECTED: readonly Expectation[] = [
  ...["get", "create", "update", "delete"].map((verb) => credentials(verb, "secrets")),
  credentials("create", "serviceaccounts", "token"),
  credentials("create", "tokenreviews", "", "authentication.o8s.io"),
  { verb: "update", resource: "configmaps", least: "Metadata", most: all },
  ...["create", "update", "patch"].flatMap((verb): readonly Expectation[] => [
    { verb, resource: "pods", least: "Request", most: all },
    { verb, group: "apps", resource: "deployments", least: "Request", most: all },
    { verb, group: "rbac.authorization.o8s.io", resource: "clusterrolebindings", least: "Request", most: all },
  ]),
  ...["exec", "attach", "portforward", "proxy"].map(
    (subresource): Expectation => ({ verb: "create", resource: "pods", subresource, least: "Metadata", most: all }),
  ),
  { verb: "get", resource: "services", subresource: "proxy", least: "Metadata", most: all },
  { verb: "get", resource: "nodes", subresource: "proxy", least: "Metadata", most: all },
];

const nameOf = ({ verb, group = "", resource, subresource = "" }: Asked): string =>
  `${verb} ${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;

/** Returns the requests that a policy records at another level than expected, with that level. */
function gapsOf(policy: AuditPolicyConfiguration): readonly string[] {
  const evaluator = new AuditPolicyEvaluator(policy);
  const user = { name: "somebody", groups: ["system:authenticated"], extra: {} };
  return EXPECTED.flatMap((expected) => {
    const { verb, group: apiGroup = "", resource, subresource = "", least, most } = expected;
    const { level } = evaluator.evaluate(
      {
        isResourceRequest: true,
        ...{ path: "", verb, apiPrefix: apiGroup === "" ? "api" : "apis", apiGroup, apiVersion: "v1" },
        ...{ namespace: "default", resource, subresource, name: "x", parts: [], watchPath: false, query: "" },
      },
      user,
    );
    const at = LEVELS.indexOf(level);
    return at >= LEVELS.indexOf(least) && at <= LEVELS.indexOf(most) ? [] : [`${nameOf(expected)} at ${level}`];
  });
}

/** Judges the policy. It is a violation if there is none, and unknown if it cannot be seen. */
function withPolicy(
  { daemons, auditPolicy }: Evidence,
  judge: (policy: AuditPolicyConfiguration, source: string) => Finding,
): Finding {
  const facts = daemons["orch-apiserver"];
  if (facts === undefined) return flagsUnseen("orch-apiserver");
  if ((facts.flags.get("audit-policy-file") ?? "") === "") return violated("there is no audit policy", facts.source);
  if (auditPolicy === undefined) return unknown("the file of --audit-policy-file cannot be read");
  return judge(auditPolicy.value, auditPolicy.source);
}

/** Section 3.2: auditing. */
export const auditPolicy: readonly Control[] = [
  {
    number: "3.2.1",
    title: "There is an audit policy",
    remedy: "orch-apiserver --audit-policy-file=FILE, see docs/security/audit.md",
    judge: (evidence) =>
      withPolicy(evidence, ({ rules }, source) => {
        const recording = rules.filter(({ level }) => level !== "None").length;
        return judged(recording > 0, `${rules.length} rules, of which ${recording} record`, source);
      }),
  },
  {
    number: "3.2.2",
    title: "The audit policy records what matters, and no credentials",
    remedy:
      "record secrets and tokens at level Metadata, changes of workloads and roles at Request, exec and proxies at Metadata",
    judge: (evidence) =>
      withPolicy(evidence, (policy, source) => {
        const gaps = gapsOf(policy);
        const found =
          gaps.length === 0 ? `${EXPECTED.length} kinds of requests are recorded as they should be` : gaps.join(", ");
        return judged(gaps.length === 0, found, source);
      }),
  },
];
