import { core } from "@orchernetes/api";
import { badRequest, conflict, type Draft, formatTime, invalid } from "@orchernetes/apimachinery";
import type { RequestContext, RequestHandler, UpdateOptions, WriteCondition } from "@orchernetes/apiserver";
import type { UserInfo } from "@orchernetes/auth";
import { leaseCondition } from "./lease-condition.ts";

const PODS_BINDING = { group: "", plural: "pods/binding" };

/** Puts the pod on its node; once only, and never on a pod that is going away or still gated. */
function assign(draft: Draft<core.Pod>, pod: core.Pod, binding: core.Binding, now: Date): void {
  const name = pod.metadata.name ?? "";
  const refuse = (detail: string) => conflict(PODS_BINDING, name, detail);
  const { uid, resourceVersion, annotations } = binding.metadata;
  if (uid && uid !== pod.metadata.uid)
    throw refuse(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion)
    throw refuse(
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${pod.metadata.resourceVersion}`,
    );
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.spec.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  draft.spec.nodeName = binding.target.name ?? "";
  if (annotations) draft.metadata.annotations = { ...draft.metadata.annotations, ...annotations };
  const condition = { type: "PodScheduled", status: "True", lastTransitionTime: formatTime(now) } as const;
  const others = (draft.status.conditions ?? []).filter((c) => c.type !== "PodScheduled");
  draft.status.conditions = [...others, condition];
}

/** The write of a binding. A class with a getter, because reading `signal` creates the request's AbortController. */
class BindingOptions implements UpdateOptions {
  readonly bare = true;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly condition?: WriteCondition;
  readonly #context: RequestContext;

  constructor(context: RequestContext, condition: WriteCondition | undefined) {
    this.user = context.user;
    this.dryRun = context.dryRun;
    if (condition !== undefined) this.condition = condition;
    this.#context = context;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

async function bind(context: RequestContext, name: string): Promise<void> {
  const binding = context.body as core.Binding | undefined;
  if (binding === undefined) throw badRequest("a Binding is expected in the body; found none");
  if (binding.metadata.name && binding.metadata.name !== name)
    throw badRequest("name in URL does not match name in Binding object");
  const errors = core.validateBinding(binding);
  if (errors.length > 0) throw invalid({ group: "", kind: "Binding" }, name, errors);
  const options = new BindingOptions(context, leaseCondition(context.req, PODS_BINDING, name));
  await context.admit("CREATE", binding);
  const { namespace } = context.requestInfo;
  const pods = context.registry.forDefinition(core.pods);
  await pods.update({ namespace, name }, (draft, pod) => assign(draft, pod, binding, context.now), options);
}

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** `pods/binding`: the scheduler's write. */
export const podBindingHandler: RequestHandler = {
  verbs: ["create"],
  async handle(context) {
    await bind(context, context.requestInfo.name);
    return { type: "object", object: success, status: 201 };
  },
};

/** `bindings`: the same, with the pod named in the body. */
export const bindingHandler: RequestHandler = {
  verbs: ["create"],
  async handle(context) {
    const name = context.body?.metadata.name ?? "";
    if (name === "") throw badRequest("name is required in the metadata of a Binding: it names the pod");
    await bind(context, name);
    return { type: "object", object: success, status: 201 };
  },
};
