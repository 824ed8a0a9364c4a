import { core } from "@orchernetes/api";
import { badRequest } from "@orchernetes/apimachinery";
import type { RequestContext } from "@orchernetes/apiserver";

const DEFAULT_CONTAINER = "orchctl.orchernetes.io/default-container";

/** The pod of a `pods/…` request. @throws ApiError NotFound */
export function targetPod(context: Pick<RequestContext, "registry" | "requestInfo" | "signal">): Promise<core.Pod> {
  const { namespace, name } = context.requestInfo;
  return context.registry.forDefinition(core.pods).get({ namespace, name }, { signal: context.signal });
}

const names = (containers: readonly { readonly name: string }[] | undefined): readonly string[] =>
  (containers ?? []).map((c) => c.name);

/** The container asked for; without one, the only container or the one an annotation names. @throws ApiError BadRequest */
export function targetContainer(pod: core.Pod, asked: string | null, options: { readonly annotated: boolean }): string {
  const { metadata, spec } = pod;
  const regular = names(spec.containers);
  const init = names(spec.initContainers);
  const ephemeral = names(spec.ephemeralContainers);
  if (asked) {
    if (![...regular, ...init, ...ephemeral].includes(asked))
      throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
    return asked;
  }
  const annotated = options.annotated ? metadata.annotations?.[DEFAULT_CONTAINER] : undefined;
  if (annotated && regular.includes(annotated)) return annotated;
  const [only] = regular;
  if (regular.length === 1 && only !== undefined && init.length === 0 && ephemeral.length === 0) return only;
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${metadata.name}`);
  const choices = `choose one of: [${regular.join(" ")}]`;
  const others = [
    init.length > 0 ? ` or one of the init containers: [${init.join(" ")}]` : "",
    ephemeral.length > 0 ? ` or one of the ephemeral containers: [${ephemeral.join(" ")}]` : "",
  ];
  throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choices}${others.join("")}`);
}
