import { core } from "@orchernetes/api";
import { badRequest } from "@orchernetes/apimachinery";
import type { RequestContext } from "@orchernetes/apiserver";

/** The pod of a `pods/…` request. @throws ApiError NotFound */
export function targetPod(context: Pick<RequestContext, "registry" | "requestInfo" | "signal">): Promise<core.Pod> {
  const { namespace, name } = context.requestInfo;
  return context.registry.forDefinition(core.pods).get({ namespace, name }, { signal: context.signal });
}

const names = (containers: readonly { readonly name: string }[] | undefined): readonly string[] =>
  (containers ?? []).map((c) => c.name);

/**
 * The requested container; without a name, the only regular one. With several, clients choose one, by an annotation or by asking
 * the user.
 *
 * @throws ApiError BadRequest
 */
export function targetContainer({ metadata, spec }: core.Pod, asked: string | null): string {
  const regular = names(spec.containers);
  const all = [...names(spec.initContainers), ...regular, ...names(spec.ephemeralContainers)];
  if (asked) {
    if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
    return asked;
  }
  const [only] = regular;
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${metadata.name}`);
  if (regular.length === 1) return only;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${all.join(" ")}]`);
}
